"""Load from wrk and h2load, and the figures that they print."""

import re
import subprocess
from pathlib import Path

from machine import LOAD_CORES, pin

HERE = Path(__file__).resolve().parent
CONNECTIONS = 64
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}


class Figures:
    """One run: requests, seconds, latency in seconds, and answers that were errors."""

    def __init__(self, requests, seconds, median, slowest, errors):
        self.requests, self.seconds, self.median, self.slowest, self.errors = requests, seconds, median, slowest, errors


def wrk(url, seconds, headers=(), script=None, connections=CONNECTIONS):
    """Keeps `connections` busy for so long with HTTP/1.1."""
    command = [*pin(LOAD_CORES), "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "10s"]
    for header in headers:
        command += ["-H", header]
    if script:
        command += ["-s", str(HERE / script)]
    text = subprocess.run([*command, url], capture_output=True, text=True, check=True).stdout
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    broken = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    # A connection that the peer closes after its answer is counted as a read error.
    lost = int(broken[1]) + int(broken[4]) if broken else 0
    requests, measured = re.search(r"(\d+) requests in ([\d.]+\w+)", text).groups()
    return Figures(
        int(requests), in_seconds(measured), in_seconds(re.search(r"50%\s+([\d.]+\w+)", text)[1]),
        in_seconds(re.search(r"99%\s+([\d.]+\w+)", text)[1]), (int(refused[1]) if refused else 0) + lost,
    )


def h2load(url, seconds, connections=4, streams=16):
    """The same number of requests at once over HTTP/2 without TLS."""
    command = [*pin(LOAD_CORES), "h2load", "-t1", f"-c{connections}", f"-m{streams}", f"-D{seconds}", url]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    done = re.search(r"requests: (\d+) total, \d+ started, \d+ done, (\d+) succeeded, (\d+) failed, (\d+) errored", text)
    times = re.search(r"time for request:\s+\S+\s+(\S+)\s+(\S+)", text)
    return Figures(int(done[2]), float(seconds), in_seconds(times[2]), in_seconds(times[1]), int(done[3]) + int(done[4]))


def in_seconds(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * UNITS[unit]
