"""Reloads many times a second under load: does every request succeed, on its connection and under one configuration?

    cargo build --release && python3 tests/soak/reload.py [path/to/calendar-edge] [--seconds 20] [--rate 20]

Every good configuration has a number, which stands in the origin's path and in the public name. The path decides where
a request goes, the name is written into its answer later: an answer made under one configuration shows the same number
twice. Between good files come bad ones, which bear numbers too: none of those may ever be seen.

Quiet connections, opened before the first reload, ask once more after the last one.

Exits with 1 when a request fails, a connection is lost, an answer mixes two configurations, shows a refused one or one
older than an answer before it on the same connection, the last good file is not in force in the end, or too few reloads were made.
"""

import argparse
import asyncio
import itertools
import re
import signal
import sys
import urllib.request

from certificate import Certificate
from http2 import Connection, Http2Client
from processes import DEFAULT_BINARY, Edge, raise_descriptor_limit, settings, start_origin
from traffic import Client, Tally, read_of

MOST = {"seconds": 300, "rate": 200, "clients": 64, "kept": 5_000}
SHARING = 4
SETTLING = 5
# Requests that wait at the origin live through several reloads.
SCRIPTS = ("", "", "-wait-200")
ASKED = re.compile(rb'"asked":"/c(\d+)/wp-json"')
NAMED = re.compile(rb'"rest_url":"https:\\/\\/c(\d+)\.example\\/wp-json\\/calendar\\/')


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default=DEFAULT_BINARY)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rate", type=int, default=20, help="files written a second")
    parser.add_argument("--clients", type=int, default=16, help="of each protocol, asking all the time")
    parser.add_argument("--kept", type=int, default=500, help="quiet connections")
    chosen = parser.parse_args()
    for name, most in MOST.items():
        if not 1 <= getattr(chosen, name) <= most:
            parser.error(f"--{name} is 1 to {most}")
    return chosen


class Files:
    """Configurations with their numbers, good and bad in turns."""

    def __init__(self, origin_port, certificate):
        self.base = settings(origin_port, certificate)
        self.numbers = itertools.count()
        self.bad_ways = itertools.cycle((self.no_toml, self.unknown_key, self.out_of_range, self.no_certificate, self.empty))
        self.good = []

    def next_good(self):
        number = next(self.numbers)
        self.good.append(number)
        return self.numbered(number)

    def next_bad(self):
        return next(self.bad_ways)(self.numbered(next(self.numbers)))

    def numbered(self, number):
        named = self.base.replace("/wp-json", f"/c{number}/wp-json").replace('namespace =', 'max_in_flight = 1000\nnamespace =')
        return f'public_url = "https://c{number}.example"\n' + named

    @staticmethod
    def no_toml(text):
        return text + "[[[\n"

    @staticmethod
    def unknown_key(text):
        return "listem = 1\n" + text

    @staticmethod
    def out_of_range(text):
        return text.replace("1000", "0")

    @staticmethod
    def no_certificate(text):
        return text.replace("certificate.pem", "none.pem")

    @staticmethod
    def empty(_):
        return ""


class Witness:
    """What answers say about the configurations they were made under."""

    def __init__(self, files):
        self.files = files
        self.mixed = self.refused = self.older = 0
        self.seen = set()

    def note(self, answer, newest):
        """`newest` is what earlier answers to the same client have shown; returns what is so now."""
        numbers = [int(found[1]) for found in (ASKED.search(answer), NAMED.search(answer)) if found]
        if len(numbers) < 2 or numbers[0] != numbers[1]:
            self.mixed += 1
            return newest
        self.refused += numbers[0] not in self.files.good
        self.older += numbers[0] < newest
        self.seen.add(numbers[0])
        return max(newest, numbers[0])


async def ask_all_the_time(client, witness, stop):
    newest = 0
    for script in itertools.cycle(SCRIPTS):
        if stop.is_set():
            return
        if await client.ask(read_of, script) == "200":
            newest = witness.note(client.answer, newest)
        await asyncio.sleep(0.01)


