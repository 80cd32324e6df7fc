"""Good clients of HTTP/1.1: keep-alive reads and a few writes, each request with its mark, and a tally of what came back."""

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


@dataclass(frozen=True)
class Request:
    """What a client asks, whatever the protocol."""

    method: str
    target: str
    body: bytes = b""

    def wire(self):
        """As HTTP/1.1 writes it."""
        head = f"{self.method} {self.target} HTTP/1.1\r\nHost: localhost\r\n"
        if self.body:
            head += f"Authorization: Basic {CREDENTIALS}\r\nContent-Type: application/json\r\nContent-Length: {len(self.body)}\r\n"
        return head.encode() + b"\r\n" + self.body


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


def read_of(mark, script=""):
    return Request("GET", f"{EVENTS}?search=soak-{mark}{script}")


def write_of(mark, script=""):
    title = f"soak-{mark}{script}"
    body = f'{{"title":"{title}","start_date":"2030-01-01 10:00:00","end_date":"2030-01-01 11:00:00"}}'
    return Request("POST", EVENTS, body.encode())


async def read_head(reader):
    return (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()


async def read_body(reader, head):
    if "\r\ntransfer-encoding: chunked" in head:
        return await read_chunks(reader)
    length = head.partition("\r\ncontent-length:")[2].split("\r\n")[0]
    return await reader.readexactly(int(length or 0))


async def read_chunks(reader):
    pieces = []
    while size := int(await reader.readline(), 16):
        pieces.append((await reader.readexactly(size + 2))[:-2])
    await reader.readline()
    return b"".join(pieces)


class Client:
    """One good client on one connection at a time; `answer` is the body of the last answer that came whole."""

    def __init__(self, port, tally, keep_alive=True):
        self.port = port
        self.tally = tally
        self.keep_alive = keep_alive
        self.streams = None
        self.begun = False
        self.first = True
        self.answer = b""

    async def ask(self, build, script=""):
        """Sends one request and notes what became of it; never tries twice."""
        mark, sent = next(marks), time.monotonic()
        self.begun, self.first, self.answer = False, True, b""
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
        self.tally.exchanges.append(Exchange(mark, sent, time.monotonic(), outcome, self.first))
        return outcome

    async def exchange(self, request):
        self.first = self.streams is None
        if self.first:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(request.wire())
        await writer.drain()
        head = await read_head(reader)
        self.begun = True
        self.answer = await read_body(reader, head)
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
        build = write_of if writes and turn % writes == writes - 1 else read_of
        await client.ask(build, script)
        await asyncio.sleep(pause)
    client.close()
