"""The machine under test: its description, the cores that proxy and load are pinned to, and free ports."""

import os
import platform
import resource
import socket
import subprocess
from pathlib import Path

CORES = sorted(os.sched_getaffinity(0))
# One core is the proxy's alone. Load and origin share the rest: only the proxy's CPU time is counted.
PROXY_CORE = CORES[-1]
LOAD_CORES = CORES[:-1] or CORES
TICKS = os.sysconf("SC_CLK_TCK")
DESCRIPTORS = 16_384


def pin(cores):
    """A prefix that keeps a command on these cores."""
    return ["taskset", "--cpu-list", ",".join(str(core) for core in cores)]


def raise_descriptor_limit():
    """Children inherit it: a thousand connections have two ends each."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def free_port():
    """A port of loopback that nothing listens on now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def processor():
    """The name of the processor as the kernel gives it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def description():
    """One line for the report."""
    return f"{len(CORES)} cores of {processor()}, Linux {platform.release().split('-')[0]}"


def version(*command):
    """The first line that a program prints about its version."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip().splitlines()[0]
