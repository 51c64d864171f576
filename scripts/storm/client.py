#!/usr/bin/env python3
"""A client of one device in a storm: scripts/storm/client.py DATA NAME SEED HISTORY

It buys, spends, takes back, decides and reads, at random, while its device is cut off, killed and set to wrong clocks, and writes
down what it asked for and what became of that, one JSON object a line (see checker.py). `rest` on its standard input ends this,
`read` has it read once more, and the end of its input ends it. It answers each with a line, to `read` with what the device holds.
"""

import http.client
import json
import pathlib
import random
import sys
import threading
import time
import urllib.parse
import uuid
from datetime import datetime, timedelta, timezone

NAMES = ["Phone", "Tablet", "Mac", "Watch", "Television"]
# A decision is a number that its device counts up. Of dates it is the days since then.
EPOCH = datetime(2030, 1, 1, tzinfo=timezone.utc)


class Refused(Exception):
    """The device answered that it does not do this: nothing has happened."""


class Client:
    def __init__(self, data: str, name: str, seed: int, history: str):
        self.data, self.name, self.random = pathlib.Path(data), name, random.Random(seed)
        self.history = open(history, "a", encoding="utf-8")
        self.connection: http.client.HTTPConnection | None = None
        self.headers: dict[str, str] = {}
        self.numbers: dict[str, int] = {}
        self.bought: list[str] = []
        self.open_spends: list[tuple[str, int]] = []
        # What the device held when it was last read.
        self.digest = ""

    def send(self, method: str, path: str, body=None):
        """What the device answers. Raises Refused, or what says that nobody knows what has become of it."""
        if self.connection is None:
            api = json.loads((self.data / "api.json").read_text())
            url = urllib.parse.urlsplit(api["url"])
            self.connection = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
            self.headers = {"Authorization": f"Bearer {api['token']}", "Content-Type": "application/json"}
        try:
            self.connection.request(method, path, None if body is None else json.dumps(body), self.headers)
            answer = self.connection.getresponse()
            content = answer.read()
        except BaseException:
            self.connection.close()
            self.connection = None
            raise
        if answer.status >= 500:
            raise ValueError(f"{answer.status}")
        if answer.status // 100 != 2:
            raise Refused(content.decode(errors="replace"))
        return json.loads(content)

    def note(self, asked: dict, work) -> bool:
        """Does something and writes down what became of it. False when nobody answers."""
        entry = {"device": self.name, **asked, "start": time.monotonic()}
        try:
            entry |= {**(work() or {}), "outcome": "ok"}
        except Refused as refused:
            entry |= {"outcome": "refused", "why": str(refused)}
        except (OSError, ValueError, http.client.HTTPException) as error:
            entry |= {"outcome": "unknown", "why": repr(error)}
        entry["end"] = time.monotonic()
        self.history.write(json.dumps(entry) + "\n")
        self.history.flush()
        return entry["outcome"] != "unknown"

    # What it does

    def buy(self) -> bool:
        def work():
            bought = self.send("POST", "/v1/purchases", {"productId": "RandomOwls"})["transaction"]["transactionId"]
            self.bought.append(bought)
            return {"transaction": bought}
        return self.note({"op": "buy", "credits": 5}, work)

    def refund(self) -> bool:
        if not self.bought:
            return True
        transaction = self.bought.pop(self.random.randrange(len(self.bought)))
        return self.note({"op": "refund", "transaction": transaction},
                         lambda: self.send("POST", "/v1/refunds", {"transactionId": transaction}) and None)

    def spend(self) -> bool:
        # What nobody answered is asked for again under the same name: it may count once.
        name, amount = self.open_spends.pop() if self.open_spends else (str(uuid.UUID(int=self.random.getrandbits(128))),
                                                                        self.random.randint(1, 4))
        known = self.note({"op": "spend", "id": name, "amount": amount},
                          lambda: self.send("POST", "/v1/credits/owls/spends", {"id": name, "amount": amount}) and None)
        if not known:
            self.open_spends.append((name, amount))
        return known

    def decide(self) -> bool:
        kind = self.random.choice(["value", "grant", "date"])
        number = self.numbers[kind] = self.numbers.get(kind, 0) + 1
        time_ = (EPOCH + timedelta(days=number)).strftime("%Y-%m-%dT00:00:00.000Z")
        path, body = {
            "value": (f"/v1/values/{self.name}", {"value": str(number)}),
            "grant": (f"/v1/grants/grant-{self.name}", {"until": time_}),
            "date": (f"/v1/lines/line-{self.name}/expiration", {"expires": time_}),
        }[kind]
        return self.note({"op": "write", "register": f"{kind}/{self.name}", "number": number},
                         lambda: self.send("PUT", path, body) and None)

    def read(self, is_last: bool = False) -> bool:
        def work():
            for _ in range(3):
                seen = look()
                # What the device holds was the same before and after: all this is of one moment.
                if seen["whole"]:
                    break
            return seen

        def look():
            status = self.send("GET", "/v1/status")
            registers = {}
            for kind, key, entries in (("grant", "grant-", status["entitlements"]), ("date", "line-", status["lines"])):
                for entry in entries:
                    if entry["id"].startswith(key) and entry.get("expires"):
                        registers[f"{kind}/{entry['id'].removeprefix(key)}"] = days(entry["expires"])
            for name in NAMES:
                try:
                    registers[f"value/{name}"] = int(self.send("GET", f"/v1/values/{name}")["value"])
                except Refused:
                    pass
            page = self.send("GET", "/v1/transactions?limit=10000")
            if page["next"] is not None:
                raise ValueError("there are more transactions than one page holds")
            known = page["transactions"]
            owls = [each for each in known if each["productId"] == "RandomOwls"]
            credit = next((each for each in status["credits"] if each["id"] == "owls"), {"balance": 0, "debt": 0, "holders": []})
            self.digest = status["digest"]
            return {"digest": self.digest, "whole": self.send("GET", "/v1/status")["digest"] == self.digest,
                    "registers": registers, "balance": credit["balance"], "debt": credit["debt"],
                    "rights": sum(each["rights"] for each in credit["holders"]),
                    "transactions": [each["transactionId"] for each in owls],
                    "revoked": [each["transactionId"] for each in owls if each.get("revocationDate")]}
        return self.note({"op": "read", "last": is_last}, work)

    def work(self, rest: threading.Event) -> None:
        actions = [self.buy] * 3 + [self.spend] * 5 + [self.decide] * 4 + [self.read] * 2 + [self.refund]
        while not rest.wait(self.random.random() * 0.2):
            if not self.random.choice(actions)():
                # It is being started again.
                rest.wait(0.1)


def days(text: str) -> int:
    return (datetime.fromisoformat(text.replace("Z", "+00:00")) - EPOCH).days


def main() -> None:
    data, name, seed, history = sys.argv[1:]
    client, rest = Client(data, name, int(seed), history), threading.Event()
    worker = threading.Thread(target=client.work, args=(rest,), daemon=True)
    worker.start()
    for line in sys.stdin:
        rest.set()
        worker.join()
        if line.strip() == "read":
            # The first try may meet a connection that has rested for too long.
            is_read = any(client.read(is_last=True) for _ in range(3))
            print(f"read {client.digest}" if is_read else "unread", flush=True)
        else:
            print("resting", flush=True)


if __name__ == "__main__":
    main()