async def storm(chosen, edge, files):
    """Writes files, each renamed over the last one and followed by the signal; says how many."""
    new = edge.config.with_suffix(".new")
    written = 0
    until = asyncio.get_running_loop().time() + chosen.seconds
    while asyncio.get_running_loop().time() < until:
        new.write_text(files.next_bad() if written % 3 == 2 else files.next_good())
        new.rename(edge.config)
        edge.signal(signal.SIGHUP)
        written += 1
        await asyncio.sleep(1 / chosen.rate)
    return written


async def settled(edge, files):
    """Whether a last good file, after a last bad one, is soon in force."""
    tally = Tally()
    for text in (files.next_bad(), files.next_good()):
        edge.config.write_text(text)
        edge.signal(signal.SIGHUP)
        await asyncio.sleep(0.2)
    client = Client(edge.port, tally)
    for _ in range(SETTLING * 10):
        await client.ask(read_of)
        named = NAMED.search(client.answer)
        if named and int(named[1]) == files.good[-1]:
            client.close()
            return True
        await asyncio.sleep(0.1)
    return False


def reloads(edge):
    """How many the edge has made and refused, by its own count."""
    with urllib.request.urlopen(f"http://127.0.0.1:{edge.admin_port}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    return {found[1]: int(found[2]) for found in re.finditer(r'^edge_config_reloads_total\{.*?"(\w+)"\} (\d+)', text, re.M)}


async def run(chosen, edge, files, certificate):
    tally, kept_tally, witness, stop = Tally(), Tally(), Witness(files), asyncio.Event()
    kept = [Client(edge.port, kept_tally) for _ in range(chosen.kept)]
    for client in kept:
        await client.ask(read_of)
    context = certificate.context("h2")
    shared = [Connection(edge.tls_port, context) for _ in range(0, chosen.clients, SHARING)]
    clients = [Client(edge.port, tally) for _ in range(chosen.clients)]
    clients += [Http2Client(shared[n // SHARING], tally) for n in range(chosen.clients)]
    tasks = [asyncio.create_task(ask_all_the_time(client, witness, stop)) for client in clients]
    written = await storm(chosen, edge, files)
    last = await settled(edge, files)
    stop.set()
    await asyncio.gather(*tasks)
    for client in kept:
        await client.ask(read_of)
    opened = sum(exchange.first_on_connection for exchange in tally.exchanges + kept_tally.exchanges)
    for one in clients + kept + shared:
        one.close()
    counted = reloads(edge)
    print(f"files written: {written}; the edge counts {counted}; configurations seen in answers: {len(witness.seen)}")
    print(f"requests: {len(tally.exchanges)}, {tally.outcomes()}; on quiet connections {kept_tally.outcomes()}")
    print(f"latency: median {tally.latency(50) * 1000:.0f} ms, 99 % {tally.latency(99) * 1000:.0f} ms, most {tally.latency(100) * 1000:.0f} ms")
    print(f"answers under two configurations: {witness.mixed}, under a refused one: {witness.refused}, under an older one: {witness.older}")
    connections = chosen.clients + len(shared) + chosen.kept
    print(f"connections opened: {opened} for {connections}")
    return {
        "no request fails": tally.success() == kept_tally.success() == 1,
        "no connection is lost": opened == connections,
        "each answer is made under one configuration": not witness.mixed,
        "no refused configuration is ever in force": not witness.refused,
        "no configuration comes back": not witness.older,
        "the last good file is in force": last,
        "good and bad files were reloaded, twice a second or more": all(n >= chosen.seconds for n in counted.values()) and len(counted) == 2,
    }


def main():
    chosen = arguments()
    raise_descriptor_limit(2 * chosen.clients + chosen.kept + 2_000)
    certificate = Certificate()
    origin, origin_port = start_origin()
    try:
        files = Files(origin_port, certificate)
        edge = Edge(chosen.binary, files.next_good())
        try:
            verdicts = asyncio.run(run(chosen, edge, files, certificate))
        finally:
            edge.end()
    finally:
        origin.end()
    for claim, holds in verdicts.items():
        print(f"{'ok  ' if holds else 'FAIL'} {claim}")
    sys.exit(0 if all(verdicts.values()) else 1)


if __name__ == "__main__":
    main()
