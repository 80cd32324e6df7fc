#!/usr/bin/env python3
"""Builds an edge that the compiler optimises by a profile of the load of crates/bench/run.py.

    python3 crates/bench/pgo.py
    python3 crates/bench/run.py --binary target/pgo/calendar-edge
    deploy/package/archive target/pgo/calendar-edge

Two release builds: the first counts what runs under each case's load, the second is laid out by these counts. Needs nginx,
wrk, h2load, openssl, taskset, and the llvm-profdata of the compiler's own LLVM: rustup's component llvm-tools, or Debian's
llvm-N. deploy/package/build calls it where these are there.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import cases
import machine
from peers import bench

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "target" / "pgo"
BINARY = FOLDER / "calendar-edge"
TOOLS = ("nginx", "wrk", "h2load", "openssl", "taskset")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=2, choices=range(1, 31), metavar="1..30", help="load of one case")
    parser.add_argument("--target", help="the target of both builds; this machine must be able to run them")
    parser.add_argument("--check", action="store_true", help="only say what is missing, if something is")
    chosen = parser.parse_args()
    about = compiler()
    merge, target = profdata(about), chosen.target or about["host"]
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        sys.exit(f"these are not installed: {', '.join(missing)}")
    if chosen.check:
        return
    machine.raise_descriptor_limit()
    shutil.rmtree(FOLDER / "counts", ignore_errors=True)
    counting = build(target, "counting", f"-Cprofile-generate={FOLDER}/counts")
    train(counting, chosen.seconds)
    profile = FOLDER / "profile.profdata"
    subprocess.run([merge, "merge", "-o", profile, FOLDER / "counts"], check=True)
    shutil.copy2(build(target, "optimised", f"-Cprofile-use={profile}"), BINARY)
    print(BINARY)


def output(*command):
    """What a program prints."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def compiler():
    """What `rustc -vV` says: a dictionary."""
    return dict(line.split(": ", 1) for line in output("rustc", "-vV").splitlines() if ": " in line)


def profdata(about):
    """The tool that reads this compiler's profiles: of the same LLVM, whatever its name."""
    major = about["LLVM version"].partition(".")[0]
    tools = Path(output("rustc", "--print", "sysroot"), "lib", "rustlib", about["host"], "bin")
    for name in (tools / "llvm-profdata", f"llvm-profdata-{major}", "llvm-profdata"):
        tool = shutil.which(name)
        if tool and f"LLVM version {major}." in output(tool, "--version"):
            return tool
    sys.exit(f"there is no llvm-profdata of LLVM {major}: rustup component add llvm-tools, or install llvm-{major}")


def build(target, name, flags):
    """A release build with these flags, beside the usual one; `calendar-edge --version` says how it was built."""
    environment = {**os.environ, "RUSTFLAGS": flags, "CALENDAR_EDGE_BUILT_BY_PROFILE": "yes"}
    # Named, the target keeps the flags away from build scripts.
    command = ["cargo", "build", "--locked", "--release", "--target", target, "--target-dir", FOLDER / name]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=sys.stderr)
    return FOLDER / name / target / "release" / "calendar-edge"


def train(binary, seconds):
    """Puts the load of every case on the edge, which writes its counts when it ends."""
    with bench() as (folder, port):
        for case in cases.all_cases(binary):
            edge = case.peers[-1].start(folder, port)
            try:
                figures = case.load(case, edge, seconds)
                print(f"{case.name}: {figures.requests} requests", flush=True)
            finally:
                edge.program.end()


if __name__ == "__main__":
    main()
