"""Idle and slow connections beside good traffic: does the edge keep answering, and does it get its memory back?

    cargo build --release && python3 tests/soak/run.py
    python3 tests/soak/run.py path/to/calendar-edge --idle 1000 --idle-tls 100 --slow 50 --seconds 20

Good traffic is HTTP/1.1 in clear text and HTTP/2 over TLS, four clients to a connection; the two are judged apart.

Exits with 1 when less than 95 % of the good requests succeed, their 99 % latency is above 3 s, a slow connection lives
longer than 45 s, memory or descriptors do not come back, or memory grows with a second burst. Loopback only; ends only what it started.
"""

import argparse
import asyncio
import sys
import time

from certificate import Certificate
from http2 import Connection, Http2Client
from processes import DEFAULT_BINARY, Edge, raise_descriptor_limit, settings, start_origin
from slow import KINDS, SlowConnection, open_idle, open_idle_tls, watch_readers
from traffic import Client, Tally, keep_asking

MOST = {"idle": 50_000, "idle_tls": 10_000, "slow": 5_000, "seconds": 300, "clients": 64, "answer_kib": 16_384}
SHARING = 4
LONGEST_LIFE = 45
SETTLING = 30
# An allocator keeps some of what it had; a leak of 2 KiB for each of 10,000 connections would be above this.
MEMORY_LEFT_MIB = 16
DESCRIPTORS_LEFT = 40
PERCENTILES = (("median", 50), ("95 %", 95), ("99 %", 99))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default=DEFAULT_BINARY)
    parser.add_argument("--idle", type=int, default=10_000, help="kept connections that do nothing")
    parser.add_argument("--idle-tls", type=int, default=1_000, help="as many more over TLS")
    parser.add_argument("--slow", type=int, default=500, help="connections that take their time")
    parser.add_argument("--seconds", type=int, default=60, help="how long both are held")
    parser.add_argument("--clients", type=int, default=8, help="good clients of each protocol")
    parser.add_argument("--answer-kib", type=int, default=900, help="what slow readers ask for")
    chosen = parser.parse_args()
    for name, most in MOST.items():
        if not 0 <= getattr(chosen, name) <= most:
            parser.error(f"--{name.replace('_', '-')} is at most {most}")
    return chosen


def show(label, edge):
    memory, descriptors = edge.memory_mib(), edge.descriptors()
    print(f"{label:<24} memory {memory:7.1f} MiB   descriptors {descriptors:6}", flush=True)
    return memory, descriptors


async def open_all_idle(chosen, edge, certificate):
    """Opens them a hundred at a time; returns those that are held, and says how many were refused."""
    context = certificate.context("http/1.1")
    clear = await in_batches(chosen.idle, lambda: open_idle(edge.port))
    secure = await in_batches(chosen.idle_tls, lambda: open_idle_tls(edge.tls_port, context))
    print(f"idle connections held: {len(clear)} of {chosen.idle}, over TLS {len(secure)} of {chosen.idle_tls}")
    return clear + secure


async def in_batches(count, open_one):
    opened = []
    for first in range(0, count, 100):
        batch = (open_one() for _ in range(min(100, count - first)))
        opened += await asyncio.gather(*batch, return_exceptions=True)
    return [one for one in opened if not isinstance(one, BaseException)]


