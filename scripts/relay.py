#!/usr/bin/env python3
"""A slow way from one device to another, for tests: scripts/relay.py HOST:PORT HOST:PORT MILLISECONDS

Whoever connects to the first address is connected with the second one, and every byte arrives so much later. It says `relaying` once it
listens, and ends with its standard input.
"""

import asyncio
import sys


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    """Passes the bytes of one direction on until they end."""
    waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(64)
    now = asyncio.get_running_loop().time

    async def take() -> None:
        data = b"."
        while data:
            try:
                data = await reader.read(16_384)
            except OSError:
                data = b""
            await waiting.put((now() + delay, data))

    taking = asyncio.create_task(take())
    try:
        while True:
            due, data = await waiting.get()
            await asyncio.sleep(max(0.0, due - now()))
            if not data:
                return
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        taking.cancel()
        writer.close()


async def main(listen: str, target: str, milliseconds: str) -> None:
    async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = await asyncio.open_connection(*split(target))
        except OSError:
            return writer.close()
        delay = int(milliseconds) / 1000
        await asyncio.gather(pass_on(reader, there[1], delay), pass_on(there[0], writer, delay))

    async with await asyncio.start_server(accepted, *split(listen)):
        print("relaying", flush=True)
        await asyncio.to_thread(sys.stdin.read)


def split(address: str) -> tuple[str, int]:
    host, port = address.rsplit(":", 1)
    return host, int(port)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
