"""Clients, an editor and probes that watch a fleet, and what they found."""

import asyncio
import json
import random
import re
import time
import urllib.error
import urllib.request
from collections import Counter, defaultdict
from dataclasses import dataclass

import counting_site
from faults import EDGES, RECONCILE, SECRET
from traffic import CREDENTIALS, EVENTS, Client, Request, Tally

TITLE = re.compile(rb'"title":"(\d+)"')
READERS = 2
EDIT_EVERY = 0.5
# Requests a second of the greedy client's bucket, and how many it sends.
RATE, GREED = 10, 100
# Seconds: S4 with a store, to which the slowest read is added, because an edge that gets no processor hears nothing either;
# and S4 while an edge is alone, with half a second for a busy machine.
NEWEST, NEWEST_ALONE = 0.3, RECONCILE / 2 + 1 + 0.5


@dataclass(frozen=True)
class Ask(Request):
    """A read in the name of an address, with more headers."""

    headers: str = ""

    def wire(self):
        return f"GET {self.target} HTTP/1.1\r\nHost: localhost\r\n{self.headers}\r\n".encode()


def for_address(address, more=""):
    return f"X-Forwarded-For: {address}\r\n{more}"


class Seen:
    """What was seen in one phase."""

    def __init__(self):
        self.outcomes, self.late, self.slowest, self.slowest_login = Counter(), 0.0, 0.0, 0.0

    def __str__(self):
        times = f"slowest read {self.slowest * 1000:4.0f} ms, login {self.slowest_login * 1000:4.0f} ms"
        return f"{dict(sorted(self.outcomes.items()))}, {times}, stalest {self.late:.2f} s"


