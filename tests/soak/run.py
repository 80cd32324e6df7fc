"""Idle and slow connections beside good traffic: does the edge keep answering, and does it get its memory back?

    cargo build --release && python3 tests/soak/run.py
    python3 tests/soak/run.py path/to/calendar-edge --idle 1000 --slow 50 --seconds 20

Exits with 1 when less than 95 % of the good requests succeed, their 99 % latency is above 3 s, a slow connection lives
longer than 45 s, memory or descriptors do not come back, or memory grows with a second burst. Loopback only; ends only what it started.
"""

import argparse
import asyncio
import sys
import time

from processes import DEFAULT_BINARY, raise_descriptor_limit, start_edge, start_origin
from slow import KINDS, SlowConnection, open_idle, watch_readers
from traffic import Client, Tally, keep_asking

MOST = {"idle": 50_000, "slow": 5_000, "seconds": 300, "clients": 64, "answer_kib": 16_384}
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
    parser.add_argument("--slow", type=int, default=500, help="connections that take their time")
    parser.add_argument("--seconds", type=int, default=60, help="how long both are held")
    parser.add_argument("--clients", type=int, default=8, help="good clients")
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


async def open_all_idle(count, port):
    """Opens them a hundred at a time; says how many were refused."""
    opened = []
    for first in range(0, count, 100):
        batch = (open_idle(port) for _ in range(min(100, count - first)))
        opened += await asyncio.gather(*batch, return_exceptions=True)
    held = [sock for sock in opened if not isinstance(sock, BaseException)]
    print(f"idle connections held: {len(held)} of {count}")
    return held


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


async def hold(chosen, edge, port):
    """The load: idle, slow and good clients at once.

    Returns what the good ones saw, the slow ones with the end of their time, the peak, and whether the idle ones were held to the end.
    """
    tally, stop = Tally(), asyncio.Event()
    good = [asyncio.create_task(keep_asking(Client(port, tally), 0.05, stop)) for _ in range(chosen.clients)]
    idle = await open_all_idle(chosen.idle, port)
    show("idle ones are open", edge)
    until = time.monotonic() + chosen.seconds
    watched = asyncio.create_task(peak_of(edge, until))
    slow, tasks = await start_slow(chosen, port, until)
    await watch_readers(slow, port, until)
    peak = await watched
    ended = time.monotonic()
    await asyncio.gather(*tasks, return_exceptions=True)
    _, descriptors = show("at the end of the load", edge)
    stop.set()
    await asyncio.gather(*good)
    for sock in idle:
        sock.close()
    return tally, (slow, ended), peak, len(idle) == chosen.idle and descriptors >= chosen.idle


async def settle(edge, before):
    """Waits until memory and descriptors are back, or for as long as that may take."""
    until = time.monotonic() + SETTLING
    while time.monotonic() < until:
        if edge.memory_mib() <= before[0] + MEMORY_LEFT_MIB and edge.descriptors() <= before[1] + DESCRIPTORS_LEFT:
            return
        await asyncio.sleep(0.5)


async def second_burst(chosen, edge, port):
    """As many idle connections once more, which tells a leak from memory that is kept for reuse; returns the memory."""
    idle = await open_all_idle(chosen.idle, port)
    memory, _ = show("a second burst", edge)
    for sock in idle:
        sock.close()
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


def report_good(tally):
    times = ", ".join(f"{name} {tally.latency(percent) * 1000:.0f} ms" for name, percent in PERCENTILES)
    print(f"good requests: {len(tally.exchanges)}, success {tally.success():.2%}, {tally.outcomes()}")
    print(f"latency: {times}")


async def soak(chosen, edge, port):
    warm_up, stop = Tally(), asyncio.Event()
    asyncio.get_running_loop().call_later(3, stop.set)
    await asyncio.gather(*(keep_asking(Client(port, warm_up), 0.05, stop) for _ in range(chosen.clients)))
    before = show("before", edge)
    tally, slow, peak, held = await hold(chosen, edge, port)
    print(f"{'peak':<24} memory {peak[0]:7.1f} MiB   descriptors {peak[1]:6}")
    await settle(edge, before)
    after = show("after", edge)
    again = await second_burst(chosen, edge, port)
    report_good(tally)
    verdicts = {
        "idle connections are held to the end": held,
        "success is at least 95 %": tally.success() >= 0.95,
        "99 % latency is at most 3 s": tally.latency(99) <= 3,
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
    raise_descriptor_limit(chosen.idle + chosen.slow + 500)
    origin, origin_port = start_origin()
    try:
        edge, port = start_edge(chosen.binary, origin_port)
        try:
            good = asyncio.run(soak(chosen, edge, port))
        finally:
            edge.end()
    finally:
        origin.end()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
