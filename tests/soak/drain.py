"""SIGTERM under load: is any request lost, and how does the edge end?

    cargo build --release && python3 tests/soak/drain.py [path/to/calendar-edge] [--clients 48] [--rounds 3]

Each request carries a mark, and the scripted origin behind the edge remembers the marks it saw.

* lost: no whole answer, though the edge had taken the request: the origin saw its mark, or it was sent more than
  100 ms before the signal, or the connection broke within an answer. Must be 0.
* not taken: the edge closed the connection without a byte of an answer, and the origin never saw the mark. On a kept
  connection the request crossed the close; a new connection had just been opened, or still waited to be accepted, when
  the listener closed. Nothing was done: any client may send such a request again.
* refused: a connection begun after the listener closed. No failure: a balancer goes elsewhere.

Exits with 1 when a request is lost, the exit code is not 0, or the end takes more than 15 s.
"""

import argparse
import asyncio
import json
import sys
import time
import urllib.request

from processes import DEFAULT_BINARY, Edge, raise_descriptor_limit, settings, start_origin
from traffic import Client, Tally, keep_asking

LONGEST_END = 15
CERTAINLY_TAKEN = 0.1
# Milliseconds the origin takes, by client: quick, usual, slow, and one that is still running when the others ended.
WAITS = (0, 50, 300, 2500)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default=DEFAULT_BINARY)
    parser.add_argument("--clients", type=int, default=48, help="half of them keep their connection")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    if not (1 <= chosen.clients <= 500 and 1 <= chosen.rounds <= 20):
        parser.error("at most 500 clients and 20 rounds")
    return chosen


async def load_and_stop(edge, clients):
    """Three seconds of load, the signal, load until the edge is gone; returns tally, signal time, end time, code."""
    tally, stop = Tally(), asyncio.Event()
    tasks = [
        asyncio.create_task(keep_asking(Client(edge.port, tally, n % 2 == 0), 0.01, stop, f"-wait-{wait_of(n)}"))
        for n in range(clients)
    ]
    await asyncio.sleep(3)
    signalled = time.monotonic()
    # One signal only: a second one would end the edge at once.
    code = await asyncio.to_thread(edge.end, 2 * LONGEST_END)
    ended = time.monotonic()
    stop.set()
    await asyncio.gather(*tasks)
    return tally, signalled, ended, code


def wait_of(client):
    """One client in sixteen is slow, so that the places toward the origin are not all taken by slow ones."""
    return WAITS[3] if client % 16 == 15 else WAITS[client % 3]


def seen_by(origin_port):
    with urllib.request.urlopen(f"http://127.0.0.1:{origin_port}/seen", timeout=10) as answer:
        return set(json.load(answer))


def sort_out(tally, signalled, seen):
    """Counts the exchanges by what became of them."""
    counts = {"answered": 0, "answered after the signal": 0, "busy (503)": 0, "other status": 0}
    counts |= {"lost": 0, "not taken, kept connection": 0, "not taken, new connection": 0, "refused": 0}
    for exchange in tally.exchanges:
        counts[fate(exchange, signalled, seen)] += 1
        counts["answered after the signal"] += exchange.good and exchange.ended > signalled
    return counts


def fate(exchange, signalled, seen):
    if exchange.good:
        return "answered"
    if exchange.outcome == "refused":
        return "refused"
    if exchange.outcome.isdigit():
        return "busy (503)" if exchange.outcome == "503" else "other status"
    taken = exchange.mark in seen or exchange.sent < signalled - CERTAINLY_TAKEN or exchange.outcome == "partial"
    if taken:
        return "lost"
    return "not taken, new connection" if exchange.first_on_connection else "not taken, kept connection"


def with_places(toml, clients):
    """A place toward the origin for every client: the end is the question here, not the capacity."""
    return toml.replace("namespace =", f"max_in_flight = {clients}\nnamespace =")


def one_round(chosen):
    """Prints one round; says whether all was well."""
    origin, origin_port = start_origin()
    try:
        edge = Edge(chosen.binary, with_places(settings(origin_port), chosen.clients))
        try:
            tally, signalled, ended, code = asyncio.run(load_and_stop(edge, chosen.clients))
        finally:
            edge.end()
        counts = sort_out(tally, signalled, seen_by(origin_port))
    finally:
        origin.end()
    print(f"exit code {code} after {ended - signalled:.2f} s; {counts}", flush=True)
    return code == 0 and ended - signalled <= LONGEST_END and counts["lost"] == 0 and counts["other status"] == 0


def main():
    chosen = arguments()
    raise_descriptor_limit(chosen.clients + 500)
    verdicts = [one_round(chosen) for _ in range(chosen.rounds)]
    print("ok   no request is lost" if all(verdicts) else "FAIL see above")
    sys.exit(0 if all(verdicts) else 1)


if __name__ == "__main__":
    main()
