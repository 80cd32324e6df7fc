"""What the cache is worth to a site that is asked the same again: while the site is down, and while an editor saves.

    cargo build --release
    python3 tests/soak/cached.py outage [path/to/calendar-edge]   # second by second, with and without the cache
    python3 tests/soak/cached.py editor [path/to/calendar-edge]   # hit ratios while an editor saves

The working set is 20 lists and 30 events, some asked more often than others. `editor` is accelerated thirtyfold: an edit
every 2 s stands for one a minute, and reads and lifetimes are thirty times as fast as the figures that it prints.
`outage` exits with 1 when a read of the working set fails with the cache, or does not fail without it.
"""

import argparse
import asyncio
import os
import random
import signal
import sys
import time
from collections import Counter

from processes import DEFAULT_BINARY, Edge, raise_descriptor_limit, settings, start_site
from traffic import CREDENTIALS, EVENTS

FASTER = 30
EDITS = 15


def working_set():
    """Targets and how often each is asked, in the proportions that Zipf found."""
    targets = [f"{EVENTS}?page={page + 1}" for page in range(20)] + [f"{EVENTS}/{event}" for event in range(1, 31)]
    random.Random(1).shuffle(targets)
    return targets, [1 / (rank + 1) for rank in range(len(targets))]


def event(number):
    return b'{"id":%d,"title":"Soak","description":"%s"}' % (number, b"x" * 800)


class Site(asyncio.Protocol):
    """Lists, events, and updates, each after 20 ms."""

    def connection_made(self, transport):
        self.transport, self.unread = transport, b""

    def data_received(self, data):
        self.unread += data
        head, end, body = self.unread.partition(b"\r\n\r\n")
        if not end:
            return
        length = head.lower().partition(b"\r\ncontent-length:")[2].split(b"\r\n")[0]
        if len(body) >= int(length or 0):
            self.unread = b""
            asyncio.get_running_loop().call_later(0.02, self.answer, head.split(b" ")[1])

    def answer(self, target):
        number = target.partition(b"/events/v1/events/")[2].partition(b"?")[0]
        body = event(int(number)) if number else b'{"events":[%s],"total":200}' % b",".join(map(event, range(1, 11)))
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\nContent-Length: %d\r\n\r\n"
        self.transport.write(head % len(body) + body)


async def ask(port, target, write=b""):
    """One request on a connection of its own: its status, with the code of an error, and what the cache says.

    The status is `none` if there was no answer.
    """
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"{'POST' if write else 'GET'} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        if write:
            head += f"Authorization: Basic {CREDENTIALS}\r\nContent-Type: application/json\r\nContent-Length: {len(write)}\r\n"
        writer.write(head.encode() + b"\r\n" + write)
        answer = await asyncio.wait_for(reader.read(), 20)
        writer.close()
    except (OSError, TimeoutError):
        return "none", ""
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").lower().split("\r\n")
    cache = next((line for line in lines if line.startswith("cache-status: ")), "")
    status = lines[0].split(" ")[1] if lines[0] else "none"
    code = b"" if status == "200" else body.partition(b'"code":"')[2].partition(b'"')[0]
    return " ".join(filter(None, (status, code.decode("latin-1")))), cache.partition("calendar-edge; ")[2]


async def readers(port, rate, seconds, tell):
    """Reads of the working set at random moments, this many a second on average."""
    targets, weights = working_set()
    dice, ends, tasks = random.Random(2), time.monotonic() + seconds, []

    async def one(sent):
        target = dice.choices(targets, weights)[0]
        tell(sent, *await ask(port, target), time.monotonic() - sent)

    at = time.monotonic()
    while at < ends:
        tasks.append(asyncio.create_task(one(time.monotonic())))
        at += dice.expovariate(rate)
        await asyncio.sleep(max(0, at - time.monotonic()))
    await asyncio.gather(*tasks)


async def live_through(edge_port, site, seconds):
    """Every read of the working set once, then reads while the site goes and comes back."""
    for target in working_set()[0]:
        await ask(edge_port, target)
    told = []
    reading = asyncio.create_task(readers(edge_port, 60, sum(seconds), lambda *exchange: told.append(exchange)))
    began = time.monotonic()
    await asyncio.sleep(seconds[0])
    port = site[1]
    os.kill(site[0].pid, signal.SIGKILL)
    site[0].join()
    await asyncio.sleep(seconds[1])
    again = start_site(Site, port)
    await reading
    return began, told, again[0]


def outage(chosen):
    seconds, good = (4, 10, 8), True
    for cache in ("true", "false"):
        site = start_site(Site)
        edge = Edge(chosen.binary, settings(site[1]) + f"[cache]\nenabled = {cache}\n")
        try:
            began, told, again = asyncio.run(live_through(edge.port, site, seconds))
        finally:
            edge.end()
        again.terminate()
        print(f"cache.enabled = {cache}; the site is gone from second {seconds[0]} to {seconds[0] + seconds[1]}")
        for second in range(sum(seconds)):
            of_second = [exchange for exchange in told if int(exchange[0] - began) == second]
            statuses = dict(sorted(Counter(exchange[1] for exchange in of_second).items()))
            slowest = max((exchange[3] for exchange in of_second), default=0)
            print(f"{second:3} s  {len(of_second):3} reads  slowest {slowest:6.3f} s  {statuses}")
        failed = sum(exchange[1] != "200" for exchange in told)
        print(f"{len(told)} reads, {failed} failed\n")
        good = good and (failed == 0) == (cache == "true")
    return good


async def edit(port, stop):
    number = 0
    while not stop.is_set():
        await asyncio.sleep(60 / FASTER)
        number += 1
        await ask(port, f"{EVENTS}/{number % 30 + 1}", b'{"title":"Saved"}')


async def with_editor(port, rate):
    told, stop = Counter(), asyncio.Event()
    editing = asyncio.create_task(edit(port, stop))
    await readers(port, rate * FASTER, EDITS * 60 / FASTER, lambda _, status, cache, __: told.update([(status, cache[:3])]))
    stop.set()
    await editing
    return told


def editor(chosen):
    print("one edit a minute; shares of reads that were answered without waiting for the site")
    for name, fresh in (("no companion plugin, fresh 1 s", 1), ("companion plugin heard, fresh 1 h", 3600)):
        for rate in (0.2, 1, 5, 20):
            site = start_site(Site)
            times = f'fresh = "{fresh * 1000 // FASTER}ms"\nstale_while_revalidate = "{30000 // FASTER}ms"\n'
            edge = Edge(chosen.binary, settings(site[1]) + "[cache]\n" + times)
            try:
                told = asyncio.run(with_editor(edge.port, rate))
            finally:
                edge.end()
                site[0].terminate()
            reads, hits = sum(told.values()), sum(number for (_, cache), number in told.items() if cache == "hit")
            failed = Counter()
            for (status, _), number in told.items():
                failed.update({status: number} if status != "200" else {})
            failures = f"{failed.total()} failed {dict(failed) or ''}".rstrip()
            print(f"{name:34} {rate:5} reads a second: {100 * hits / reads:5.1f} % of {reads}, {failures}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("outage", "editor"))
    parser.add_argument("binary", nargs="?", default=DEFAULT_BINARY)
    chosen = parser.parse_args()
    raise_descriptor_limit(2000)
    good = {"outage": outage, "editor": editor}[chosen.what](chosen)
    print("ok" if good else "FAIL see above")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
