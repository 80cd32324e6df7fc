"""Edges are replaced one by one under load, as a Deployment does: does a client notice?

    cargo build --release && python3 tests/soak/rolling.py [path/to/calendar-edge] [--edges 2] [--rounds 3]

In each round every edge is replaced: a new one starts, and is used when `/readyz` says so; the balancer stops sending to an
old one; a second later the old one gets SIGTERM, while the slowest of its requests still runs. Clients keep their
connections, go to any edge that the balancer lists, and never send a request twice. The edges are a fleet where Valkey or
Redis is installed.

Exits with 1 when a request has another answer than 200 or 201, or none, or an edge does not end with 0 within 15 s.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

from drain import with_places
from processes import DEFAULT_BINARY, Edge, raise_descriptor_limit, settings, start_origin
from stores import Store, fleet, installed
from traffic import Client, Tally, keep_asking

# Seconds between the end of a listing and SIGTERM, and seconds for which an edge may end.
NOTICE = 1
LONGEST_END = 15
# Milliseconds the origin takes, by client; the last is still running at SIGTERM.
WAITS = (0, 50, 300, 2500)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default=DEFAULT_BINARY)
    parser.add_argument("--edges", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clients", type=int, default=24)
    chosen = parser.parse_args()
    if not (1 <= chosen.edges <= 6 and 1 <= chosen.rounds <= 10 and 1 <= chosen.clients <= 200):
        parser.error("at most 6 edges, 10 rounds and 200 clients")
    return chosen


class BalancedClient(Client):
    """A client that a balancer leads to any listed edge; it leaves a kept connection to an edge that is listed no more."""

    def __init__(self, listed, tally):
        super().__init__(None, tally)
        self.listed = listed

    async def exchange(self, request):
        if self.port not in self.listed:
            self.close()
        if self.streams is None:
            self.port = random.choice(self.listed)
        return await super().exchange(request)


def is_ready(edge):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{edge.admin_port}/readyz", timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


async def start_ready(chosen, text):
    edge = await asyncio.to_thread(Edge, chosen.binary, text)
    until = time.monotonic() + LONGEST_END
    while not await asyncio.to_thread(is_ready, edge):
        if time.monotonic() > until:
            edge.end()
            sys.exit("a new edge does not become ready")
        await asyncio.sleep(0.1)
    return edge


async def replace(chosen, text, edges, listed):
    """Starts an edge for the oldest one, which then ends; returns its exit code and how long the end took."""
    new, old = await start_ready(chosen, text), edges.pop(0)
    edges.append(new)
    listed.append(new.port)
    listed.remove(old.port)
    await asyncio.sleep(NOTICE)
    signalled = time.monotonic()
    code = await asyncio.to_thread(old.end, 2 * LONGEST_END)
    return code, time.monotonic() - signalled


async def roll(chosen, text, edges):
    """Load from before the first replacement until after the last one; returns the tally, exit codes and times."""
    edges += [await start_ready(chosen, text) for _ in range(chosen.edges)]
    tally, stop, listed = Tally(), asyncio.Event(), [edge.port for edge in edges]
    wait_of = lambda client: WAITS[3] if client % 8 == 7 else WAITS[client % 3]
    tasks = [
        asyncio.create_task(keep_asking(BalancedClient(listed, tally), 0.01, stop, f"-wait-{wait_of(client)}"))
        for client in range(chosen.clients)
    ]
    await asyncio.sleep(1)
    ends = [await replace(chosen, text, edges, listed) for _ in range(chosen.rounds * chosen.edges)]
    await asyncio.sleep(1)
    stop.set()
    await asyncio.gather(*tasks)
    return tally, ends


def report(tally, ends):
    codes, longest = Counter(code for code, _ in ends), max(seconds for _, seconds in ends)
    print(f"{len(tally.exchanges)} requests: {tally.outcomes()}; slowest {max(e.seconds for e in tally.exchanges):.2f} s")
    print(f"{len(ends)} edges replaced: exit codes {dict(codes)}, the longest end took {longest:.2f} s")
    verdicts = {
        "every request is answered with 200 or 201": all(exchange.good for exchange in tally.exchanges),
        "every edge ends with 0 in time": set(codes) == {0} and longest <= LONGEST_END,
    }
    for claim, holds in verdicts.items():
        print(f"{'ok  ' if holds else 'FAIL'} {claim}")
    return all(verdicts.values())


def main():
    chosen = arguments()
    raise_descriptor_limit(2 * chosen.clients + 500)
    origin, origin_port = start_origin()
    edges, store = [], None
    with tempfile.TemporaryDirectory() as scratch:
        try:
            text = with_places(settings(origin_port), 2 * chosen.clients)
            if server := installed():
                store = Store(server, Path(scratch))
                text += fleet(store.url, Path(scratch))
            print(f"fleet: {server or 'none, because neither Valkey nor Redis is installed'}")
            good = report(*asyncio.run(roll(chosen, text, edges)))
        finally:
            for process in [*edges, store, origin]:
                if process:
                    process.end()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
