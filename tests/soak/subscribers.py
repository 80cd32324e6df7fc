"""A thousand subscribers to a calendar: what do they cost the site between two edits, and while it is down?

    cargo build --release && python3 tests/soak/subscribers.py
    python3 tests/soak/subscribers.py path/to/calendar-edge --subscribers 1000 --hours 24 --faster 3600

Each subscriber asks for `events.ics` every 15 minutes, at a moment of its own, with the entity tag that it got last. Time runs
faster by the factor of `--faster`: with 3600 an hour takes a second, and so do the lifetimes of a site with a companion plugin.
An event is edited through the edge every eight hours, and in the last eight hours the site is gone.

Exits with 1 when the site is asked anything from an hour after an edit until the next one, when a subscriber gets anything
but 200 and 304, does not get an edit at its next question, or when the calendar lacks an event. Loopback only; ends only what
it started.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import signal
import sys
import time
from collections import Counter

from processes import DEFAULT_BINARY, Edge, raise_descriptor_limit, settings, start_site
from traffic import CREDENTIALS, EVENTS

FILE = EVENTS + ".ics"
TOTAL = 120
PAGES = 3
POLL = 900
HOUR = 3600
EDIT = 8 * HOUR
RUNS = multiprocessing.Value("i", 0)


def event(number, edition):
    day = f"2027-{number % 12 + 1:02}-{number % 28 + 1:02}"
    return {
        "id": number, "title": f"Edition {edition}", "url": f"https://a.example/event/{number}/", "all_day": False,
        "timezone": "Europe/Berlin", "start_date": f"{day} 12:00:00", "end_date": f"{day} 13:00:00",
        "utc_start_date": "", "utc_end_date": "", "modified_utc": "2026-01-01 00:00:00",
    }


class Site(asyncio.Protocol):
    """Lists in pages and updates, each after 10 ms; counts what it is asked."""

    edition = 1

    def connection_made(self, transport):
        self.transport, self.unread = transport, b""

    def data_received(self, data):
        self.unread += data
        head, end, body = self.unread.partition(b"\r\n\r\n")
        length = head.lower().partition(b"\r\ncontent-length:")[2].split(b"\r\n")[0]
        if end and len(body) >= int(length or 0):
            self.unread = b""
            method, target = head.decode("latin-1").split(" ")[:2]
            asyncio.get_running_loop().call_later(0.01, self.answer, method, target)

    def answer(self, method, target):
        path, _, query = target.partition("?")
        if method == "POST":
            Site.edition += 1
            body = event(int(path.rsplit("/", 1)[1]), Site.edition)
        elif path.endswith("/events"):
            with RUNS.get_lock():
                RUNS.value += 1
            pairs = dict(pair.split("=", 1) for pair in query.split("&") if "=" in pair)
            page, size = int(pairs.get("page", 1)), int(pairs.get("per_page", 10))
            shown = range((page - 1) * size + 1, min(page * size, TOTAL) + 1)
            body = {"events": [event(number, Site.edition) for number in shown], "total": TOTAL, "total_pages": -(-TOTAL // size)}
        else:
            body = {}
        text = json.dumps(body).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\nContent-Length: {len(text)}\r\n\r\n"
        self.transport.write(head.encode() + text)


async def ask(port, head, body=b""):
    """One request on a connection of its own: its status, its headers and its body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"{head}\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode() + body)
    answer = await asyncio.wait_for(reader.read(), 20)
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    return int(lines[0].split(" ")[1]), dict(line.lower().split(": ", 1) for line in lines[1:]), body


async def edit(port):
    body = b'{"title":"x"}'
    head = f"POST {EVENTS}/7 HTTP/1.1\r\nAuthorization: Basic {CREDENTIALS}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return await ask(port, head, body)


class Calendars:
    """What subscribers are told."""

    def __init__(self, port):
        self.port, self.edits, self.between = port, 0, 0
        self.statuses, self.faults, self.times = Counter(), Counter(), []

    async def subscribe(self, chosen, ends):
        """One subscriber, from a random moment on."""
        pause = POLL / chosen.faster
        await asyncio.sleep(random.uniform(0, pause))
        tag, seen = None, 0
        while time.monotonic() < ends:
            began, edits = time.monotonic(), self.edits
            condition = f"\r\nIf-None-Match: {tag}" if tag else ""
            status, headers, body = await ask(self.port, f"GET {FILE} HTTP/1.1{condition}")
            self.times.append(time.monotonic() - began)
            self.statuses[status] += 1
            if status == 200:
                tag = headers.get("etag")
                seen = int(body.partition(b"SUMMARY:Edition ")[2].partition(b"\r")[0]) - 1
                self.faults["events are missing"] += body.count(b"\r\nBEGIN:VEVENT\r\n") != TOTAL
            self.faults["an edit is not told"] += seen < edits
            await asyncio.sleep(max(0, pause - (time.monotonic() - began)))


async def live(chosen, edge, site):
    told = Calendars(edge.port)
    ends = time.monotonic() + chosen.hours * 3600 / chosen.faster
    clients = [asyncio.create_task(told.subscribe(chosen, ends)) for _ in range(chosen.subscribers)]
    rounds = chosen.hours * 3600 // EDIT
    for part in range(rounds - 1):
        await asyncio.sleep(HOUR / chosen.faster)
        settled = RUNS.value
        await asyncio.sleep((EDIT - HOUR) / chosen.faster)
        told.between += RUNS.value - settled
        if part + 2 == rounds:
            os.kill(site[0].pid, signal.SIGKILL)
        else:
            status, _, _ = await edit(edge.port)
            told.faults["an edit is refused"] += status != 200
            told.edits += 1
    await asyncio.gather(*clients)
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default=DEFAULT_BINARY)
    parser.add_argument("--subscribers", type=int, default=1000)
    parser.add_argument("--hours", type=int, default=24, help="a multiple of eight, from 24")
    parser.add_argument("--faster", type=int, default=900)
    chosen = parser.parse_args()
    raise_descriptor_limit(2 * chosen.subscribers + 200)
    site = start_site(Site)
    # Between two edits a calendar is fresh, as with a companion plugin.
    lasting = 'fresh = "1h"\nstale_on_error = "24h"\n'
    edge = Edge(chosen.binary, settings(site[1]) + f"[forms]\ncalendar = true\n[cache]\n{lasting}")
    try:
        told = asyncio.run(live(chosen, edge, site))
    finally:
        edge.end()
        site[0].terminate()
    polls = sum(told.statuses.values())
    told.times.sort()
    slowest = told.times[len(told.times) * 99 // 100] * 1000
    faults = {name: number for name, number in told.faults.items() if number}
    print(f"{polls} questions of {chosen.subscribers} subscribers in {chosen.hours} h: {dict(told.statuses)}, 99 % within {slowest:.1f} ms")
    print(f"{RUNS.value} questions to the site, for {PAGES} pages in {1 + told.edits} editions; {told.between} between edits")
    good = not faults and told.between == 0 and told.edits > 0 and set(told.statuses) <= {200, 304}
    print("ok" if good else f"FAIL {faults or 'see above'}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
