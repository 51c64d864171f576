#!/usr/bin/env python3
"""Looks for broken promises in what clients saw of a group of devices: scripts/storm/checker.py HISTORY...

A history is a file of JSON objects, one a line and in any order, and all that is looked at. Each says what was asked of which `device`,
from when to when (`start`, `end`, in seconds of one clock), and what became of it (`outcome`: `ok`, it was acknowledged; `refused`,
nothing has happened; `unknown`, nobody answered):

  buy       `credits` that come with it; when acknowledged, its `transaction`
  refund    of a `transaction`
  spend     `amount` credits under an `id`; asked for again under the same one it counts once
  write     `number` into a `register` that this device alone writes, counting up
  read      `transactions`, those of them that are `revoked`, `registers` with their numbers, `balance` and `debt`; the `rights` of all
            who hold credits together; `whole`: all of one moment; `last`: after the storm, when devices had agreed, with their
            `digest`; of several the newest of each device

Found is, as in set-full of Jepsen: a write that was acknowledged and is lost; one that counts twice, or that nobody asked for; a read
that lacks what an earlier one of that device had shown, or what that device had acknowledged, credits that were spent among it; devices that do not agree; and credits
that were spent and never bought.
"""

import json
import sys
from collections import Counter, defaultdict


def check(history: list[dict]) -> list[str]:
    """Every promise that the history shows to be broken."""
    # Devices that pass credits to one another meanwhile are read again.
    final = [entry for entry in history if entry["op"] == "read" and entry.get("last") and entry["outcome"] == "ok"]
    last = list({entry["device"]: entry for entry in sorted(final, key=lambda entry: entry["start"])}.values())
    devices = {entry["device"] for entry in history}
    findings = [f"{device} was not read at the end" for device in sorted(devices - {entry["device"] for entry in last})]
    for entry in last:
        findings += [f"{entry['device']}: {finding}" for finding in lost(history, entry) + doubled(history, entry)]
    if len({json.dumps(view(entry), sort_keys=True) for entry in last}) > 1:
        findings.append("the devices do not agree")
    for device in sorted(devices):
        own = [entry for entry in history if entry["device"] == device]
        findings += [f"{device}: {finding}" for finding in backwards(own) + unspent(history, own)]
    return findings + overspent(history)


def view(read: dict) -> dict:
    """What devices have to agree on."""
    return {**{name: read[name] for name in ("digest", "registers", "balance", "debt")},
            "transactions": sorted(read["transactions"]), "revoked": sorted(read["revoked"])}


def acknowledged(history: list[dict], op: str) -> list[dict]:
    return [entry for entry in history if entry["op"] == op and entry["outcome"] == "ok"]


def asked(history: list[dict], op: str) -> list[dict]:
    """What was acknowledged, or may have happened."""
    return [entry for entry in history if entry["op"] == op and entry["outcome"] != "refused"]


def amounts(spends: list[dict]) -> int:
    """The credits of some spends. What was asked for twice under one id counts once."""
    return sum({entry["id"]: entry["amount"] for entry in spends}.values())


def standing(history: list[dict], read: dict) -> int:
    """How many credits the purchases have brought that a read shows."""
    credits_ = {entry["transaction"]: entry["credits"] for entry in acknowledged(history, "buy")}
    # Of a purchase that nobody answered nobody knows the transaction; all bring as many.
    usual = next((entry["credits"] for entry in history if entry["op"] == "buy"), 0)
    return sum(credits_.get(each, usual) for each in set(read["transactions"]) - set(read["revoked"]))


def spent(history: list[dict], read: dict) -> int:
    """How many credits are gone, as a read shows it."""
    return standing(history, read) - read["balance"] + read["debt"]


def lost(history: list[dict], read: dict) -> list[str]:
    """What was acknowledged and is not in a last read."""
    known, revoked, findings = set(read["transactions"]), set(read["revoked"]), []
    for entry in acknowledged(history, "buy"):
        if entry["transaction"] not in known:
            findings.append(f"the purchase {entry['transaction']} of {entry['device']} is lost")
    for entry in acknowledged(history, "refund"):
        if entry["transaction"] not in revoked:
            findings.append(f"the refund of {entry['transaction']} by {entry['device']} is lost")
    for register, number in written(acknowledged(history, "write")).items():
        if read["registers"].get(register, 0) < number:
            findings.append(f"{register} is {read['registers'].get(register, 0)}, and {number} was acknowledged")
    if (gone := spent(history, read)) < (least := amounts(acknowledged(history, "spend"))):
        findings.append(f"spends are lost: {gone} credits are gone, and {least} were spent")
    return findings


