#!/usr/bin/env python3
"""Compares the edge with nginx, HAProxy, nginx with ModSecurity and Varnish, all on loopback.

    cargo build --release && python3 crates/bench/run.py
    python3 crates/bench/run.py --rounds 5 --seconds 6 --write docs/reference/performance.md
    python3 crates/bench/run.py --only 'list, 8 KiB' --rounds 2 --seconds 2

One core is the proxy's, the others are for load and origin. The rounds of all peers of a case are interleaved, and each
figure is the median of its rounds. CPU is user and system time of the proxy's processes, from the kernel's accounting.
A peer whose Debian package is not installed is skipped, and the report says so. Ends only what it started.
"""

import argparse
import sys
import time
from contextlib import ExitStack
from datetime import date
from pathlib import Path

sys.dont_write_bytecode = True

import cases
import idle
import machine
import report
from peers import Edge, HAProxy, Nginx, bench

ROOT = Path(__file__).resolve().parents[2]
BINARY = ROOT / "target" / "release" / "calendar-edge"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=BINARY, help="the edge under test")
    parser.add_argument("--rounds", type=int, default=3, choices=range(1, 21), metavar="1..20")
    parser.add_argument("--seconds", type=int, default=4, choices=range(1, 31), metavar="1..30", help="load of one round")
    parser.add_argument("--only", action="append", help="a case by its name; may be repeated")
    parser.add_argument("--write", type=Path, help="put the results between the marks of this file")
    return parser.parse_args()


def measure(case, peers, chosen, folder, origin):
    """The results of all peers of a case, their rounds interleaved."""
    with ExitStack() as stack:
        running = [(kind, started(stack, kind, folder, origin)) for kind in peers]
        results = [report.Result(kind.name) for kind in peers]
        check(case, running)
        for _, peer in running:
            case.load(case, peer, 1)
        for _ in range(chosen.rounds):
            for (_, peer), result in zip(running, results):
                before = peer.program.cpu_seconds()
                figures = case.load(case, peer, chosen.seconds)
                result.add(figures, peer.program.cpu_seconds() - before, peer.program.memory_kib())
        if case.expects_errors:
            for result in results:
                result.errors = 0
        return results


def started(stack, kind, folder, origin):
    """A running peer that ends with the stack."""
    peer = kind.start(folder, origin)
    stack.callback(peer.program.end)
    return peer


def check(case, running):
    """A case that measures something else than it says is worse than none."""
    sizes = set()
    for kind, peer in running:
        status, headers, size = case.probe(peer)
        if not cases.is_expected(case, kind, status):
            raise SystemExit(f"{case.name}: {kind.name} answered {status}, not {case.status}\n{peer.program.tail()}")
        if not case.expects_errors and "Content-Encoding" not in headers:
            sizes.add(round(size / 1024))
    # The edge shortens URLs when it makes them public, so whole KiB are compared.
    if sizes and max(sizes) - min(sizes) > 1:
        raise SystemExit(f"{case.name}: the answers differ in size: {sorted(sizes)} KiB")


def measure_idle(folder, origin, binary):
    rows = []
    for kind in (Nginx(), HAProxy(), Edge(binary)):
        if kind.missing() is None:
            with ExitStack() as stack:
                rows.append((kind.name, *idle.per_connection(started(stack, kind, folder, origin))))
    return rows


def present(case):
    """The peers of a case that are installed; the others are named aloud."""
    for kind in case.peers:
        if kind.missing():
            print(f"SKIPPED in {case.name}: {kind.name}, not installed: {kind.missing()}", flush=True)
    return [kind for kind in case.peers if kind.missing() is None]


def write(file, text):
    whole = file.read_text()
    head, _, rest = whole.partition(BEGIN)
    _, _, tail = rest.partition(END)
    file.write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}")


def main():
    chosen = arguments()
    machine.raise_descriptor_limit()
    every = cases.all_cases(chosen.binary)
    wanted = [case for case in every if not chosen.only or case.name in chosen.only]
    if not wanted:
        sys.exit("no such case; there are: " + "; ".join(case.name for case in every))
    started, measured, parts, versions = time.monotonic(), [], [], {}
    with bench() as (folder, port):
        for case in wanted:
            peers = present(case)
            versions.update({kind.name: kind.version() for kind in peers})
            measured.append((case.name, measure(case, peers, chosen, folder, port)))
            print(report.of_cases(measured[-1:]), "\n", flush=True)
        parts.append(report.of_cases(measured))
        if not chosen.only:
            parts.append(report.of_idle(measure_idle(folder, port, chosen.binary)))
            print(parts[-1], "\n", flush=True)
    intro = [f"Measured on {date.today()}, {machine.description()}, {chosen.rounds} rounds of {chosen.seconds} s, 64 connections.",
             "In brackets: the ratio to the first program of the case.", "", *sorted(f"* {name}: {text}" for name, text in versions.items()), ""]
    if chosen.write:
        write(chosen.write, "\n".join(intro) + "\n" + "\n\n".join(parts))
    print("\n".join(intro), f"{time.monotonic() - started:.0f} s in all", sep="\n")


if __name__ == "__main__":
    main()
