"""A million different reads, each kept in the cache: how much memory does the edge take?

    cargo build --release && python3 tests/soak/memory.py [path/to/calendar-edge] [--queries 1000000]

Every answer may be kept, so each displaces others once `cache.memory` is full. The site answers lists of 0.3 to 8 KiB.
Exits with 1 when the peak of resident memory is above `cache.memory` and 64 MiB, or when a read fails.
"""

import argparse
import asyncio
import sys
import time
from pathlib import Path

from processes import DEFAULT_BINARY, Edge, raise_descriptor_limit, settings, start_site
from traffic import EVENTS

ALLOWED_MIB = 64
EVENT = b'{"id":%d,"title":"soak","description":"%s"}'


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default=DEFAULT_BINARY)
    parser.add_argument("--queries", type=int, default=1_000_000)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--memory", type=int, default=64, help="cache.memory in MiB")
    chosen = parser.parse_args()
    if not 1 <= chosen.clients <= 200 or not 1 <= chosen.queries <= 10_000_000:
        parser.error("at most 200 clients and 10,000,000 queries")
    return chosen


def lists():
    """Answers of several sizes, whole."""
    answers = []
    for size in (200, 700, 1500, 3000, 8000):
        body = b'{"events":[%s],"rest_url":"","total":1,"total_pages":1}' % (EVENT % (size, b"x" * size))
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\nContent-Length: %d\r\n\r\n"
        answers.append(head % len(body) + body)
    return answers


class Site(asyncio.Protocol):
    """Answers each request with a list; as fast as it can."""

    answers = lists()
    served = 0

    def connection_made(self, transport):
        self.transport, self.unread = transport, b""

    def data_received(self, data):
        self.unread += data
        if self.unread.endswith(b"\r\n\r\n"):
            Site.served += 1
            self.transport.write(self.answers[Site.served % len(self.answers)])
            self.unread = b""


class Reader(asyncio.Protocol):
    """Asks one question after the other on one connection."""

    def __init__(self, run):
        self.run = run

    def connection_made(self, transport):
        self.transport, self.unread = transport, b""
        self.ask()

    def ask(self):
        number = next(self.run.numbers, None)
        if number is None:
            self.transport.close()
            return
        target = f"{EVENTS}?search=soak-{number}&page={number % 50 + 1}"
        self.transport.write(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

    def data_received(self, data):
        self.unread += data
        head, end, body = self.unread.partition(b"\r\n\r\n")
        if not end:
            return
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        if len(body) >= length:
            self.unread = b""
            self.run.answered(head)
            self.ask()

    def connection_lost(self, error):
        self.run.left()


class Run:
    def __init__(self, chosen, edge):
        self.numbers = iter(range(chosen.queries))
        self.chosen, self.edge = chosen, edge
        self.good = self.failed = 0
        self.open = chosen.clients
        self.ended = asyncio.Event()
        self.began = time.monotonic()

    def answered(self, head):
        if head.startswith(b"HTTP/1.1 200") and b"; stored" in head:
            self.good += 1
        else:
            self.failed += 1
        done = self.good + self.failed
        if done % max(1, self.chosen.queries // 20) == 0:
            passed = time.monotonic() - self.began
            print(f"{done:9} queries  {passed:6.0f} s  resident {self.edge.memory_mib():6.1f} MiB", flush=True)

    def left(self):
        self.open -= 1
        if not self.open:
            self.ended.set()


async def ask_all(chosen, edge):
    run = Run(chosen, edge)
    loop = asyncio.get_running_loop()
    for _ in range(chosen.clients):
        await loop.create_connection(lambda: Reader(run), "127.0.0.1", edge.port)
    await run.ended.wait()
    return run


def peak_mib(edge):
    for line in Path(f"/proc/{edge.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return float("inf")


def main():
    chosen = arguments()
    raise_descriptor_limit(chosen.clients + 500)
    site, site_port = start_site(Site)
    config = settings(site_port).replace('namespace =', f'max_in_flight = {chosen.clients}\nnamespace =')
    edge = Edge(chosen.binary, config + f'[cache]\nfresh = "1h"\nmemory = "{chosen.memory} MiB"\n')
    try:
        print(f"before: resident {edge.memory_mib():.1f} MiB")
        run = asyncio.run(ask_all(chosen, edge))
        peak = peak_mib(edge)
    finally:
        edge.end()
        site.terminate()
    print(f"kept {run.good}, failed {run.failed}; peak {peak:.1f} MiB, allowed {chosen.memory + ALLOWED_MIB} MiB")
    good = run.failed == 0 and run.good == chosen.queries and peak <= chosen.memory + ALLOWED_MIB
    print("ok   memory stays within its bound" if good else "FAIL see above")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
