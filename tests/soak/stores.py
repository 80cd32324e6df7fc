"""Starts the server of a fleet's store, Valkey or Redis, and speaks to it."""

import os
import secrets
import shutil
import socket
import subprocess
import time

from processes import Process

SERVER = "CALENDAR_EDGE_STORE_SERVER"
START_LIMIT = 10


def installed():
    """The server that the variable names, or the first that is installed; None without one."""
    names = [os.environ[SERVER]] if os.environ.get(SERVER) else ["valkey-server", "redis-server"]
    return next((found for name in names if (found := shutil.which(name))), None)


def fleet(url, scratch, more=""):
    """The settings of an edge in a fleet; the secret lies in the folder."""
    secret = scratch / "fleet-secret"
    if not secret.exists():
        secret.touch(0o600)
        secret.write_text(secrets.token_hex(32))
    return f'\n[fleet]\nstore = "{url}"\nsecret_file = "{secret}"\n{more}'


class Store(Process):
    """A server on loopback that keeps nothing on disk."""

    def __init__(self, server, scratch, port=0):
        self.server, self.scratch, self.port = server, scratch, port or free_port()
        command = [server, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", scratch]
        with (scratch / "store.log").open("a") as log:
            super().__init__(subprocess.Popen(command, stdout=log, stderr=log))
        until = time.monotonic() + START_LIMIT
        while not self.answers():
            if time.monotonic() > until:
                self.end()
                raise RuntimeError(f"{server} did not start: {(scratch / 'store.log').read_text()[-800:]}")
            time.sleep(0.05)

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def answers(self):
        try:
            return self.ask("PING") == b"PONG"
        except OSError:
            return False

    def ask(self, *words):
        """One command; its answer is a text, a list, a number or None, and an error is raised."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=2) as connection:
            parts = [str(word).encode() for word in words]
            connection.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))
            with connection.makefile("rb") as answers:
                return read(answers)


def read(answers):
    """One value of RESP2."""
    line = answers.readline()
    kind, rest = line[:1], line[1:-2]
    if kind == b"-":
        raise RuntimeError(rest.decode())
    if kind == b":":
        return int(rest)
    if kind == b"$":
        return None if rest == b"-1" else answers.read(int(rest) + 2)[:-2]
    if kind == b"*":
        return [read(answers) for _ in range(int(rest))]
    if kind == b"+":
        return rest
    raise OSError("no answer")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
