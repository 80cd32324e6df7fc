"""Descriptor exhaustion: does the edge go on answering when it may open no more files, without spinning, and recover?

    cargo build --release && python3 tests/soak/descriptors.py [path/to/calendar-edge] [--limit 256] [--quiet 5]

Two exhaustions, one after the other:

* crowd: the edge runs under a low hard limit, and twice as many clients connect as it could ever hold. It keeps some
  descriptors back, takes the clients it has room for and leaves the others in the kernel's queue.
* squeeze: the limit of the running edge is lowered to what it has open, so that every accept fails, on the listener for
  operators too. Only connections that are open already can be answered.

In each, every held connection must be answered; in the crowd the admin listener takes new connections as well. Nothing
happens for some quiet seconds, of which the edge may use a tenth of processor time. Afterwards waiting clients are
answered, then all leave: new connections are answered at once and descriptors are back.

Exits with 1 when any of this does not hold.
"""

import argparse
import asyncio
import http.client
import resource
import sys
import time

from processes import DEFAULT_BINARY, Edge, raise_descriptor_limit, settings, start_origin
from traffic import Client, Tally, read_of

BUSIEST = 0.1
# Connections toward the origin stay open for a while and are no leak.
DESCRIPTORS_LEFT = 40
PATIENCE = 15
AT_ONCE = 16
# The longest pause after failed accepts is a second.
RECOVERY = 2
LOG_LINES = 100


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default=DEFAULT_BINARY)
    parser.add_argument("--limit", type=int, default=256, help="hard limit of open files")
    parser.add_argument("--quiet", type=int, default=5, help="seconds in which nothing happens")
    chosen = parser.parse_args()
    if not (64 <= chosen.limit <= 10_000 and 1 <= chosen.quiet <= 60):
        parser.error("a limit of 64 to 10000, 1 to 60 quiet seconds")
    return chosen


class Crowd:
    """Clients that ask once when they come, and again when told to, one by one: the site's places are no matter here."""

    def __init__(self, port):
        self.port = port
        self.tally = Tally()
        self.held = []
        self.waiting = {}

    async def come(self, count):
        """Those that are not answered soon wait in the kernel's queue."""
        for _ in range(count):
            client = Client(self.port, self.tally)
            self.waiting[client] = asyncio.create_task(client.ask(read_of))
            await asyncio.sleep(0.002)
        await asyncio.sleep(1)
        self.sort()

    def sort(self):
        for client, task in list(self.waiting.items()):
            if task.done():
                self.held.append(client)
                del self.waiting[client]

    async def all_held_ask_again(self):
        """Whether each is answered, on the connection it has."""
        outcomes = [(await client.ask(read_of), client.first) for client in self.held]
        return bool(outcomes) and all(outcome == ("200", False) for outcome in outcomes)

    async def leave(self, some=None):
        """The first ones of those that are held, or all of them."""
        for client in self.held[:some]:
            client.close()
        del self.held[:some]
        await asyncio.sleep(0.1)

    async def all_waiting_are_answered(self):
        """A few leave at a time, so that those who come in find places at the site."""
        until = time.monotonic() + PATIENCE
        while self.waiting and time.monotonic() < until:
            self.sort()
            await self.leave(AT_ONCE)
        return not self.waiting and self.tally.success() == 1


def operators_are_answered(edge, connection=None):
    connection = connection or http.client.HTTPConnection("127.0.0.1", edge.admin_port, timeout=2)
    try:
        statuses = []
        for path in ("/livez", "/readyz", "/metrics"):
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            statuses.append(answer.status)
        return statuses == [200, 200, 200]
    except OSError:
        return False


async def share_of_processor(edge, seconds):
    before = edge.cpu_seconds()
    await asyncio.sleep(seconds)
    return (edge.cpu_seconds() - before) / seconds


async def time_until_new_ones_are_answered(port):
    began = time.monotonic()
    tally = Tally()
    while time.monotonic() < began + PATIENCE:
        client = Client(port, tally)
        outcome = await client.ask(read_of)
        client.close()
        if outcome == "200":
            break
    return time.monotonic() - began


