#!/usr/bin/env python3
"""Says by multicast DNS whatever it is told to, as a stranger on the network might.

mdns.py INTERFACE reads lines of JSON and answers each with "said":
  {"name": "a", "address": "10.7.0.9", "port": 7400, "text": ["<hex>"], "ttl": 120, "count": 1}
A ttl of 0 takes it back. With a count there are so many, "a0" and up, at as many ports from that on.
"""
import json
import socket
import struct
import sys

TYPE = "_peersync._tcp.local"
GROUP = ("224.0.0.251", 5353)
# Of a packet: what an Ethernet takes without fragments.
LONGEST = 1400


def label(part):
    part = part.encode("utf-8", "surrogateescape")
    return bytes([len(part)]) + part


def domain(name):
    return b"".join(label(part) for part in name.split(".")) + b"\0"


def record(name, kind, ttl, data, flush=True):
    return name + struct.pack(">HHIH", kind, 0x8001 if flush else 1, ttl, len(data)) + data


def records(name, address, port, text, ttl):
    """PTR, SRV, TXT and A or AAAA of one instance."""
    instance, host = label(name) + domain(TYPE), label("host-" + name) + domain("local")
    strings = b"".join(bytes([len(string)]) + string for string in text) or b"\0"
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return (
        record(domain(TYPE), 12, ttl, instance, flush=False)
        + record(instance, 33, ttl, struct.pack(">HHH", 0, 0, port) + host)
        + record(instance, 16, ttl, strings)
        + record(host, 28 if ":" in address else 1, ttl, socket.inet_pton(family, address)))


class Speaker:
    def __init__(self, interface):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            self.socket.setsockopt(socket.SOL_SOCKET, option, 1)
        # Only what comes from this port, and has crossed no router, counts.
        self.socket.bind(("", GROUP[1]))
        index = socket.if_nametoindex(interface)
        self.socket.setsockopt(
            socket.IPPROTO_IP, socket.IP_MULTICAST_IF, struct.pack("4s4si", b"\0" * 4, b"\0" * 4, index))
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)

    def say(self, *answers):
        """Says all of these, each of which is the four records of an instance."""
        packet, count = b"", 0
        for answer in answers:
            if packet and len(packet) + len(answer) > LONGEST:
                self.send(packet, count)
                packet, count = b"", 0
            packet, count = packet + answer, count + 4
        if packet:
            self.send(packet, count)

    def send(self, packet, count):
        self.socket.sendto(struct.pack(">HHHHHH", 0, 0x8400, 0, count, 0, 0) + packet, GROUP)


def main():
    speaker = Speaker(sys.argv[1])
    print("speaking", flush=True)
    for line in sys.stdin:
        told = json.loads(line)
        count = told.get("count")
        names = [told["name"]] if count is None else [f"{told['name']}{index}" for index in range(count)]
        text = [bytes.fromhex(string) for string in told.get("text", [])]
        speaker.say(*(
            records(name, told["address"], told["port"] + index, text, told.get("ttl", 120))
            for index, name in enumerate(names)))
        print("said", flush=True)


if __name__ == "__main__":
    main()
