"""The edges of a fleet, their store and the relays between them, and what happens to them."""

import asyncio
import re
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from processes import Edge, settings
from relay import Relay
from stores import Store, fleet

EDGES = 3
USER, PASSWORD = "edge", "a password for soaks"
RECONCILE = 4
SECRET = "a secret of a fleet that is used in soaks only"
KEPT = {"boot", "n", "log", "members", "rules", "removals"}
# Keys of the file itself come before all tables.
BEFORE = 'trusted_proxies = ["127.0.0.1"]\n'
TABLES = f"""
[cache]
reconcile = "{RECONCILE}s"
stale_while_revalidate = "0s"
[rate_limits]
failed_logins = "10/1m"
[rate_limits.address]
items = "20/2s"
"""


class Member:
    """One edge, its relay, and when it was last interrupted; `away` while it is killed or stopped."""

    def __init__(self, relay):
        self.relay, self.edge = relay, None
        self.away, self.interrupted, self.woken = False, 0.0, 0.0


class World:
    """Everything that can fail."""

    def __init__(self, binary, server, scratch, site_port):
        self.binary, self.server, self.scratch, self.site_port = binary, server, scratch, site_port
        for name, text in (("fleet-secret", SECRET), ("password", PASSWORD)):
            (scratch / name).touch(0o600)
            (scratch / name).write_text(text)
        self.store, self.rights = None, ["~*", "+@all"]
        self.start_store(0)
        self.members = [Member(Relay(self.store.port)) for _ in range(EDGES)]
        self.rights = self.needed_rights()
        self.let_in()

    def start_store(self, port):
        self.store = Store(self.server, self.scratch, port)
        self.let_in()

    def let_in(self):
        self.store.ask("ACL", "SETUSER", USER, "reset", "on", f">{PASSWORD}", *self.rights)

    def needed_rights(self):
        """What `check` prints for the store's ACL file: the edges have no other rights."""
        file = self.scratch / "edge.toml"
        file.write_text(self.settings_of(self.store.port))
        said = subprocess.run([self.binary, "check", "--config", file], capture_output=True, text=True, timeout=60, check=False)
        line = re.search(rf"user {USER} on >PASSWORD (.*)", said.stdout + said.stderr)
        if not line:
            raise RuntimeError(f"`check` names no rights: {said.stdout} {said.stderr}")
        return line[1].split()

    async def start(self):
        for member in self.members:
            await member.relay.open()
        await asyncio.gather(*(self.start_edge(member) for member in self.members))

    def settings_of(self, store_port):
        more = f'user = "{USER}"\npassword_file = "{self.scratch / "password"}"\n'
        of_site = settings(self.site_port).replace("[origin]", f'[origin]\nsecret_file = "{self.scratch / "fleet-secret"}"')
        return BEFORE + of_site + TABLES + fleet(f"redis://127.0.0.1:{store_port}", self.scratch, more)

    async def start_edge(self, member):
        member.edge = await asyncio.to_thread(Edge, self.binary, self.settings_of(member.relay.port))
        member.away, member.woken = False, time.monotonic()

    def interrupt(self, member, number):
        member.away, member.interrupted = True, time.monotonic()
        member.edge.signal(number)

    def wake(self, member):
        member.edge.signal(signal.SIGCONT)
        member.away, member.woken = False, time.monotonic()

    def present(self):
        return [member for member in self.members if not member.away]

    def keys_without_an_end(self):
        """The keys that would stay in the store for ever, besides those that the fleet has one of."""
        keys = [key.decode() for key in self.store.ask("KEYS", "*")]
        return [key for key in keys if key.split(":", 2)[-1] not in KEPT and self.store.ask("TTL", key) == -1]

    def close(self):
        for process in [*(member.edge for member in self.members), self.store]:
            if process:
                process.signal(signal.SIGCONT)
                process.end()


@dataclass(frozen=True)
class Fault:
    """What begins, how long it lasts, how it ends, and how many edges, from the first, are alone meanwhile."""

    name: str
    seconds: float
    begin: Callable[[World], Awaitable]
    end: Callable[[World], Awaitable]
    alone: int = 0


async def nothing(_):
    pass


def asked(*commands):
    """Commands that the store is given."""

    async def give(world):
        for command in commands:
            await asyncio.to_thread(world.store.ask, *command)

    return give


async def kill_store(world):
    world.store.signal(signal.SIGKILL)
    await asyncio.to_thread(world.store.child.wait)


async def restart_store(world):
    await asyncio.to_thread(world.start_store, world.store.port)


async def stop_store(world):
    world.store.signal(signal.SIGSTOP)


async def wake_store(world):
    world.store.signal(signal.SIGCONT)


async def kill_clients(world):
    for _ in range(8):
        await asyncio.to_thread(world.store.ask, "CLIENT", "KILL", "TYPE", "normal")
        await asyncio.sleep(0.4)


async def partition(world):
    world.members[0].relay.drops = True


async def heal(world):
    world.members[0].relay.drops = False


async def slow_down(world):
    for member in world.members:
        member.relay.delay = 0.1


async def speed_up(world):
    for member in world.members:
        member.relay.delay = 0.0


async def kill_edge(world):
    member = world.members[1]
    world.interrupt(member, signal.SIGKILL)
    await asyncio.to_thread(member.edge.child.wait)


async def start_edge(world):
    await world.start_edge(world.members[1])


async def stop_edge(world):
    world.interrupt(world.members[2], signal.SIGSTOP)


async def wake_edge(world):
    world.wake(world.members[2])


FAULTS = [
    Fault("store-killed", 5, kill_store, restart_store, EDGES),
    Fault("store-stopped", 5, stop_store, wake_store, EDGES),
    Fault("store-flushed", 1, asked(("FLUSHALL",)), nothing),
    Fault("store-full", 5, asked(("CONFIG", "SET", "maxmemory", "1mb")), asked(("CONFIG", "SET", "maxmemory", "0")), EDGES),
    Fault("store-replica", 5, asked(("REPLICAOF", "127.0.0.1", "1")), asked(("REPLICAOF", "NO", "ONE")), EDGES),
    Fault(
        "user-off",
        5,
        asked(("ACL", "SETUSER", USER, "off"), ("CLIENT", "KILL", "USER", USER)),
        asked(("ACL", "SETUSER", USER, "on")),
        EDGES,
    ),
    Fault("clients-killed", 0, kill_clients, nothing),
    Fault("edge-partitioned", 5, partition, heal, 1),
    Fault("way-slow", 5, slow_down, speed_up),
    Fault("edge-killed", 3, kill_edge, start_edge),
    Fault("edge-stopped", 12, stop_edge, wake_edge),
]
