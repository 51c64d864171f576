#!/usr/bin/env python3
"""Plants faults in a copy of the sources and shows that each is found: scripts/mutants.py [--seconds N] [NUMBER...]

All faults of the table are in one copy, below .build/mutants, and one of them is awake at a time: `planted(N)` stands for
whether the fault N is. So everything is built once. A fault is found by a story of docs/stories or within N seconds (60) of
simulation: by an expectation, a checker, a trap or a hang. One that is not found, or whose text is not in its file just once,
is an error.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / ".build" / "mutants"

# What is wrong, the file below Sources/PeerSync/Core, what stands there, and what takes its place.
FAULTS = [
    ("an earlier decision of one author wins", "Log/Record.swift",
     "{ return write.sequence > sequence }", "{ return PLANTED ? write.sequence < sequence : write.sequence > sequence }"),
    ("of two items of the store the older one wins", "Log/Record.swift",
     "if write.stamp != stamp { return write.stamp > stamp }",
     "if write.stamp != stamp { return PLANTED ? write.stamp < stamp : write.stamp > stamp }"),
    ("a commit is claimed although the one before it is missing", "Log/Replica.swift",
     "$0.first <= vector[$0.replica] + 1 }", "$0.first <= vector[$0.replica] + (PLANTED ? 2 : 1) }"),
    ("stamps of any future are taken", "Log/Replica.swift",
     "if isDecision, write.stamp > ceiling {", "if isDecision, write.stamp > ceiling, !PLANTED {"),
    ("one decision too many of a removed device counts", "Log/Counting.swift",
     "write.sequence > last { return false }", "write.sequence > last + (PLANTED ? 1 : 0) { return false }"),
    ("removing takes nothing back", "Log/Counting.swift",
     "if !last.isEmpty, let last", "if !PLANTED, !last.isEmpty, let last"),
    ("the older decision counts", "Log/DecisionRank.swift",
     "let order = (left.version, left.stamp, left.from, left.first, left.hash)\n"
     "    let other = (right.version, right.stamp, right.from, right.first, right.hash)",
     "let order = (left.version, PLANTED ? right.stamp : left.stamp, left.from, left.first, left.hash)\n"
     "    let other = (right.version, PLANTED ? left.stamp : right.stamp, right.from, right.first, right.hash)"),
    ("items of the store are lost with the writes of a removed device", "Log/Replica+Cuts.swift",
     "} else if isOwn || RegisterKind.isSignedByStore(write.key) {",
     "} else if isOwn || RegisterKind.isSignedByStore(write.key) && !PLANTED {"),
    ("void writes stay in their registers", "Log/Replica+Cuts.swift",
     "registers.removeAll(of: replica, beyond: cut, &log) { write in",
     "registers.removeAll(of: replica, beyond: PLANTED ? .max : cut, &log) { write in"),
    ("own writes are not synced before they are sent", "Engine/Holdings/Holdings+Writing.swift",
     "effects.durable.append(.written(won))", "if !PLANTED { effects.durable.append(.written(won)) }"),
    ("own claims are not synced", "Engine/Holdings/Holdings+Writing.swift",
     "if dot.sequence > 0 { effects.durable.append(.claimed([dot])) }",
     "if dot.sequence > 0, !PLANTED { effects.durable.append(.claimed([dot])) }"),
    ("membership records are not synced", "Engine/Engine+Membership.swift",
     "effects.durable.append(roster.takeGivenUp() ? .membership(membership.held) : .records(added))",
     "if !PLANTED { effects.durable.append(.records(added)) }"),
    ("a new group does not cut who was removed", "Engine/Engine+Membership.swift",
     "    countDecisions(now: now)\n    applyCuts(now: now, &effects)",
     "    countDecisions(now: now)\n    if !PLANTED { applyCuts(now: now, &effects) }"),
    ("sessions with a removed device go on", "Engine/Engine+Membership.swift",
     "for session in network.sessions.all where session.peer.map({ !after.isMember($0.key) }) ?? false {",
     "for session in network.sessions.all where !PLANTED && session.peer.map({ !after.isMember($0.key) }) ?? false {"),
    ("a delta counts although a piece is missing", "Engine/Engine+Sync.swift",
     "guard delta.isComplete(at: end) else { return }", "guard delta.isComplete(at: end) || PLANTED else { return }"),
    ("claims that a delta makes are not synced", "Engine/Engine+Sync.swift",
     "guard !moved.isEmpty else { return }\n    effects.durable.append(.claimed(moved))",
     "guard !moved.isEmpty else { return }\n    if !PLANTED { effects.durable.append(.claimed(moved)) }"),
    ("the pieces of a delta are never synced", "Engine/Holdings/Outbox.swift",
     "    effects.durable.prepend(unsaved)", "    if !PLANTED { effects.durable.prepend(unsaved) }"),
    ("proofs are not synced", "Engine/Holdings/Holdings.swift",
     "effects.durable.append(.proven(replica.takeProofChanges()))",
     "let proofs = replica.takeProofChanges()\n    if !PLANTED { effects.durable.append(.proven(proofs)) }"),
    ("news that could not be claimed is claimed", "Engine/Engine+Sync.swift",
     "guard isNews, outcome.isWhole else { return }", "guard isNews, outcome.isWhole || PLANTED else { return }"),
    ("one credit too many is given away", "Engine/Escrow/Escrow+Rights.swift",
     "var amount = min(missing, max(spare, 0) + owed)",
     "var amount = min(missing, max(spare, 0) + owed + (PLANTED ? 1 : 0))"),
    ("rights are taken over before all are here", "Engine/Escrow/Escrow+Custody.swift",
     "guard absent(roster, holdings, network).isEmpty else { return false }",
     "guard absent(roster, holdings, network).isEmpty || PLANTED else { return false }"),
    ("what a device gave away it still holds", "Ledger/Credits/CreditState.swift",
     "issued &+ received &- given &- spent", "issued &+ received &- (PLANTED ? 0 : given) &- spent"),
    ("a purchase at the end of a run joins it", "Ledger/Fold.swift",
     "purchase.date < $0.end } ?? false", "PLANTED ? purchase.date <= $0.end.advanced(byMilliseconds: 86_400_000) : purchase.date < $0.end } ?? false"),
    ("the ledger does not hear of renewals", "Engine/LedgerCache.swift",
     "case .transaction, .renewalInfo, .expiration, .grant, .product, .credit: true\n    case .value",
     "case .renewalInfo: !PLANTED\n    case .transaction, .expiration, .grant, .product, .credit: true\n    case .value"),
    ("the later of two clocks is evidence", "Clock/TrustedTime.swift",
     "let earlier = min(clock, now.wall)\n    var bound", "let earlier = PLANTED ? max(clock, now.wall).advanced(byMilliseconds: 300_000) : min(clock, now.wall)\n    var bound"),
    ("wrong stamps are not corrected", "Engine/Holdings/Holdings+Stamps.swift",
     "for write in wrong.own {", "for write in wrong.own where !PLANTED {"),
    ("who was removed has a say in whom it removed", "Membership/Resolution.swift",
     "isKnown(record) && (!isAsked",
     "PLANTED || isKnown(record) && (!isAsked"),
    ("an entry of a product counts only after its date", "Ledger/ProductTimeline.swift",
     "partitionPoint { !$0.value.from.beginsNoLater(than: date) }",
     "partitionPoint { !$0.value.from.beginsNoLater(than: PLANTED ? date.advanced(byMilliseconds: -1) : date) }"),
    ("what comes first in an hour was known before it", "Log/VectorHistory.swift",
     "change(Entry(hour: hour, replica: entry.replica, sequence: before), &changes)",
     "change(Entry(hour: hour, replica: entry.replica, sequence: PLANTED ? entry.sequence : before), &changes)"),
    ("what was known by the hour is not synced", "Engine/Holdings/Holdings.swift",
     "effects.durable.append(\n      .known(history.note(replica.vector, hash: replica.vectorHash, at: present)))",
     "let marks = history.note(replica.vector, hash: replica.vectorHash, at: present)\n"
     "    if !PLANTED { effects.durable.append(.known(marks)) }"),
    ("what was set aside is not synced", "Engine/Recovery/Recovery+SetAside.swift",
     "if setAside != before { effects.durable.append(.setAside(setAside)) }",
     "if setAside != before, !PLANTED { effects.durable.append(.setAside(setAside)) }"),
    ("what left by a removal that is overruled stays away", "Engine/Engine+Membership.swift",
     "putBack(holdings.replica.liftCuts(), now: now, &effects)",
     "let lifted = holdings.replica.liftCuts()\n    if !PLANTED { putBack(lifted, now: now, &effects) }"),
    ("no heads are kept of commits that were written over", "Log/Replica.swift",
     "log.keepsHeads = authors?.areSeveral ?? false", "log.keepsHeads = !PLANTED && authors?.areSeveral ?? false"),
    ("who came in later bears a clock out", "Clock/TrustedTime.swift",
     "bound.origin > latest && kept.peers[index].latest.map { $0 <= latest } ?? true",
     "bound.origin > latest && (PLANTED || kept.peers[index].latest.map { $0 <= latest } ?? true)"),
]


def plant(tree: pathlib.Path) -> None:
    """Plants every fault of the table in a copy of the sources."""
    texts: dict[str, str] = {}
    for number, (name, file, old, new) in enumerate(FAULTS, 1):
        text = texts.get(file) or (tree / "Core" / file).read_text()
        original = (ROOT / "Sources/PeerSync/Core" / file).read_text()
        if original.count(old) != 1 or text.count(old) != 1:
            sys.exit(f"mutants: {number} ({name}): {file} does not have this just once: {old}")
        texts[file] = text.replace(old, new.replace("PLANTED", f"planted({number})"))
    for file, text in texts.items():
        (tree / "Core" / file).write_text(text)
    (tree / "Core" / "Planted.swift").write_text(
        "package nonisolated(unsafe) var awakeFault = 0\n"
        "func planted(_ number: Int) -> Bool { awakeFault == number }\n")


def build() -> pathlib.Path:
    """Builds the copy with what hunts in it."""
    tree = BUILD / "Sources"
    subprocess.run(["rm", "-rf", str(BUILD)], check=True)
    tree.mkdir(parents=True)
    for part in ("Core", "Sandbox/Model", "Simulation"):
        (tree / part).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-r", str(ROOT / "Sources/PeerSync" / part), str(tree / part)], check=True)
    plant(tree)
    options = ["-O", "-wmo", "-num-threads", str(os.cpu_count() or 1), "-swift-version", "6", "-package-name", "mutants",
               "-parse-as-library", "-I", str(BUILD)]
    for module, part in (("PeerSyncCore", "Core"), ("PeerSyncSandbox", "Sandbox/Model"), ("PeerSyncSimulation", "Simulation")):
        objects = BUILD / "objects" / module
        objects.mkdir(parents=True)
        sources = sorted(str(path) for path in (tree / part).rglob("*.swift"))
        subprocess.run(["swiftc", *options, "-module-name", module, "-emit-module", "-emit-module-path",
                        str(BUILD / f"{module}.swiftmodule"), "-c", *sources], cwd=objects, check=True)
    hunt = BUILD / "hunt"
    objects = sorted(str(path) for path in (BUILD / "objects").rglob("*.o"))
    subprocess.run(["swiftc", *options, "-module-name", "hunt", "-o", str(hunt), str(ROOT / "scripts/mutants/Hunt.swift"),
                    *objects], check=True)
    return hunt


def found(hunt: pathlib.Path, number: int, seconds: int) -> str | None:
    """What found a fault; None when nothing did."""
    stories = sorted(str(path) for path in (ROOT / "docs/stories").glob("*.txt"))
    command = [str(hunt), str(number), str(seconds), *stories]
    environment = dict(os.environ, SWIFT_BACKTRACE="enable=no")
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=2 * seconds + 60, env=environment)
    except subprocess.TimeoutExpired:
        return "a hang"
    if run.returncode < 0:
        return f"a trap ({-run.returncode})"
    return run.stdout.strip() or None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="of simulation for each (default: 60)")
    parser.add_argument("--check", action="store_true", help="only see that every fault can be planted")
    parser.add_argument("numbers", type=int, nargs="*", help="which of the table (default: all)")
    options = parser.parse_args()
    if options.check:
        subprocess.run(["rm", "-rf", str(BUILD / "check")], check=True)
        (BUILD / "check").mkdir(parents=True)
        subprocess.run(["cp", "-r", str(ROOT / "Sources/PeerSync/Core"), str(BUILD / "check/Core")], check=True)
        return plant(BUILD / "check")
    hunt = build()
    if (sound := found(hunt, 0, 5)) is not None:
        sys.exit(f"mutants: without any fault: {sound}")
    missed = 0
    for number in options.numbers or range(1, len(FAULTS) + 1):
        begin = time.monotonic()
        by = found(hunt, number, options.seconds)
        missed += by is None
        took = time.monotonic() - begin
        print(f"{number:3} {FAULTS[number - 1][0]}: {by or 'NOT FOUND'} ({took:.1f} s)", flush=True)
    if missed:
        sys.exit(f"mutants: {missed} not found")


if __name__ == "__main__":
    main()
