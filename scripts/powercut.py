#!/usr/bin/env python3
"""Cuts the power under a device that writes, and looks for what it had acknowledged: scripts/powercut.py [--cuts N] PEERD

The device's data lies on an ext4 of its own, in a file. Clients buy, spend and set values, and note each acknowledgement here. In
the midst of it the daemon is stopped, and its file system shut down as a power cut would do it: nothing that the system has not
written by then is written any more, not even the journal (EXT4_IOC_SHUTDOWN). Then the file system is mounted again, and the
device started on it. All that was acknowledged has to be there, and no number of a write may be used twice: a second device,
which was connected all the time and lost nothing, would notice.

The same is done with a copy of the program in which one setting of its database is weaker (synchronous=NORMAL: commits are not
synced). It has to lose something, or these cuts show nothing. It takes root, mount, mkfs.ext4 and loop devices.

Exit status 77: that cannot be had here, and nothing was tested.
"""

import argparse
import contextlib
import ctypes
import fcntl
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

EXT4_IOC_SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, 2
CLONE_NEWNS = 0x20000
CLIENTS = 4
# A device that has sold thousands of things answers slowly, and then there are few writes to cut.
CUTS_OF_A_DEVICE = 10
CATALOGUE = {"products": [{"id": "RandomOwls", "type": "consumable", "credit": "owls", "amount": 5}]}


class Impossible(Exception):
    """What is needed cannot be had on this machine."""


class Broken(Exception):
    """A promise was broken."""


class Forgotten(Broken):
    """A device forgot what its peer had from it, which nobody need have been told."""


class Disk:
    """A file system in a file, unmounted and removed at the end."""

    def __init__(self, directory: pathlib.Path):
        self.image, self.path = directory / "disk", directory / "mounted"
        self.path.mkdir()
        with open(self.image, "wb") as image:
            image.truncate(96 << 20)
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", str(self.image))
        self.mount()

    def mount(self) -> None:
        run("mount", "-o", "loop", str(self.image), str(self.path))

    def unmount(self) -> None:
        # Whoever has just been killed may have something open for a moment.
        for _ in range(100):
            if subprocess.run(["umount", str(self.path)], capture_output=True).returncode == 0:
                return
            time.sleep(0.02)
        run("umount", str(self.path))

    def cut(self) -> None:
        """Cuts the power: from now on nothing reaches the file."""
        directory = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.ioctl(directory, EXT4_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        finally:
            os.close(directory)


class Device:
    """A data directory and its daemon."""

    def __init__(self, peerd: str, data: pathlib.Path, log: pathlib.Path, name: str):
        self.peerd, self.data, self.log, self.listen = peerd, data, log, "127.0.0.1:0"
        self.process: subprocess.Popen[str] | None = None
        catalogue = log.with_suffix(".json")
        catalogue.write_text(json.dumps(CATALOGUE))
        run(peerd, "init", "--data", str(data), "--name", name, "--catalog", str(catalogue))

    def start(self, *options: str) -> None:
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.peerd, "run", "--data", str(self.data), "--json", *options], text=True, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=log)
        line = self.process.stdout.readline()
        if not line:
            raise Broken(f"the device does not start: {self.log.read_text()[-2000:]}")
        self.listen = json.loads(line).get("listen") or self.listen

    def signal(self, number: int) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        if self.process:
            self.process.wait()
            self.process.stdout.close()

    def stop(self) -> None:
        self.signal(signal.SIGTERM)
        self.process.wait()
        self.process.stdout.close()

    def freeze(self) -> None:
        """Stops the daemon as it is, and waits until it stands still."""
        self.signal(signal.SIGSTOP)
        state = pathlib.Path(f"/proc/{self.process.pid}/stat")
        # The third field of the file, behind the name in parentheses, is the state.
        while state.read_text().rpartition(")")[2].split()[0] not in "TZ":
            time.sleep(0.001)

    def client(self) -> "Client":
        return Client(self.data)

    def status(self) -> dict:
        return self.client().send("GET", "/v1/status")

    def wait(self, what: str, holds) -> dict:
        end = time.monotonic() + 60
        while not holds(status := self.status()):
            if time.monotonic() > end:
                raise Broken(f"waited for {what}: {json.dumps(status)}\n{self.log.read_text()[-4000:]}")
            time.sleep(0.02)
        return status


