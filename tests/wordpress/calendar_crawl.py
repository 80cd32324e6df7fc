#!/usr/bin/env python3
"""Crawls the calendar of a real site through an edge as robots do, while visitors read it.

    calendar_crawl.py FOLDER HOST EDGE [COUNT [PER_SECOND]]

FOLDER is that of WordPress, HOST and EDGE are as in 127.0.0.1:8092. Asks for COUNT addresses (10,000): months and days of a
century, lists from a date, categories, tags and featured events, calendar files, and unknown parameters, in a fixed random
order, over eight connections, as fast as they are answered or so many in a second. A visitor reads /events/ before and meanwhile. Prints who answered, by kind of address, and
the visitor's times. Ask it of an edge with `calendar_pages` off and in force.

To know who answered, the site gets a must-use plugin that says so in a header, as for calendar_judge.py.
"""

import http.client
import random
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

sys.dont_write_bytecode = True

from calendar_judge import SIGN

FIRST = date(2020, 1, 1)
DAYS = 36_525
THREADS = 8
local = threading.local()


def address(chance):
    """An address as robots find it, with the kind of page."""
    day = FIRST + timedelta(days=chance.randrange(DAYS))
    month = day.strftime("%Y-%m")
    filtered = chance.choice(["", "", "", "category/music/", "category/music/jazz/", "tag/free/"])
    kinds = {
        "month": f"/events/{filtered}{month}/",
        "day": f"/events/{filtered}{day}/",
        "featured": f"/events/{day}/featured/",
        "list": f"/events/{filtered}list/?tribe-bar-date={day}",
        "calendar file": f"/events/{filtered}{day}/?ical=1",
        "parameters": f"/events/{filtered}{month}/?shortcode={chance.randrange(10**6)}",
    }
    kind = chance.choices(list(kinds), [4, 6, 1, 3, 3, 1])[0]
    return kind, kinds[kind]


def ask(edge, target):
    """The status, whether WordPress answered, and the seconds that it took."""
    begun = time.monotonic()
    for attempt in range(2):
        connection = getattr(local, "connection", None)
        if connection is None:
            connection = local.connection = http.client.HTTPConnection(edge, timeout=60)
        try:
            connection.request("GET", target)
            answer = connection.getresponse()
            answer.read()
            return answer.status, answer.headers.get("X-Calendar-Judge") is not None, time.monotonic() - begun
        except (OSError, http.client.HTTPException):
            connection.close()
            local.connection = None
            if attempt:
                raise


def visit(edge, seconds, over):
    """A visitor's times over a number of seconds, or until the crawl is over."""
    times, begun = [], time.monotonic()
    while not over.is_set() and time.monotonic() - begun < seconds:
        times.append(ask(edge, "/events/")[2])
        time.sleep(0.2)
    return sorted(times)


def told(name, times):
    at = lambda part: times[min(len(times) - 1, int(len(times) * part))]
    print(f"visitor {name}: {len(times)} reads, p50 {at(0.5):.3f} s, p99 {at(0.99):.3f} s")


def main():
    folder, host, edge = sys.argv[1:4]
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 10_000
    pause = 1 / float(sys.argv[5]) if len(sys.argv) > 5 else 0
    sign = Path(folder) / "wp-content/mu-plugins/calendar-judge.php"
    sign.parent.mkdir(exist_ok=True)
    sign.write_text(SIGN)
    sign.chmod(0o644)
    time.sleep(3)
    chance = random.Random(7)
    targets = [address(chance) for _ in range(count)]
    over = threading.Event()
    told("before", visit(edge, 30, over))
    seen = Counter()
    with ThreadPoolExecutor(THREADS + 1) as pool:
        visitor = pool.submit(visit, edge, 10**6, over)
        begun = time.monotonic()

        def crawl(number):
            time.sleep(max(0, begun + number * pause - time.monotonic()))
            return ask(edge, targets[number][1])

        for (kind, _), (status, by_site, _) in zip(targets, pool.map(crawl, range(count))):
            seen[kind, "WordPress" if by_site else "edge", status] += 1
        seconds = time.monotonic() - begun
        over.set()
        told("meanwhile", visitor.result())
    runs = sum(times for (_, who, _), times in seen.items() if who == "WordPress")
    print(f"{count} addresses of {host} in {seconds:.0f} s: WordPress answered {runs}")
    for (kind, who, status), times in sorted(seen.items()):
        print(f"{times:7} {kind}: {status} by {who}")
    sign.unlink()


if __name__ == "__main__":
    main()
