#!/usr/bin/env python3
"""What a stranger on the network can record, and whether that tells who was there before.

  scripts/capture.py record FILE INTERFACE       writes down all packets of a network interface, one a line, until its standard input ends
  scripts/capture.py probed FILE                 lists the texts with which names were probed for (RFC 6762, section 8.1), each once
  scripts/capture.py link DAY DAY OTHERS...      looks for what two recordings have in common and others have not

`link` knows no secret and nothing of the protocol: whatever bytes stand in packets of both days, and in none of devices that have nothing
to do with them, link the two days. Headers of links, IP, UDP and TCP are left out: they are the system's. Over TCP, what those others send
in part does not count either: one random byte beside seven that all devices send is soon there twice. Exit status 1: there are some.
"""

import socket
import sys
import threading

import dns.exception
import dns.message
import dns.rdatatype

# So many bytes are equal by chance in one of a million pairs of recordings of 20 KB. Records of TLS begin with five that say no more
# than what kind they are and how long. Of what stands beside bytes that all devices send, so many of these in a row are known.
SECRET, ENCRYPTED, KNOWN = 6, 8, 4
MDNS = 5353


def transport(frame: bytes) -> tuple[int, bytes]:
    """The number of the protocol over IP, and what it carries; nothing for other packets."""
    kind, packet = frame[12:14], frame[14:]
    if kind == b"\x08\x00" and len(packet) >= 20:
        return packet[9], packet[(packet[0] & 15) * 4:int.from_bytes(packet[2:4], "big")]
    if kind == b"\x86\xdd" and len(packet) >= 40:
        return packet[6], packet[40:40 + int.from_bytes(packet[4:6], "big")]
    return 0, b""


def announced(data: bytes) -> set[bytes]:
    """What a message of multicast DNS tells: names, and strings of records. How it is laid out follows from what else was asked in the same
    moment, and tells nothing."""
    try:
        message = dns.message.from_wire(data, ignore_trailing=True, one_rr_per_rrset=True)
    except dns.exception.DNSException:
        return {data}
    texts = set()
    for section in message.sections:
        for group in section:
            texts.update(group.name.labels)
            for record in group:
                texts.update(getattr(record, "strings", ()))
                target = getattr(record, "target", None)
                texts.update(target.labels if target else ())
    return texts


def told(frame: bytes) -> tuple[set[bytes], int]:
    """What a program has put into a packet over UDP or TCP, and how many bytes in a row have to be equal to mean something."""
    protocol, data = transport(frame)
    if protocol == socket.IPPROTO_UDP:
        return (announced(data[8:]) if MDNS in (int.from_bytes(data[0:2], "big"), int.from_bytes(data[2:4], "big")) else {data[8:]}), SECRET
    if protocol == socket.IPPROTO_TCP and len(data) >= 20:
        return {data[(data[12] >> 4) * 4:]}, ENCRYPTED
    return set(), SECRET


def runs(data: bytes, length: int) -> set[bytes]:
    """Whatever stands so many bytes in a row."""
    return {data[start:start + length] for start in range(len(data) - length + 1)}


def pieces(path: str) -> set[bytes]:
    """All runs of bytes of what was recorded."""
    found = set()
    with open(path, encoding="ascii") as file:
        for line in file:
            texts, length = told(bytes.fromhex(line))
            for text in texts:
                found |= runs(text, length)
    return found


def record(path: str, interface: str) -> None:
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    packets.bind((interface, 0))
    packets.settimeout(0.1)
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    with open(path, "w", encoding="ascii") as file:
        print("recording", flush=True)
        while not ended.is_set():
            try:
                file.write(packets.recv(65_536).hex() + "\n")
            except TimeoutError:
                pass


def probed(path: str) -> None:
    texts = set()
    with open(path, encoding="ascii") as file:
        for line in file:
            protocol, data = transport(bytes.fromhex(line))
            if protocol != socket.IPPROTO_UDP or int.from_bytes(data[2:4], "big") != MDNS:
                continue
            message = dns.message.from_wire(data[8:], ignore_trailing=True, one_rr_per_rrset=True)
            texts.update(
                f"{group.name} {record}" for group in message.authority for record in group if record.rdtype == dns.rdatatype.TXT)
    for text in sorted(texts):
        print(text)


def link(one: str, other: str, others: list[str]) -> None:
    first, second = pieces(one), pieces(other)
    common = first & second
    for path in others:
        sent = pieces(path)
        known = set().union(*(runs(piece, KNOWN) for piece in sent if len(piece) == ENCRYPTED))
        common = {piece for piece in common - sent if len(piece) < ENCRYPTED or not runs(piece, KNOWN) & known}
    for piece in sorted(common)[:50]:
        print(f"on both days, and with nobody else: {piece.hex()} {piece!r}")
    print(f"{len(first)} and {len(second)} pieces, {len(common)} of them link the two days")
    sys.exit(1 if common or not first or not second else 0)


if __name__ == "__main__":
    if sys.argv[1] == "record":
        record(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == "probed":
        probed(sys.argv[2])
    else:
        link(sys.argv[2], sys.argv[3], sys.argv[4:])
