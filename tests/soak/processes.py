"""Starts and ends the edge and the scripted origin, and reads what the kernel says of them."""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
DEFAULT_BINARY = HERE.parent.parent / "target" / "release" / "calendar-edge"
START_LIMIT = 15

CONFIG = """
listen = "127.0.0.1:0"
[origin]
url = "http://127.0.0.1:{origin_port}/wp-json"
namespace = "tribe/events/v1"
[timeouts]
client_idle = "10m"
"""


class Process:
    """A child of this script, ended by its own id."""

    def __init__(self, child, files=()):
        """The files are temporary ones that the child needs: they live as long as this object."""
        self.child = child
        self.files = files
        self.pid = child.pid

    def signal(self, number):
        if self.child.poll() is None:
            os.kill(self.pid, number)

    def end(self, limit=20):
        """Asks it to end, and makes it end after the limit; returns its exit code."""
        self.signal(signal.SIGTERM)
        try:
            return self.child.wait(limit)
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
            return self.child.wait()

    def memory_mib(self):
        """Resident memory."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))


def raise_descriptor_limit(wanted):
    """Raises our limit, which children inherit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        if hard != resource.RLIM_INFINITY and hard < wanted:
            sys.exit(f"{wanted} descriptors are needed and the hard limit is {hard}: lower --idle or --slow")
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def start_origin(port=0):
    """Starts the scripted origin; returns it and its port."""
    child = subprocess.Popen([sys.executable, HERE / "origin.py", str(port)], stdout=subprocess.PIPE, text=True)
    line = child.stdout.readline()
    if not line:
        sys.exit("the scripted origin did not start")
    return Process(child), int(line)


def start_edge(binary, origin_port):
    """Starts the edge before the origin; returns it and its port. Its log goes to a file that is gone with it."""
    config = tempfile.NamedTemporaryFile("w", suffix=".toml")
    config.write(CONFIG.format(origin_port=origin_port))
    config.flush()
    log = tempfile.NamedTemporaryFile("w+")
    child = subprocess.Popen([binary, "serve", "--config", config.name], stdout=subprocess.DEVNULL, stderr=log)
    edge = Process(child, (config, log))
    until = time.monotonic() + START_LIMIT
    while time.monotonic() < until and child.poll() is None:
        port = port_in_log(Path(log.name).read_text())
        if port:
            return edge, port
        time.sleep(0.05)
    edge.end()
    sys.exit("the edge did not start:\n" + Path(log.name).read_text())


def port_in_log(log):
    for line in log.splitlines():
        if "listening for clients" in line:
            record = json.loads(line)
            address = record.get("address") or record["fields"]["address"]
            return int(address.rsplit(":", 1)[1])
    return None
