"""A program under test: started on its core, measured from /proc, ended by its own id."""

import http.client
import os
import signal
import subprocess
import time
from pathlib import Path

from machine import TICKS, pin

START_LIMIT = 20
END_LIMIT = 20
POLL = 0.05


class Program:
    """A command and the processes that it starts."""

    def __init__(self, name, command, cores, folder):
        self.name = name
        self.log = open(Path(folder) / f"{name}.log", "wb")
        # A session of its own, so that its children end with it.
        self.child = subprocess.Popen(
            [*pin(cores), *command], stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True
        )

    def processes(self):
        """The ids of the program and of all its descendants."""
        found, look = [], [self.child.pid]
        while look:
            pid = look.pop()
            found.append(pid)
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                look.extend(int(child) for child in read(children).split())
        return found

    def cpu_seconds(self):
        """User and system time of all processes so far."""
        return sum(cpu_of(pid) for pid in self.processes())

    def memory_kib(self):
        """Memory of all processes; pages that they share are counted once, in equal parts."""
        return sum(memory_of(pid) for pid in self.processes())

    def wait_until_answering(self, port, path, status):
        """Returns once the program answers with this status; raises with the end of its log otherwise."""
        end = time.monotonic() + START_LIMIT
        last = None
        while time.monotonic() < end and self.child.poll() is None:
            last = status_of(port, path)
            if last == status:
                return self
            time.sleep(POLL)
        raise RuntimeError(f"{self.name} answered {last}, not {status}:\n{self.tail()}")

    def tail(self):
        """The end of what the program printed."""
        self.log.flush()
        return Path(self.log.name).read_text(errors="replace")[-2000:]

    def end(self):
        """Asks the program to end, and makes its session end after a while."""
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(END_LIMIT)
            except subprocess.TimeoutExpired:
                os.killpg(self.child.pid, signal.SIGKILL)
                self.child.wait()
        self.log.close()


def read(path):
    """The text of a file of /proc, empty once its process has ended."""
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def cpu_of(pid):
    fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS if fields else 0.0


def memory_of(pid):
    for line in read(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


def status_of(port, path):
    """The status of one request, or the error's text."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except OSError as error:
        return str(error)
    except http.client.HTTPException as error:
        return repr(error)
    finally:
        connection.close()
