"""Starts and ends the edge and the scripted origin, and reads what the kernel says of them."""

import asyncio
import json
import multiprocessing
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

SETTINGS = """
listen = {listen}
[admin]
listen = "127.0.0.1:0"
[origin]
url = "http://127.0.0.1:{origin_port}/wp-json"
namespace = "tribe/events/v1"
"""


def settings(origin_port, certificate=None):
    """Defaults, apart from listeners; with a certificate for TLS too."""
    listen = ["127.0.0.1:0", "tls:127.0.0.1:0"] if certificate else ["127.0.0.1:0"]
    return SETTINGS.format(listen=json.dumps(listen), origin_port=origin_port) + (certificate.settings() if certificate else "")


class Process:
    """A child of this script, ended by its own id."""

    def __init__(self, child):
        self.child = child
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


def start_site(protocol, port=0):
    """Serves an asyncio protocol in a process of its own; returns it and its port."""
    receiving, sending = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=serve_site, args=(protocol, port, sending), daemon=True)
    process.start()
    return process, receiving.recv()


def serve_site(protocol, port, sending):
    async def run():
        server = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", port)
        sending.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


class Edge(Process):
    """The edge before the origin, and where it listens. Its files are gone with it."""

    def __init__(self, binary, settings, descriptors=None):
        """The settings are TOML; `descriptors` is the most files that it may ever have open."""
        self.directory = tempfile.TemporaryDirectory()
        self.config = Path(self.directory.name) / "edge.toml"
        self.config.write_text(settings)
        self.log = Path(self.directory.name) / "edge.log"
        command = [binary, "serve", "--config", self.config]
        limited = (lambda: limit_descriptors(descriptors)) if descriptors else None
        with self.log.open("w") as log:
            super().__init__(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log, preexec_fn=limited))
        self.port, self.tls_port, self.admin_port = self.wait_for_ports()

    def wait_for_ports(self):
        """The ports for clients in clear text and over TLS, and for operators; None where there is none."""
        until = time.monotonic() + START_LIMIT
        while time.monotonic() < until and self.child.poll() is None:
            # The log names operators last.
            if operators := self.logged_ports("listening for operators"):
                clients = self.logged_ports("listening for clients")
                return clients.get("tcp"), clients.get("tls"), operators["tcp"]
            time.sleep(0.05)
        self.end()
        sys.exit("the edge did not start:\n" + self.log.read_text())

    def logged_ports(self, message):
        """By the kind of listener."""
        ports = {}
        # The last line may still be on its way.
        for line in self.log.read_text().split("\n")[:-1]:
            if message in line:
                record = json.loads(line)
                address = record.get("address") or record["fields"]["address"]
                ports["tls" if address.startswith("tls:") else "tcp"] = int(address.rsplit(":", 1)[1])
        return ports

    def cpu_seconds(self):
        """Processor time used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def limit_descriptors(most):
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
