#!/usr/bin/env python3
"""Holds what the stages of a request cost: instructions and allocations, counted by callgrind.

    crates/bench/stages.py            compares with crates/bench/stages.txt; fails where a stage costs more than 5 % over its number
    crates/bench/stages.py --write    writes the numbers

The counts do not depend on what else the machine does. They depend on the compiler, on valgrind, and a little on the
instruction set that the processor offers to memchr and the C library. The file names all three; elsewhere nothing is compared.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

import callgrind

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "crates/bench/stages.txt"
SLACK = 1.05
ROUNDS = int(re.search(r"const ROUNDS: usize = (\d+);", (ROOT / "crates/core/benches/stages.rs").read_text())[1])
ALLOCATION = re.compile(r"^(malloc|calloc|realloc|aligned_alloc|posix_memalign)$")


def main():
    if shutil.which("valgrind") is None:
        print("SKIPPED: valgrind is not installed")
        return
    here = conditions()
    known_conditions, known = read()
    writes = sys.argv[1:] == ["--write"]
    if not writes and here != known_conditions:
        print(f"SKIPPED: the numbers are those of {known_conditions}, not of {here}; crates/bench/stages.py --write")
        return
    counts = measure(build())
    if writes:
        lines = [f"{name:34}{instructions:>9}{allocations:>6}" for name, (instructions, allocations) in counts.items()]
        FILE.write_text("\n".join([f"# {here}; stage, instructions, allocations", *lines]) + "\n")
        return
    sys.exit(compare(known, counts))


def conditions():
    """What the counts depend on besides the code."""
    told = lambda *command: subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    widest = "avx2" if flags and "avx2" in flags[1].split() else "no avx2"
    return f"{told('rustc', '--version')}, {told('valgrind', '--version')}, {platform.machine()} with {widest}"


def read():
    """The conditions and the numbers that are committed."""
    if not FILE.exists():
        return "nobody", {}
    first, *lines = FILE.read_text().splitlines()
    known = {}
    for line in lines:
        name, instructions, allocations = re.fullmatch(r"(.*\S)\s+(\d+)\s+(\d+)", line).groups()
        known[name] = int(instructions), int(allocations)
    return first[2:].split(";")[0], known


def build():
    """The binary, built alone: one unit of code a crate, so that a count changes only with the code it counts."""
    command = ["cargo", "build", "--locked", "--profile", "counted", "--package", "calendar-edge-core", "--bench", "stages",
               "--message-format", "json"]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if built.returncode != 0:
        sys.exit("the stages do not build: cargo check --workspace --benches")
    messages = map(json.loads, built.stdout.splitlines())
    return next(m["executable"] for m in messages if m.get("executable") and m["target"]["name"] == "stages")


def measure(binary):
    """Instructions and allocations of one run of each stage."""
    with tempfile.TemporaryDirectory(prefix="calendar-edge-stages-") as scratch:
        command = ["valgrind", "--tool=callgrind", "--zero-before=stages::counted", "--dump-before=stages::ended",
                   f"--callgrind-out-file={scratch}/out", binary]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{ran.stderr}")
        names = ran.stdout.splitlines()
        files = [Path(f"{scratch}/out.{at}") for at in range(1, len(names) + 1)]
        if not all(file.exists() for file in files):
            sys.exit(f"{' '.join(command)}\nwrote {sorted(os.listdir(scratch))} for {len(names)} stages; has the binary symbols?")
        return {name: of_profile(file.read_text()) for name, file in zip(names, files)}


def of_profile(profile):
    allocations = sum(count for name, count in callgrind.calls(profile) if ALLOCATION.match(name))
    return round(callgrind.instructions(profile) / ROUNDS), round(allocations / ROUNDS)


def compare(known, counts):
    """Prints every stage, and returns whether one grew, is new or is gone."""
    failed = False
    for name in {**known, **counts}:
        before, now = known.get(name), counts.get(name)
        if before is None or now is None:
            verdict, failed = "is not in the numbers" if before is None else "is not measured", True
        elif now[0] > before[0] * SLACK or now[1] > before[1] * SLACK:
            verdict, failed = "COSTS MORE", True
        elif now[0] * SLACK < before[0]:
            verdict = "costs less: crates/bench/stages.py --write keeps it so"
        else:
            verdict = ""
        shown = lambda count: f"{count[0]:>9} {count[1]:>4}" if count else f"{'-':>14}"
        print(f"{name:34}{shown(before)}  ->{shown(now)}  {verdict}")
    return 1 if failed else 0


if __name__ == "__main__":
    main()
