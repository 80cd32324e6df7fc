"""Good clients: keep-alive reads and a few writes, each request with its mark, and a tally of what came back."""

import asyncio
import base64
import itertools
import time
from collections import Counter
from dataclasses import dataclass, field

EVENTS = "/wp-json/calendar/events/v1/events"
CREDENTIALS = base64.b64encode(b"soak:soak").decode()
PATIENCE = 20
marks = itertools.count(1)


@dataclass
class Exchange:
    """One request of a good client.

    `outcome` is a status, or `refused` (no connection), `broken` (closed before an answer), `partial` (closed within
    one) or `silent` (nothing in time).
    """

    mark: int
    sent: float
    ended: float
    outcome: str
    first_on_connection: bool

    @property
    def seconds(self):
        return self.ended - self.sent

    @property
    def good(self):
        return self.outcome in ("200", "201")


@dataclass
class Tally:
    exchanges: list = field(default_factory=list)

    def success(self):
        return sum(e.good for e in self.exchanges) / max(1, len(self.exchanges))

    def outcomes(self):
        return dict(sorted(Counter(e.outcome for e in self.exchanges).items()))

    def latency(self, percent):
        """The nearest-rank percentile over all exchanges, failed ones too; in seconds."""
        times = sorted(e.seconds for e in self.exchanges) or [0.0]
        return times[min(len(times) - 1, int(len(times) * percent / 100))]


def read_bytes(mark, script=""):
    return f"GET {EVENTS}?search=soak-{mark}{script} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def write_bytes(mark, script=""):
    body = f'{{"title":"soak-{mark}{script}","start_date":"2030-01-01 10:00:00","end_date":"2030-01-01 11:00:00"}}'
    return (
        f"POST {EVENTS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {CREDENTIALS}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


async def read_head(reader):
    return (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()


async def read_body(reader, head):
    if "\r\ntransfer-encoding: chunked" in head:
        await skip_chunks(reader)
    else:
        length = head.partition("\r\ncontent-length:")[2].split("\r\n")[0]
        await reader.readexactly(int(length or 0))


async def skip_chunks(reader):
    while size := int(await reader.readline(), 16):
        await reader.readexactly(size + 2)
    await reader.readline()


class Client:
    """One good client on one connection at a time."""

    def __init__(self, port, tally, keep_alive=True):
        self.port = port
        self.tally = tally
        self.keep_alive = keep_alive
        self.streams = None
        self.begun = False

    async def ask(self, build, script=""):
        """Sends one request and notes what became of it; never tries twice."""
        mark, sent, first = next(marks), time.monotonic(), self.streams is None
        self.begun = False
        try:
            outcome = await asyncio.wait_for(self.exchange(build(mark, script)), PATIENCE)
        except ConnectionRefusedError:
            outcome = "refused"
        except TimeoutError:
            outcome = "silent"
        except asyncio.IncompleteReadError as end:
            outcome = "partial" if end.partial or self.begun else "broken"
        except (OSError, ValueError):
            outcome = "partial" if self.begun else "broken"
        if not outcome.isdigit() or not self.keep_alive:
            self.close()
        self.tally.exchanges.append(Exchange(mark, sent, time.monotonic(), outcome, first))
        return outcome

    async def exchange(self, request):
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(request)
        await writer.drain()
        head = await read_head(reader)
        self.begun = True
        await read_body(reader, head)
        if "\r\nconnection: close" in head:
            self.close()
        return head.split(" ", 2)[1]

    def close(self):
        if self.streams:
            self.streams[1].close()
        self.streams = None


async def keep_asking(client, pause, stop, script="", writes=10):
    """Asks until told to stop: every tenth request writes, unless told otherwise."""
    for turn in itertools.count():
        if stop.is_set():
            break
        build = write_bytes if writes and turn % writes == writes - 1 else read_bytes
        await client.ask(build, script)
        await asyncio.sleep(pause)
    client.close()
