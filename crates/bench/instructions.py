#!/usr/bin/env python3
"""Counts instructions and allocations per request under callgrind, where times would be noise.

    cargo build --profile profiling && python3 crates/bench/instructions.py
    python3 crates/bench/instructions.py --only 'list, 8 KiB' --keep profiles

The edge runs under valgrind against the origin of `crates/bench/run.py`. Each case is asked some requests to warm up and then
COUNT on each of its kept connections; only these are counted. What both forward is asked of the plain proxy beside the edge
as well, if it is built, and `ratio` is the edge's part of that. `--keep` leaves the profiles for `callgrind_annotate`.
"""

import argparse
import http.client
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import callgrind
import machine
from peers import LIST, ROOT, bench, edge_settings, three_ports
from program import Program

BINARY = Path(__file__).resolve().parents[2] / "target" / "profiling" / "calendar-edge"
PAGE = f"{LIST}?per_page=11&page=2"
JSON = {"Content-Type": "application/json", "Authorization": "Basic ZWRpdG9yOnNlY3JldA=="}
EVENT = re.search(r"wrk\.body = '(.*)'", (Path(__file__).parent / "create.lua").read_text())[1]
WARM = 50
# What Rust's allocator calls end in, with jemalloc and without.
ALLOCATED = re.compile(r"\b(_rjem_)?(malloc|mallocx|calloc|aligned_alloc|posix_memalign)$")
GROWN = re.compile(r"\b(_rjem_)?(realloc|rallocx)$")


class Case:
    """A request, and whether the edge has a cache."""

    def __init__(self, name, path=PAGE, method="GET", status=200, cache=False, headers=(), body=None, log="warn"):
        self.name, self.path, self.method, self.status = name, path, method, status
        self.cache, self.headers, self.body, self.log = cache, dict(headers), body, log

    def ask(self, connection):
        connection.request(self.method, self.path, body=self.body, headers=self.headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != self.status:
            raise SystemExit(f"{self.name}: answered {answer.status}, not {self.status}")
        return answer


class Revalidation(Case):
    """Every request has the ETag of the kept answer."""

    def ask(self, connection):
        if not self.headers:
            self.headers = {"If-None-Match": Case(self.name, cache=True).ask(connection).headers["ETag"]}
        return super().ask(connection)


CASES = [
    Case("list, 8 KiB"),
    Case("list, 1 KiB", f"{LIST}?search=list-1k"),
    Case("list, 64 KiB", f"{LIST}?search=list-64k"),
    Case("list, 1 MiB", f"{LIST}?search=list-1m"),
    Case("list, 8 KiB, access log", log="info"),
    Case("create", LIST, "POST", 201, headers=JSON, body=EVENT),
    Case("refused: bad parameter", f"{LIST}?page=none", status=400),
    Case("refused: no route", f"{ROOT}/nowhere", status=404),
    Case("cache hit, 8 KiB", cache=True),
    Revalidation("cache hit, 304", cache=True, status=304),
]


def main():
    chosen = arguments()
    for program in ("valgrind", "callgrind_control", "nginx"):
        if shutil.which(program) is None:
            print(f"SKIPPED: {program} is not installed")
            return
    with bench() as (folder, port):
        print(f"{'case':28}{'instructions':>14}{'allocations':>13}{'grown':>7}{'plain':>12}{'ratio':>7}", flush=True)
        for case in CASES:
            if not chosen.only or case.name in chosen.only:
                report(case, measure(case, chosen, folder, port, False).read_text(), chosen, plain(case, chosen, folder, port))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=BINARY, help="the edge under test, with symbols")
    parser.add_argument("--only", action="append", help="a case by its name; may be repeated")
    parser.add_argument("--count", type=int, default=500, help="requests on each connection")
    parser.add_argument("--connections", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="threads of the runtime")
    parser.add_argument("--keep", type=Path, help="put the profiles into this folder")
    return parser.parse_args()


def plain(case, chosen, folder, origin):
    """The plain proxy's instructions for the same request; none where it does another thing, or is not built."""
    if case.cache or case.status >= 400 or case.log != "warn" or not plain_proxy(chosen).exists():
        return None
    profile = measure(case, chosen, folder, origin, True)
    return callgrind.instructions(profile.read_text()) / (chosen.count * chosen.connections)


def plain_proxy(chosen):
    return chosen.binary.parent / "plain-proxy"


def measure(case, chosen, folder, origin, is_plain):
    """The profile of the counted requests."""
    ports = three_ports()
    for file in folder.glob("out*"):
        file.unlink()
    command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/out"]
    if is_plain:
        command += [str(plain_proxy(chosen)), f"127.0.0.1:{ports['plain']}", f"http://127.0.0.1:{origin}"]
    else:
        settings = folder / "edge.toml"
        settings.write_text(edge_settings(folder, origin, ports, case.log, case.cache, compress=True))
        command += [str(chosen.binary), "serve", "--config", str(settings)]
    os.environ["TOKIO_WORKER_THREADS"] = str(chosen.workers)
    program = Program("plain" if is_plain else "edge", ["setarch", "-R", *command], machine.CORES, folder)
    try:
        program.wait_until_answering(ports["plain"], LIST, 200)
        connections = [http.client.HTTPConnection("127.0.0.1", ports["plain"], timeout=60) for _ in range(chosen.connections)]
        for connection in connections:
            connection.connect()
        pid = str(program.child.pid)
        control("-i", "on", pid)
        ask_all(case, connections, WARM)
        control("-z", pid)
        ask_all(case, connections, chosen.count)
        control("-d", pid)
        for connection in connections:
            connection.close()
        return max(folder.glob("out.*"), key=lambda file: file.stat().st_mtime)
    finally:
        program.end()


def ask_all(case, connections, count):
    for _ in range(count):
        for connection in connections:
            case.ask(connection)


def control(*arguments):
    subprocess.run(["callgrind_control", *arguments], check=True, capture_output=True)


def report(case, text, chosen, plain_instructions):
    requests = chosen.count * chosen.connections
    total = callgrind.instructions(text)
    calls = list(callgrind.calls(text))
    allocated = sum(count for name, count in calls if ALLOCATED.search(name))
    grown = sum(count for name, count in calls if GROWN.search(name))
    beside = f"{plain_instructions:12.0f}{total / requests / plain_instructions:7.2f}" if plain_instructions else ""
    print(f"{case.name:28}{total / requests:14.0f}{allocated / requests:13.1f}{grown / requests:7.1f}{beside}", flush=True)
    if chosen.keep:
        chosen.keep.mkdir(parents=True, exist_ok=True)
        (chosen.keep / (re.sub(r"\W+", "-", case.name) + ".out")).write_text(text)


if __name__ == "__main__":
    main()