class Client:
    """Talks to the control API of a daemon over one connection."""

    def __init__(self, data: pathlib.Path):
        api = json.loads((data / "api.json").read_text())
        url = urllib.parse.urlsplit(api["url"])
        self.connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
        self.headers = {"Authorization": f"Bearer {api['token']}", "Content-Type": "application/json"}

    def send(self, method: str, path: str, body=None) -> dict:
        self.connection.request(method, path, None if body is None else json.dumps(body), self.headers)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status // 100 != 2:
            raise Broken(f"{method} {path}: {answer.status} {content.decode(errors='replace')}")
        return json.loads(content)


class Ledger:
    """What clients saw acknowledged, and what they asked for. None of it is on the disk that is cut off."""

    def __init__(self) -> None:
        self.transactions: set[str] = set()
        self.values: dict[str, int] = {}
        self.asked = self.spent = 0
        self.lock = threading.Lock()

    def load(self, data: pathlib.Path, name: str) -> None:
        """Writes until the daemon answers no more."""
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            client, number = Client(data), self.values.get(name, 0)
            while True:
                number += 1
                bought = client.send("POST", "/v1/purchases", {"productId": "RandomOwls"})
                with self.lock:
                    self.transactions.add(bought["transaction"]["transactionId"])
                client.send("PUT", f"/v1/values/{name}", {"value": str(number)})
                with self.lock:
                    self.values[name] = number
                    self.asked += 1
                client.send("POST", "/v1/credits/owls/spends", {"amount": 1})
                with self.lock:
                    self.spent += 1

    @property
    def count(self) -> int:
        return len(self.transactions) + sum(self.values.values()) + self.spent

    def lost(self, device: Device) -> list[str]:
        """What was acknowledged and is not there."""
        client = device.client()
        page = client.send("GET", "/v1/transactions?limit=10000")
        if page["next"] is not None:
            raise Broken("there are more transactions than one page holds")
        known = {each["transactionId"] for each in page["transactions"]}
        lost = sorted(self.transactions - known)
        for name, number in sorted(self.values.items()):
            found = 0
            with contextlib.suppress(Broken):
                found = int(client.send("GET", f"/v1/values/{name}")["value"])
            if found < number:
                lost.append(f"{name}: {found} instead of {number}")
        credit = next((each for each in client.send("GET", "/v1/credits")["credits"] if each["id"] == "owls"), None)
        spent = 5 * len(known) - (credit["balance"] if credit else 0)
        if spent < self.spent:
            lost.append(f"{self.spent - spent} spends")
        if spent > self.asked:
            raise Broken(f"{spent} credits are spent, and {self.asked} spends were asked for")
        return lost


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Impossible(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")


def weakened(peerd: str, directory: pathlib.Path) -> str:
    """A copy of the program whose database does not sync each commit: one word of one statement in it is another."""
    sound, weak = b"PRAGMA synchronous = FULL", b"PRAGMA synchronous = 1   "
    program = pathlib.Path(peerd).read_bytes()
    if program.count(sound) != 1:
        sys.exit(f"powercut: {peerd} does not have this just once: {sound.decode()}")
    copy = directory / "peerd-weakened"
    copy.write_bytes(program.replace(sound, weak))
    copy.chmod(0o755)
    return str(copy)


def cut(device: Device, disk: Disk, ledger: Ledger, random_: random.Random) -> None:
    """Lets clients write, and cuts the power in the midst of it."""
    clients = [threading.Thread(target=ledger.load, args=(device.data, f"client-{number}")) for number in range(CLIENTS)]
    before = ledger.count
    for client in clients:
        client.start()
    target, end = before + random_.randint(1, 200), time.monotonic() + 30
    while ledger.count < target:
        if time.monotonic() > end:
            raise Broken(f"the device acknowledges nothing: {device.log.read_text()[-2000:]}")
        time.sleep(random_.random() * 0.02)
    # It acknowledges nothing more from here on; what it did is with the clients before they see it end.
    device.freeze()
    disk.cut()
    device.kill()
    for client in clients:
        client.join()
    disk.unmount()
    disk.mount()


def life(peerd: str, cuts: int, random_: random.Random) -> tuple[int, int]:
    """Cuts the power under one device so many times, or until it has lost something. Returns the cuts, and how many were lost."""
    with tempfile.TemporaryDirectory(prefix="peersync-powercut-") as name, contextlib.ExitStack() as undo:
        directory = pathlib.Path(name)
        disk = Disk(directory)
        undo.callback(disk.unmount)
        device = Device(peerd, disk.path / "device", directory / "phone.log", "Phone")
        undo.callback(device.kill)
        peer = Device(peerd, directory / "peer", directory / "tablet.log", "Tablet")
        undo.callback(peer.kill)
        # The system would write to the disk in a while what has been made on it. A device that people use is older.
        os.sync()
        device.start("--listen", "127.0.0.1:0")
        peer.start("--listen", "127.0.0.1:0")
        url = device.client().send("POST", "/v1/invitations")["url"]
        peer.client().send("POST", "/v1/membership", {"url": url})
        replica = device.status()["device"]["replica"]
        ledger = Ledger()
        for number in range(1, cuts + 1):
            device.wait("its peer", lambda status: any(each["connected"] for each in status["peers"]))
            cut(device, disk, ledger, random_)
            # What is looked at is what the disk brought back, not what the peer does; and a peer that starts has no back-off.
            peer.stop()
            device.start("--listen", device.listen)
            lost = ledger.lost(device)
            peer.start("--listen", peer.listen)
            if lost:
                print(f"powercut: lost {len(lost)} of {ledger.count}: {', '.join(lost[:5])}", flush=True)
                return number, len(lost)
            expect_same(device, peer, replica)
        print(f"powercut: {cuts} cuts, {ledger.count} acknowledged writes, nothing lost", flush=True)
        return cuts, 0


def expect_same(device: Device, peer: Device, replica: str) -> None:
    """The device goes on as who it was, and holds what its peer holds. Nobody saw two writes of one number."""
    device.wait("its peer to be in sync", lambda status: all(each["inSync"] for each in status["peers"]))
    status = device.wait("one digest", lambda status: status["digest"] == peer.status()["digest"])
    if status["device"]["replica"] != replica or status["warnings"] or peer.status()["warnings"]:
        raise Forgotten(f"the device is not what it was: {json.dumps(status)}; its peer: {json.dumps(peer.status())}")
    for each in (device, peer):
        if "equivocated" in (log := each.log.read_text()):
            raise Forgotten(f"a number was used twice: {log[-4000:]}")


def campaign(peerd: str, cuts: int, random_: random.Random) -> tuple[int, int]:
    """The cuts that were made, up to so many or to the first loss, and how much was lost."""
    done = 0
    while done < cuts:
        made, lost = life(peerd, min(CUTS_OF_A_DEVICE, cuts - done), random_)
        done += made
        if lost:
            return done, lost
    return done, 0


def hide() -> None:
    """From here on nobody else sees what this process mounts, and it is gone with it. A copy of the mount, as whoever makes a
    namespace has, would keep the file system as it is."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS) != 0:
        raise Impossible(f"unshare: {os.strerror(ctypes.get_errno())}")
    run("mount", "--make-rprivate", "/")


def probe() -> None:
    """Raises what is missing here for a disk that can be cut off."""
    if os.geteuid() != 0:
        raise Impossible("it takes root")
    for program in ("mkfs.ext4", "mount"):
        if shutil.which(program) is None:
            raise Impossible(f"there is no {program}")
    hide()
    with tempfile.TemporaryDirectory(prefix="peersync-powercut-") as name:
        disk = Disk(pathlib.Path(name))
        try:
            disk.cut()
        except OSError as error:
            raise Impossible(f"EXT4_IOC_SHUTDOWN: {error}") from error
        finally:
            disk.unmount()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=100, help="how often (default: 100)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), help="of when they come (default: a fresh one)")
    parser.add_argument("--probe", action="store_true", help="only see whether it can be done here")
    parser.add_argument("peerd", nargs="?", default=".build/release/peerd", help="the program (default: %(default)s)")
    options = parser.parse_args()
    try:
        probe()
    except Impossible as error:
        print(f"power cuts: skipped: {error}")
        sys.exit(77)
    if options.probe:
        return
    print(f"powercut: --seed {options.seed}")
    random_ = random.Random(options.seed)
    try:
        cuts, lost = campaign(options.peerd, options.cuts, random_)
        if lost:
            sys.exit(f"powercut: after {cuts} cuts {lost} acknowledged writes were lost")
        with tempfile.TemporaryDirectory(prefix="peersync-powercut-") as name:
            weak = weakened(options.peerd, pathlib.Path(name))
            weak_cuts = max(options.cuts // 5, 5)
            try:
                weak_cuts, weak_lost = campaign(weak, weak_cuts, random_)
            except Forgotten as error:
                print(f"powercut: {error}")
                weak_lost = 1
    except (Broken, Impossible) as error:
        sys.exit(f"powercut: {error}")
    if not weak_lost:
        sys.exit(f"powercut: nothing was lost in {weak_cuts} cuts without syncing either: these cuts show nothing")
    print(f"powercut: {cuts} cuts, nothing lost; without syncing each commit {weak_lost} lost in {weak_cuts} cuts")


if __name__ == "__main__":
    main()
