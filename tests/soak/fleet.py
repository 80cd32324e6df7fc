"""Three edges act as one while their store, the way to it, and the edges themselves fail: does a client notice?

    cargo build --release && python3 tests/soak/fleet.py [path/to/calendar-edge] [--rounds 1] [--only NAME,NAME]

The store is Valkey or Redis: the program that CALENDAR_EDGE_STORE_SERVER names, or what is installed. An editor changes the
site and tells one edge. Readers of every edge note the change that they see. A client asks for ten times its rate, from all edges.
Between two faults the fleet has a moment to recover.

`--only removal` and `--only guard` measure instead how soon all edges follow one, in `--turns` turns, and print p50 and p99.

Exits with 1 when a request fails whose edge was neither killed nor stopped, `/readyz` says no, a response is staler than
S4 of docs/guides/fleet.md allows, the edges are not together in time after a fault, the rate does not settle, or a percentile
is too large.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

import counting_site
from faults import FAULTS, World
from latencies import MEASUREMENTS, measure
from observers import Watch, is_alone, is_together
from processes import DEFAULT_BINARY, raise_descriptor_limit, start_site
from stores import installed

# Seconds until an edge without the store knows it, and the poll of /status.
LONGEST_PART = 1.2
# Seconds after a fault until the edges are together: 3 s from the return of the store, and the poll of /status.
LONGEST_RETURN = 3.5
CALM = 4
SETTLED = 10
# What the greedy client gets in SETTLED seconds, as parts of its rate.
LEAST_SHARE, MOST_SHARE = 0.85, 1.10


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default=DEFAULT_BINARY)
    parser.add_argument("--rounds", type=int, default=1, help="how often each fault happens")
    parser.add_argument("--turns", type=int, default=60, help="of each measurement")
    parser.add_argument("--only", default="", help="names of faults or measurements, separated by commas")
    chosen = parser.parse_args()
    names = [name for name in chosen.only.split(",") if name]
    chosen.faults = [fault for fault in FAULTS if not names or fault.name in names]
    chosen.measurements = [name for name in MEASUREMENTS if name in names]
    known = [*(fault.name for fault in FAULTS), *MEASUREMENTS]
    if not 1 <= chosen.rounds <= 5 or not 2 <= chosen.turns <= 1000 or not set(names) <= set(known):
        parser.error(f"at most 5 rounds, 2 to 1000 turns, and names of: {', '.join(known)}")
    return chosen


async def live_through(world, watch, fault):
    """One fault and its end; returns how long the edges took to be alone, and to be together after its end."""
    watch.phase, begun = fault.name, time.monotonic()
    await fault.begin(world)
    parted = await watch.until(is_alone, world.members[: fault.alone], LONGEST_PART)
    await asyncio.sleep(max(0, begun + fault.seconds - time.monotonic()))
    await fault.end(world)
    joined = await watch.until(is_together, world.members, 4 * LONGEST_RETURN)
    watch.recovered()
    await asyncio.sleep(CALM)
    return parted, joined


async def soak(chosen, world):
    await world.start()
    watch = Watch(world)
    watch.start()
    try:
        times = {"start": (0, await watch.until(is_together, world.members, 10))}
        watch.recovered()
        await asyncio.sleep(CALM)
        for turn in range(chosen.rounds):
            for fault in chosen.faults:
                times[f"{fault.name} {turn + 1}"] = await live_through(world, watch, fault)
        settled = await watch.greedy_share(SETTLED)
    finally:
        await watch.end()
    return watch, times, settled


def report(world, watch, times, settled):
    for name, (parted, joined) in times.items():
        print(f"{name:<22} alone after {parted:5.2f} s, together again after {joined:5.2f} s")
    for phase, seen in sorted(watch.seen.items()):
        if seen.outcomes:
            print(f"{phase:<22} {seen}")
    for failure in watch.failures[:10]:
        print(f"failed: {failure}")
    print(f"changes told: {len(watch.told)}; the greedy client got {settled:.3f} of its rate at the end")
    eternal = world.keys_without_an_end()
    verdicts = {
        f"no request fails ({watch.count} requests)": not watch.failures and watch.count > 1000,
        f"/readyz says yes ({watch.probes} times)": watch.probes > 100 and watch.unready == 0,
        f"edges without the store know it within {LONGEST_PART} s": all(parted <= LONGEST_PART for parted, _ in times.values()),
        f"the edges are together within {LONGEST_RETURN} s": all(joined <= LONGEST_RETURN for _, joined in times.values()),
        **watch.staleness(),
        f"the rate settles between {LEAST_SHARE} and {MOST_SHARE}": LEAST_SHARE <= settled <= MOST_SHARE,
        f"no further key stays in the store for ever: {eternal[:3]}": not eternal,
    }
    for claim, holds in verdicts.items():
        print(f"{'ok  ' if holds else 'FAIL'} {claim}")
    return all(verdicts.values())


def main():
    chosen = arguments()
    server = installed()
    if not server:
        print("SKIPPED: neither Valkey nor Redis is installed")
        return
    print(f"store: {server}", flush=True)
    raise_descriptor_limit(2000)
    site, site_port = start_site(counting_site.Site)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            place = (chosen.binary, server, Path(scratch), site_port)
            good = measure(chosen.measurements, *place, chosen.turns)
            good = (not chosen.faults or fail_and_recover(chosen, *place)) and good
    finally:
        site.terminate()
    sys.exit(0 if good else 1)


def fail_and_recover(chosen, *place):
    world = World(*place)
    try:
        return report(world, *asyncio.run(soak(chosen, world)))
    finally:
        world.close()


if __name__ == "__main__":
    main()
