"""How soon all edges of a fleet follow one of them: a removal that one is told, and a rule that one guard returns."""

import asyncio
import http.client
import json
import math
import threading
import time
from contextlib import closing

import counting_site
from faults import EDGES, SECRET
from observers import TITLE, for_address, get, is_together
from processes import Edge, settings, start_site
from stores import Store, fleet
from traffic import EVENTS

POLL = 0.001
LONGEST_WAIT = 10
# Seconds that FLEET's promises allow to half of the edges and to 99 of 100, on a machine that has nothing else to do.
REMOVAL, GUARD = (0.060, 0.150), (0.150, 0.150)
VENUES = EVENTS.replace("/events/v1/events", "/events/v1/venues")
RULE = "moved"
GUARDED = """
[backends.next]
url = "http://127.0.0.1:{port}/wp-json"
[[cutover]]
name = "{rule}"
backend = "next"
operations = ["venues.*"]
same_store = true
guard = {{ window = "1m", calls = 5, failures = "20%" }}
"""


class Candidate(asyncio.Protocol):
    """Another backend, which fails or not: `POST /fail` and `POST /work` say which."""

    fails = False

    def connection_made(self, transport):
        self.transport, self.unread = transport, b""

    def data_received(self, data):
        self.unread += data
        while (end := self.unread.find(b"\r\n\r\n")) >= 0:
            head, self.unread = self.unread[:end], self.unread[end + 4 :]
            if head.startswith(b"POST"):
                Candidate.fails = b"/fail" in head.split(b"\r\n", 1)[0]
            status = b"500 Internal Server Error" if Candidate.fails and head.startswith(b"GET") else b"200 OK"
            body = b'{"venues":[],"total":0,"total_pages":0}'
            lines = [b"HTTP/1.1 " + status, b"Content-Type: application/json", b"Content-Length: %d" % len(body), b"", body]
            self.transport.write(b"\r\n".join(lines))


class Fleet:
    """Edges that reach their store without a relay, which would be slower than they are."""

    def __init__(self, binary, server, scratch, site_port, more=""):
        self.site_port = site_port
        (scratch / "fleet-secret").touch(0o600)
        (scratch / "fleet-secret").write_text(SECRET)
        self.store = Store(server, scratch)
        of_site = settings(site_port).replace("[origin]", f'[origin]\nsecret_file = "{scratch / "fleet-secret"}"')
        text = 'trusted_proxies = ["127.0.0.1"]\n' + of_site + more + fleet(self.store.url, scratch)
        self.edges = [Edge(binary, text) for _ in range(EDGES)]
        until = time.monotonic() + LONGEST_WAIT
        while not all(is_together(json.loads(get(edge.admin_port, "/status") or b"{}").get("fleet") or {}) for edge in self.edges):
            if time.monotonic() > until:
                self.close()
                raise RuntimeError("the edges are not together")
            time.sleep(0.05)

    def close(self):
        for process in [*getattr(self, "edges", []), self.store]:
            process.end()


def ask(port, method, target, headers=None):
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
        connection.request(method, target, headers=headers or {})
        return connection.getresponse().read()


def watch(port, target, holds, seen, place):
    """Asks again and again; notes when the first request was sent whose answer is as it should be."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
        until = time.monotonic() + LONGEST_WAIT
        while (sent := time.monotonic()) < until:
            connection.request("GET", target)
            if holds(connection.getresponse().read()):
                seen[place] = sent
                return
            time.sleep(POLL)


def watch_all(ports, target, holds, act):
    """Does something while all are watched; returns when each was first seen as it should be."""
    seen = [math.inf] * len(ports)
    watchers = [threading.Thread(target=watch, args=(port, target, holds, seen, place)) for place, port in enumerate(ports)]
    for watcher in watchers:
        watcher.start()
    act()
    for watcher in watchers:
        watcher.join()
    return seen


def removals(binary, server, scratch, site_port, rounds):
    """From the message of the plugin to one edge until each of the others asks the site again."""
    times, target = [], f"{EVENTS}?page=1"
    with closing(Fleet(binary, server, scratch, site_port)) as world:
        for turn in range(rounds):
            told = world.edges[turn % EDGES]
            others = [edge.port for edge in world.edges if edge is not told]
            # All store the list, at any time between two exchanges.
            time.sleep(0.15 + turn * 61 % 100 / 1000)
            for edge in world.edges:
                ask(edge.port, "GET", target)
            number, begun = counting_site.change(site_port), []

            def tell(edge=told, number=number, begun=begun):
                begun.append(time.monotonic())
                counting_site.tell(edge.admin_port, SECRET, [number])

            def shows(body, number=number):
                return [int(title) for title in TITLE.findall(body)][:1] == [number]

            seen = watch_all(others, target, shows, tell)
            times += [max(0.0, at - begun[0]) for at in seen]
    return times


def returns(binary, server, scratch, site_port, rounds):
    """From the moment that one edge says that its guard has returned the rule until all say so."""
    candidate, port = start_site(Candidate)
    times = []
    try:
        with closing(Fleet(binary, server, scratch, site_port, GUARDED.format(port=port, rule=RULE))) as world:
            admins = [edge.admin_port for edge in world.edges]
            for turn in range(rounds):
                # An edge that nobody calls exchanges once a second.
                for edge in world.edges:
                    ask(edge.port, "GET", f"{EVENTS}?page=1")
                ask(port, "POST", "/fail")
                times += returned_by(world.edges[turn % EDGES], admins, turn)
                ask(port, "POST", "/work")
                ask(admins[(turn + 1) % EDGES], "POST", f"/migration/resume/{RULE}")
                watch_all(admins, "/migration", lambda body: not is_returned(body), lambda: None)
    finally:
        candidate.terminate()
    return times


def returned_by(edge, admins, turn):
    """Calls of different clients at one edge until the rule is returned; how long the others take then."""

    def call():
        for client in range(20):
            if is_returned(ask(edge.admin_port, "GET", "/migration")):
                return
            header = for_address(f"203.0.113.{(20 * turn + client) % 250 + 1}").strip().split(": ", 1)
            ask(edge.port, "GET", f"{VENUES}?page={client % 10 + 1}&search=r{turn}", dict([header]))

    seen = watch_all(admins, "/migration", is_returned, call)
    return [at - min(seen) for at in seen if at != min(seen)]


def is_returned(body):
    return json.loads(body)["rules"][0]["returned"] is not None


def measure(names, binary, server, scratch, site_port, rounds):
    """Prints the percentiles of each measurement; true if they are within the promise."""
    good = True
    for name in names:
        run, (half, most) = MEASUREMENTS[name]
        folder = scratch / name
        folder.mkdir()
        times = sorted(run(binary, server, folder, site_port, rounds))
        p50, p99 = times[len(times) // 2], times[min(len(times) * 99 // 100, len(times) - 1)]
        holds = p50 <= half and p99 <= most
        good = good and holds
        limits = f"at most {half * 1000:.0f} and {most * 1000:.0f} ms"
        print(f"{'ok  ' if holds else 'FAIL'} {name}, {len(times)} times: p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms, {limits}")
    return good


MEASUREMENTS = {"removal": (removals, REMOVAL), "guard": (returns, GUARD)}