async def descriptors_are_back(edge, before):
    until = time.monotonic() + PATIENCE
    while edge.descriptors() > before + DESCRIPTORS_LEFT and time.monotonic() < until:
        await asyncio.sleep(0.1)
    return edge.descriptors() <= before + DESCRIPTORS_LEFT


async def crowded(chosen, edge):
    before, crowd = edge.descriptors(), Crowd(edge.port)
    await crowd.come(2 * chosen.limit)
    print(f"crowd: {len(crowd.held)} held, {len(crowd.waiting)} wait, {edge.descriptors()} of {chosen.limit} descriptors")
    filled = len(crowd.held) >= chosen.limit // 4 and len(crowd.waiting) >= chosen.limit
    busy = await share_of_processor(edge, chosen.quiet)
    print(f"crowd: {busy:.1%} of a processor in {chosen.quiet} quiet seconds")
    verdicts = {
        "the edge is full": filled,
        "held connections are answered": await crowd.all_held_ask_again(),
        "operators are answered": await asyncio.to_thread(operators_are_answered, edge),
        "the edge does not spin": busy <= BUSIEST,
        "those that wait are answered once there is room": await crowd.all_waiting_are_answered(),
    }
    print(f"crowd: {crowd.tally.outcomes()}")
    await crowd.leave()
    return verdicts | await recovered(edge, before)


async def squeezed(chosen, edge):
    before, crowd = edge.descriptors(), Crowd(edge.port)
    await crowd.come(20)
    operators = http.client.HTTPConnection("127.0.0.1", edge.admin_port, timeout=2)
    await asyncio.to_thread(operators_are_answered, edge, operators)
    log_before = len(edge.log.read_text().splitlines())
    # A few numbers are free below the highest one that is in use.
    resource.prlimit(edge.pid, resource.RLIMIT_NOFILE, (edge.descriptors(), chosen.limit))
    held = len(crowd.held)
    await crowd.come(40)
    late = len(crowd.held) - held
    print(f"squeeze: {held} held, {late} more came in, {len(crowd.waiting)} wait")
    busy = await share_of_processor(edge, chosen.quiet)
    lines = len(edge.log.read_text().splitlines()) - log_before
    print(f"squeeze: {busy:.1%} of a processor in {chosen.quiet} quiet seconds, {lines} lines in the log")
    verdicts = {
        "accepts fail": len(crowd.waiting) >= 20,
        "held connections are answered": await crowd.all_held_ask_again(),
        "operators are answered on their open connection": await asyncio.to_thread(operators_are_answered, edge, operators),
        "the edge does not spin": busy <= BUSIEST,
        "the log is not flooded": lines <= LOG_LINES,
    }
    resource.prlimit(edge.pid, resource.RLIMIT_NOFILE, (chosen.limit, chosen.limit))
    began = time.monotonic()
    while crowd.waiting and time.monotonic() < began + PATIENCE:
        crowd.sort()
        await asyncio.sleep(0.01)
    taken = time.monotonic() - began
    print(f"squeeze: all that waited were answered {taken:.2f} s after it")
    verdicts["those that wait are answered soon after it"] = taken <= RECOVERY and crowd.tally.success() == 1
    await crowd.leave()
    operators.close()
    return verdicts | await recovered(edge, before)


async def recovered(edge, before):
    taken = await time_until_new_ones_are_answered(edge.port)
    return {
        "new clients are answered at once": taken <= 0.5,
        "new operators are answered": await asyncio.to_thread(operators_are_answered, edge),
        "descriptors come back": await descriptors_are_back(edge, before),
    }


def main():
    chosen = arguments()
    raise_descriptor_limit(2 * chosen.limit + 500)
    origin, origin_port = start_origin()
    good = True
    try:
        edge = Edge(chosen.binary, settings(origin_port), descriptors=chosen.limit)
        try:
            for name, exhaust in (("crowd", crowded), ("squeeze", squeezed)):
                for claim, holds in asyncio.run(exhaust(chosen, edge)).items():
                    print(f"{'ok  ' if holds else 'FAIL'} {name}: {claim}")
                    good &= holds
        finally:
            edge.end()
    finally:
        origin.end()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
