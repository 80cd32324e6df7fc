"""The origin goes away under load and comes back: what do clients see, second by second, and how soon is all well?

    cargo build --release && python3 tests/soak/outage.py [path/to/calendar-edge] [--how killed|frozen]

`killed`: the origin's process ends, so that connections are refused; a new one takes its port. `frozen`: the process is
stopped, so that connections open and nothing answers; it is woken again.

Service is back with the end of the last failed request that was sent after the origin had come back.
Exits with 1 when that takes more than 5 s (killed) or 15 s (frozen), or when a client got no answer at all.
"""

import argparse
import asyncio
import signal
import sys
import time
from collections import Counter

from processes import DEFAULT_BINARY, Edge, raise_descriptor_limit, settings, start_origin
from traffic import Client, Tally, keep_asking

LONGEST_RETURN = {"killed": 5, "frozen": 15}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default=DEFAULT_BINARY)
    parser.add_argument("--how", choices=LONGEST_RETURN, default="killed")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--good", type=int, default=4, help="seconds before the outage")
    parser.add_argument("--outage", type=int, default=10, help="seconds without the origin")
    parser.add_argument("--after", type=int, default=12, help="seconds after it")
    chosen = parser.parse_args()
    if not 1 <= chosen.clients <= 200 or not 1 <= chosen.good + chosen.outage + chosen.after <= 300:
        parser.error("at most 200 clients and 300 seconds")
    return chosen


class Origin:
    """The origin, which can go and come back at the same port."""

    def __init__(self, how):
        self.how = how
        self.process, self.port = start_origin()

    def go(self):
        if self.how == "frozen":
            self.process.signal(signal.SIGSTOP)
        else:
            self.process.signal(signal.SIGKILL)
            self.process.child.wait()

    def come_back(self):
        if self.how == "frozen":
            self.process.signal(signal.SIGCONT)
        else:
            self.process, _ = start_origin(self.port)

    def end(self):
        self.process.signal(signal.SIGCONT)
        self.process.end()


async def live_through(chosen, origin, port):
    """Load before, during and after the outage; returns the tally and when the three began."""
    tally, stop = Tally(), asyncio.Event()
    began = time.monotonic()
    tasks = [asyncio.create_task(keep_asking(Client(port, tally), 0.05, stop)) for _ in range(chosen.clients)]
    await asyncio.sleep(chosen.good)
    gone = time.monotonic()
    origin.go()
    await asyncio.sleep(chosen.outage)
    await asyncio.to_thread(origin.come_back)
    back = time.monotonic()
    await asyncio.sleep(chosen.after)
    stop.set()
    await asyncio.gather(*tasks)
    return tally, began, gone, back


def print_seconds(tally, began, gone, back):
    """One line for each second: outcomes by the second in which a request was sent, and the slowest of them."""
    seconds = {}
    for exchange in tally.exchanges:
        seconds.setdefault(int(exchange.sent - began), []).append(exchange)
    for second in range(max(seconds) + 1):
        exchanges = seconds.get(second, [])
        outcomes = dict(sorted(Counter(e.outcome for e in exchanges).items()))
        slowest = max((e.seconds for e in exchanges), default=0)
        marks = [word for word, at in (("origin gone", gone), ("origin back", back)) if int(at - began) == second]
        print(f"{second:3} s  slowest {slowest:6.3f} s  {outcomes} {', '.join(marks)}")


def time_to_return(tally, back):
    """From the origin's return to the first good answer, and to the end of the last failure sent since."""
    later = [e for e in tally.exchanges if e.sent >= back]
    first = min((e.ended for e in later if e.good), default=float("inf"))
    last = max((e.ended for e in later if not e.good), default=first)
    return first - back, max(first, last) - back


def report(chosen, tally, began, gone, back):
    print_seconds(tally, began, gone, back)
    first, whole = time_to_return(tally, back)
    unanswered = sum(not e.outcome.isdigit() for e in tally.exchanges)
    slowest = max(e.seconds for e in tally.exchanges)
    print(f"first good answer {first:.2f} s after the origin's return, the last failure over after {whole:.2f} s")
    print(f"requests without any answer: {unanswered}; slowest answer {slowest:.2f} s")
    return whole <= LONGEST_RETURN[chosen.how] and unanswered == 0


def main():
    chosen = arguments()
    raise_descriptor_limit(chosen.clients + 500)
    origin = Origin(chosen.how)
    try:
        edge = Edge(chosen.binary, settings(origin.port))
        try:
            good = report(chosen, *asyncio.run(live_through(chosen, origin, edge.port)))
        finally:
            edge.end()
    finally:
        origin.end()
    print("ok   service is back in time" if good else "FAIL see above")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