def doubled(history: list[dict], read: dict) -> list[str]:
    """What is in a last read twice, or without having been asked for."""
    findings = [f"the purchase {transaction} is there {count} times"
                for transaction, count in Counter(read["transactions"]).items() if count > 1]
    counts = Counter(entry["transaction"] for entry in acknowledged(history, "buy"))
    findings += [f"the purchase {each} was acknowledged {count} times" for each, count in counts.items() if count > 1]
    unclaimed = set(read["transactions"]) - set(counts)
    unanswered = sum(entry["outcome"] == "unknown" for entry in history if entry["op"] == "buy")
    if len(unclaimed) > unanswered:
        findings.append(f"there are {len(unclaimed)} purchases that nobody saw acknowledged, of {unanswered} unanswered")
    refunded = {entry["transaction"] for entry in asked(history, "refund")}
    findings += [f"{each} was taken back by nobody" for each in sorted(set(read["revoked"]) - refunded)]
    most = written(asked(history, "write"))
    findings += [f"{register} is {number}, and nobody wrote that"
                 for register, number in sorted(read["registers"].items()) if number > most.get(register, 0)]
    if (gone := spent(history, read)) > (limit := amounts(asked(history, "spend"))):
        findings.append(f"spends are doubled: {gone} credits are gone, and {limit} were asked for")
    return findings


def written(writes: list[dict]) -> dict[str, int]:
    """The greatest number of each register."""
    numbers: dict[str, int] = defaultdict(int)
    for entry in writes:
        numbers[entry["register"]] = max(numbers[entry["register"]], entry["number"])
    return numbers


def backwards(history: list[dict]) -> list[str]:
    """Reads of one device that lack what it had shown, or acknowledged, before they began."""
    findings: list[str] = []
    seen: dict[str, set[str]] = {"transactions": set(), "revoked": set()}
    numbers: dict[str, int] = defaultdict(int)
    # Whatever ended before a read began has to be in it.
    ends = sorted((entry for entry in history if entry["outcome"] == "ok"), key=lambda entry: entry["end"])
    position = 0
    for read in sorted(acknowledged(history, "read"), key=lambda entry: entry["start"]):
        while position < len(ends) and ends[position]["end"] <= read["start"]:
            take(ends[position], seen, numbers)
            position += 1
        for name, known in seen.items():
            findings += [f"the read at {read['start']:.3f} lacks {each} of its {name}" for each in sorted(known - set(read[name]))]
        for register, number in sorted(numbers.items()):
            if (found := read["registers"].get(register, 0)) < number:
                findings.append(f"the read at {read['start']:.3f} shows {register} as {found}, and it was {number} before")
    return findings


def unspent(history: list[dict], own: list[dict]) -> list[str]:
    """Reads of one device that show fewer spends than it had shown, or acknowledged, before they began.

    What one holder gives another one gets, in the same moment: so the rights of all together are what was bought less what was spent, also
    while a device knows but a part of it. The balance is not, for a holder that seems to have less than nothing is left out of it."""
    findings, shown = [], []
    spends = acknowledged(own, "spend")
    for read in sorted(acknowledged(own, "read"), key=lambda entry: entry["start"]):
        if not read["whole"]:
            continue
        number = standing(history, read) - read["rights"]
        before = max([each for end, each in shown if end <= read["start"]], default=0)
        before = max(before, amounts([entry for entry in spends if entry["end"] <= read["start"]]))
        if number < before:
            findings.append(f"the read at {read['start']:.3f} shows {number} credits as spent, and there were {before} before")
        shown.append((read["end"], number))
    return findings


def take(entry: dict, seen: dict[str, set[str]], numbers: dict[str, int]) -> None:
    """Takes in what an answer has shown."""
    if entry["op"] == "buy":
        seen["transactions"].add(entry["transaction"])
    elif entry["op"] == "refund":
        seen["revoked"].add(entry["transaction"])
    elif entry["op"] == "write":
        numbers[entry["register"]] = max(numbers[entry["register"]], entry["number"])
    elif entry["op"] == "read":
        for name, known in seen.items():
            known.update(entry[name])
        for register, number in entry["registers"].items():
            numbers[register] = max(numbers[register], number)


def overspent(history: list[dict]) -> list[str]:
    """Spends that were acknowledged when less had been bought, anywhere, and debts that no refund explains."""
    findings, bought, gone = [], 0, 0
    events = [(entry["start"], 0, entry) for entry in asked(history, "buy")]
    firsts: dict[str, dict] = {}
    for entry in sorted(acknowledged(history, "spend"), key=lambda entry: entry["end"]):
        firsts.setdefault(entry["id"], entry)
    events += [(entry["end"], 1, entry) for entry in firsts.values()]
    for time, _, entry in sorted(events, key=lambda event: event[:2]):
        if entry["op"] == "buy":
            bought += entry["credits"]
        else:
            gone += entry["amount"]
            if gone > bought:
                findings.append(f"at {time:.3f} {gone} credits were spent, of {bought} that were bought")
                break
    credits_ = {entry["transaction"]: entry["credits"] for entry in acknowledged(history, "buy")}
    refunded = {entry["transaction"] for entry in asked(history, "refund")}
    for read in acknowledged(history, "read"):
        # A read of several answers may see the debt before the refund; whoever asked for one knows of it.
        if read["debt"] > sum(credits_.get(each, 0) for each in refunded):
            findings.append(f"{read['device']} shows a debt of {read['debt']} at {read['start']:.3f}, and no refund explains it")
    return findings


def main() -> None:
    history = []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            history += [json.loads(line) for line in file]
    findings = check(history)
    for finding in findings[:50]:
        print(finding)
    counts = Counter((entry["op"], entry["outcome"]) for entry in history)
    print(", ".join(f"{count} {op} {outcome}" for (op, outcome), count in sorted(counts.items())))
    print(f"{len(findings)} broken promises" if findings else "no broken promise")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