class Watch:
    """All observers of a fleet, from `start` to `end`."""

    def __init__(self, world):
        self.world, self.phase = world, "start"
        self.seen, self.failures, self.told = defaultdict(Seen), [], []
        self.count = self.probes = self.unready = self.allowed = 0
        self.stopping = asyncio.Event()
        self.tasks = []

    def start(self):
        for place, member in enumerate(self.world.members):
            readers = [self.reading(member, f"192.0.2.{10 * place + one}") for one in range(READERS)]
            watchers = [*readers, self.logging_in(member, f"192.0.2.{10 * place + 9}"), self.probing(member), self.being_greedy(member)]
            self.tasks += [asyncio.create_task(watcher) for watcher in watchers]
        self.tasks.append(asyncio.create_task(self.editing()))

    async def end(self):
        self.stopping.set()
        await asyncio.gather(*self.tasks)
        for member in self.world.members:
            member.relay.close()

    def recovered(self):
        """The fault is over: from now on the promises for a whole fleet count."""
        self.phase = "calm"

    async def asking(self, member, build, pause, heed):
        """Asks one edge again and again, on the port that it has now."""
        client = Client(member.edge.port, Tally())
        while not self.stopping.is_set():
            if member.away:
                await asyncio.sleep(0.05)
                continue
            if client.port != member.edge.port:
                client.close()
                client.port = member.edge.port
            phase, sent = self.phase, time.monotonic()
            outcome = await client.ask(lambda mark, _: build(mark))
            client.tally.exchanges.clear()
            # An edge that was stopped finds its deadlines passed.
            if member.interrupted < sent:
                heed(phase, sent, outcome, client.answer)
            await asyncio.sleep(pause)
        client.close()

    def heed(self, phase, sent, outcome, good=("200",)):
        """Counts one request; returns what was seen in its phase."""
        seen, self.count = self.seen[phase], self.count + 1
        seen.outcomes[outcome] += 1
        if outcome not in good:
            self.failures.append(f"{phase}: {outcome} after {time.monotonic() - sent:.2f} s")
        return seen

    async def reading(self, member, address):
        def heed(phase, sent, outcome, body):
            seen = self.heed(phase, sent, outcome)
            seen.slowest = max(seen.slowest, time.monotonic() - sent)
            if titles := TITLE.findall(body):
                # A read that crosses the end of a calm is judged as those in a fault.
                seen = self.seen[phase if phase == self.phase else "crossing"]
                seen.late = max(seen.late, self.lateness(member, sent, int(titles[0])))

        await self.asking(member, lambda mark: Ask("GET", f"{EVENTS}?page={mark % 10 + 1}", headers=for_address(address)), 0.02, heed)

    def lateness(self, member, sent, number):
        """For how long some edge had known a newer change than this one when a read was sent."""
        newer = next((at for at, told in self.told if told > number), None)
        return max(0.0, sent - max(newer, member.woken)) if newer else 0.0

    async def logging_in(self, member, address):
        def heed(phase, sent, outcome, _):
            seen = self.heed(phase, sent, outcome)
            seen.slowest_login = max(seen.slowest_login, time.monotonic() - sent)

        headers = for_address(address, f"Authorization: Basic {CREDENTIALS}\r\n")
        await self.asking(member, lambda mark: Ask("GET", f"{EVENTS}?page={mark % 10 + 1}", headers=headers), 0.1, heed)

    async def being_greedy(self, member):
        def heed(phase, sent, outcome, _):
            self.allowed += outcome == "200"
            self.heed(phase, sent, outcome, ("200", "429"))

        headers = for_address("198.51.100.1")
        pause = len(self.world.members) / GREED
        await self.asking(member, lambda _: Ask("GET", f"{EVENTS}/1", headers=headers), pause, heed)

    async def greedy_share(self, seconds):
        """What the greedy client gets now, as a part of its rate."""
        before = self.allowed
        await asyncio.sleep(seconds)
        return (self.allowed - before) / (RATE * seconds)

    async def editing(self):
        """Changes the site, and tells one edge; what none heard is told with the next change."""
        owed = []
        while not self.stopping.is_set():
            owed.append(await asyncio.to_thread(counting_site.change, self.world.site_port))
            member = random.choice(self.world.present())
            try:
                await asyncio.to_thread(counting_site.tell, member.edge.admin_port, SECRET, owed)
                self.told.append((time.monotonic(), owed[-1]))
                owed = []
            except (urllib.error.URLError, OSError) as fault:
                if not member.away:
                    self.failures.append(f"{self.phase}: a message of the plugin: {fault}")
            await asyncio.sleep(EDIT_EVERY)

    async def probing(self, member):
        while not self.stopping.is_set():
            begun = time.monotonic()
            if not member.away:
                is_ready = await asyncio.to_thread(get, member.edge.admin_port, "/readyz") is not None
                if member.interrupted < begun:
                    self.probes, self.unready = self.probes + 1, self.unready + (not is_ready)
            await asyncio.sleep(0.25)

    async def until(self, holds, members, seconds):
        """How long it takes until something holds of what these edges say of the fleet; infinite if longer than allowed."""
        begun = time.monotonic()
        while time.monotonic() < begun + seconds:
            found = [await asyncio.to_thread(get, member.edge.admin_port, "/status") for member in members]
            if all(holds(json.loads(status or b"{}").get("fleet") or {}) for status in found):
                return time.monotonic() - begun
            await asyncio.sleep(0.05)
        return float("inf")

    def staleness(self):
        """The verdicts about stale responses."""
        calm, newest = self.seen["calm"].late, NEWEST + self.seen["calm"].slowest
        rest = max((seen.late for phase, seen in self.seen.items() if phase != "calm"), default=0)
        return {
            f"calm: no response is staler than {newest:.2f} s: {calm:.2f} s": calm <= newest and len(self.told) > 20,
            f"faults: no response is staler than {NEWEST_ALONE} s: {rest:.2f} s": rest <= NEWEST_ALONE,
        }


def get(port, path):
    """The body of an answer of 200; None without one."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.read()
    except (urllib.error.URLError, OSError):
        return None


def is_together(fleet):
    # An edge that was killed is a member for ten more seconds.
    return fleet.get("together") is True and len(fleet.get("members", [])) >= EDGES


def is_alone(fleet):
    return fleet.get("together") is False