class GoodTraffic:
    """Good clients of both protocols, from now on until they are stopped."""

    def __init__(self, chosen, edge, certificate):
        self.stop = asyncio.Event()
        self.clear, self.secure = Tally(), Tally()
        context = certificate.context("h2")
        self.shared = [Connection(edge.tls_port, context) for _ in range(0, chosen.clients, SHARING)]
        clients = [Client(edge.port, self.clear) for _ in range(chosen.clients)]
        clients += [Http2Client(self.shared[n // SHARING], self.secure) for n in range(chosen.clients)]
        self.tasks = [asyncio.create_task(keep_asking(client, 0.05, self.stop)) for client in clients]

    async def end(self):
        self.stop.set()
        await asyncio.gather(*self.tasks)
        for connection in self.shared:
            connection.close()

    def by_protocol(self):
        return {"HTTP/1.1": self.clear, "HTTP/2 over TLS": self.secure}


async def start_slow(chosen, port, until):
    """Starts them a hundred a second, all kinds alike; returns them and their tasks."""
    connections = [SlowConnection(KINDS[n % len(KINDS)], chosen.answer_kib) for n in range(chosen.slow)]
    tasks = []
    for connection in connections:
        tasks.append(asyncio.create_task(connection.run(port, until)))
        await asyncio.sleep(0.01)
    return connections, tasks


async def peak_of(edge, until):
    """Looks each second; returns the most memory and the most descriptors."""
    peak = (0.0, 0)
    while time.monotonic() < until:
        peak = tuple(map(max, peak, (edge.memory_mib(), edge.descriptors())))
        await asyncio.sleep(1)
    return peak


async def hold(chosen, edge, certificate):
    """The load: idle, slow and good clients at once.

    Returns what the good ones saw, the slow ones with the end of their time, the peak, and whether the idle ones were held to the end.
    """
    good = GoodTraffic(chosen, edge, certificate)
    idle = await open_all_idle(chosen, edge, certificate)
    show("idle ones are open", edge)
    until = time.monotonic() + chosen.seconds
    watched = asyncio.create_task(peak_of(edge, until))
    slow, tasks = await start_slow(chosen, edge.port, until)
    await watch_readers(slow, edge.port, until)
    peak = await watched
    ended = time.monotonic()
    await asyncio.gather(*tasks, return_exceptions=True)
    _, descriptors = show("at the end of the load", edge)
    await good.end()
    for one in idle:
        one.close()
    wanted = chosen.idle + chosen.idle_tls
    return good, (slow, ended), peak, len(idle) == wanted and descriptors >= wanted


async def settle(edge, before):
    """Waits until memory and descriptors are back, or for as long as that may take."""
    until = time.monotonic() + SETTLING
    while time.monotonic() < until:
        if edge.memory_mib() <= before[0] + MEMORY_LEFT_MIB and edge.descriptors() <= before[1] + DESCRIPTORS_LEFT:
            return
        await asyncio.sleep(0.5)


async def second_burst(chosen, edge, certificate):
    """As many idle connections once more, which tells a leak from memory that is kept for reuse; returns the memory."""
    idle = await open_all_idle(chosen, edge, certificate)
    memory, _ = show("a second burst", edge)
    for one in idle:
        one.close()
    return memory


def report_slow(slow, ended):
    """Prints how long each kind lived up to the end of the load; says whether none lived too long."""
    good = True
    for kind in KINDS:
        ours = [one for one in slow if one.kind == kind and one.began]
        lives = [one.lived for one in ours if one.lived is not None]
        idle = sum(one.lived is None and one.idles for one in ours)
        ages = [ended - one.began for one in ours if one.lived is None and not one.idles]
        longest = f"longest {max(lives):5.1f} s" if lives else "none closed"
        print(f"slow: {kind:<16} {len(ours):4} opened, {len(lives):4} closed by the edge, {longest}, {len(ages)} left, {idle} idle")
        good &= max(lives + ages, default=0) <= LONGEST_LIFE
    return good


def report_good(protocol, tally):
    times = ", ".join(f"{name} {tally.latency(percent) * 1000:.0f} ms" for name, percent in PERCENTILES)
    print(f"good requests, {protocol}: {len(tally.exchanges)}, success {tally.success():.2%}, {tally.outcomes()}")
    print(f"latency, {protocol}: {times}")


async def soak(chosen, edge, certificate):
    warm_up = GoodTraffic(chosen, edge, certificate)
    await asyncio.sleep(3)
    await warm_up.end()
    before = show("before", edge)
    good, slow, peak, held = await hold(chosen, edge, certificate)
    print(f"{'peak':<24} memory {peak[0]:7.1f} MiB   descriptors {peak[1]:6}")
    await settle(edge, before)
    after = show("after", edge)
    again = await second_burst(chosen, edge, certificate)
    for protocol, tally in good.by_protocol().items():
        report_good(protocol, tally)
    verdicts = {
        "idle connections are held to the end": held,
        **{f"{protocol}: success is at least 95 %": tally.success() >= 0.95 for protocol, tally in good.by_protocol().items()},
        **{f"{protocol}: 99 % latency is at most 3 s": tally.latency(99) <= 3 for protocol, tally in good.by_protocol().items()},
        "slow connections live at most 45 s": report_slow(*slow),
        "descriptors come back": after[1] <= before[1] + DESCRIPTORS_LEFT,
        "memory comes back": after[0] <= before[0] + MEMORY_LEFT_MIB,
        "memory does not grow with a second burst": again <= max(after[0], peak[0]) + MEMORY_LEFT_MIB,
    }
    for claim, holds in verdicts.items():
        print(f"{'ok  ' if holds else 'FAIL'} {claim}")
    return all(verdicts.values())


def main():
    chosen = arguments()
    raise_descriptor_limit(chosen.idle + chosen.idle_tls + chosen.slow + 500)
    certificate = Certificate()
    origin, origin_port = start_origin()
    try:
        edge = Edge(chosen.binary, settings(origin_port, certificate))
        try:
            good = asyncio.run(soak(chosen, edge, certificate))
        finally:
            edge.end()
    finally:
        origin.end()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
