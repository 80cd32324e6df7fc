"""Four edges divide the eight workers of a site, each with 0.3 of the load of the one before: how much is answered?

    cargo build --release && python3 tests/soak/shares.py [path/to/calendar-edge] [--load 1.2] [--seconds 40] [--skew 0.3]

The site answers 40 calls a second: it works on eight at once, for 0.1 to 0.3 s, and lets the others wait. `--load` is the
part of that which clients ask, at random times and without regard to answers. The same is asked of one edge, of edges
without a store, and of edges with one. Prints figures; exits with 1 when edges with a store send more than one call each
beyond the workers, or answer less than 93 % of what one edge does.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path

from processes import DEFAULT_BINARY, Edge, settings
from stores import Store, fleet, installed

WORKERS = 8
CALLS_A_SECOND = 40
WARM = 10
LIMITS = f"max_in_flight = {WORKERS}\n"


class Site:
    """Counts the calls that it has, and works on eight of them."""

    def __init__(self):
        self.free, self.running, self.most = asyncio.Semaphore(WORKERS), 0, 0

    async def serve(self, reader, writer):
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self.answer(head, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer(self, head, writer):
        if b"/events?" in head:
            self.running += 1
            self.most = max(self.most, self.running)
            async with self.free:
                await asyncio.sleep(random.uniform(0.1, 0.3))
            self.running -= 1
        body = b'{"events":[],"total":0,"total_pages":0}'
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()


class Load:
    """Calls at random times, and what became of those that began after the start."""

    def __init__(self, edges, load, skew):
        weights = [skew**number for number in range(len(edges))]
        self.rates = [(edge, CALLS_A_SECOND * load * weight / sum(weights)) for edge, weight in zip(edges, weights)]
        self.counts, self.answered, self.times, self.calls = False, 0, [], set()

    async def run(self, seconds):
        clients = [asyncio.create_task(self.client(edge.port, rate, number)) for number, (edge, rate) in enumerate(self.rates)]
        await asyncio.sleep(WARM)
        self.counts = True
        await asyncio.sleep(seconds)
        self.counts = False
        for task in [*clients, *self.calls]:
            task.cancel()

    async def client(self, port, rate, number):
        chance = random.Random(number)
        at, count = time.monotonic(), 0
        while True:
            at, count = at + chance.expovariate(rate), count + 1
            await asyncio.sleep(max(0, at - time.monotonic()))
            task = asyncio.create_task(self.call(port, f"e{number}n{count}"))
            self.calls.add(task)
            task.add_done_callback(self.calls.discard)

    async def call(self, port, name):
        began = time.monotonic()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            target = f"/wp-json/calendar/events/v1/events?search={name}"
            writer.write(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            answer = await reader.read()
        finally:
            writer.close()
        if self.counts and answer.startswith(b"HTTP/1.1 200"):
            self.answered += 1
            self.times.append(time.monotonic() - began)


async def measure(chosen, name, count, more=""):
    """The calls that so many edges answered a second, and the most that were at the site at once."""
    site = Site()
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    text = settings(port).replace("[timeouts]", LIMITS + "[timeouts]") + more
    edges = [await asyncio.to_thread(Edge, chosen.binary, text) for _ in range(count)]
    try:
        load = Load(edges, chosen.load, chosen.skew if count > 1 else 1)
        await load.run(chosen.seconds)
    finally:
        await asyncio.gather(*(asyncio.to_thread(edge.end) for edge in edges))
        server.close()
    rate, tail = load.answered / chosen.seconds, sorted(load.times)[len(load.times) * 99 // 100]
    print(f"{name:<28} {rate:5.1f} answers a second, 99 % within {tail:.2f} s, at most {site.most} at the site", flush=True)
    return rate, site.most


async def compare(chosen, store, scratch):
    one, _ = await measure(chosen, "one edge", 1)
    await measure(chosen, f"{chosen.edges} edges, each has all", chosen.edges)
    shared = fleet(store.url, scratch)
    together, most = await measure(chosen, f"{chosen.edges} edges with a store", chosen.edges, shared)
    return together >= 0.93 * one and most <= WORKERS + chosen.edges


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default=DEFAULT_BINARY)
    parser.add_argument("--edges", type=int, default=4)
    parser.add_argument("--load", type=float, default=1.2)
    parser.add_argument("--skew", type=float, default=0.3)
    parser.add_argument("--seconds", type=int, default=40)
    chosen = parser.parse_args()
    server = installed()
    if not server:
        print("SKIPPED: neither Valkey nor Redis is installed")
        return
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(server, Path(scratch))
        try:
            good = asyncio.run(compare(chosen, store, Path(scratch)))
        finally:
            store.end()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
