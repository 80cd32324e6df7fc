"""Idle and slow connections, and how long the edge lets each live."""

import asyncio
import itertools
import socket
import time

from traffic import CREDENTIALS, EVENTS, marks, read_of

KINDS = ("silent", "head", "body", "stalled reader", "dripping reader")
SOURCES = itertools.cycle(f"127.0.0.{last}" for last in range(2, 12))
# Linux: choose the port at connect, so that it need only be free toward this one destination.
IP_BIND_ADDRESS_NO_PORT = 24
ESTABLISHED = "01"
DRIP = 1.0
# The kernel takes some 2.5 MiB for a loopback client that does not read: one answer would not reach the edge's limit.
PIPELINED = 4
# What the kernel takes of an answer at least, whether its reader reads or not.
KERNEL_ROOM = 16 * 1024


async def connect(port, receive_buffer=None):
    """A connection from one of several loopback addresses, each of which has ports of its own."""
    sock = socket.socket()
    sock.setblocking(False)
    sock.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
    if receive_buffer:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    try:
        sock.bind((next(SOURCES), 0))
        await asyncio.wait_for(asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", port)), 30)
    except BaseException:
        sock.close()
        raise
    return sock


# A request that the edge answers by itself.
REFUSED = f"GET {EVENTS}?page=zero HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


async def open_idle(port):
    """A kept connection: one request and its answer, then nothing."""
    sock = await connect(port)
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(sock, REFUSED)
    await asyncio.wait_for(loop.sock_recv(sock, 65536), 30)
    return sock


async def open_idle_tls(port, context):
    """The same over TLS; returns what closes it."""
    sock = await connect(port)
    opening = asyncio.open_connection(sock=sock, ssl=context, server_hostname="localhost")
    reader, writer = await asyncio.wait_for(opening, 30)
    writer.write(REFUSED)
    await asyncio.wait_for(reader.read(65536), 30)
    return writer


class SlowConnection:
    """One connection that takes its time; `lived` is set when the edge has closed it, in seconds.

    `idles` says of a reader that the edge has nothing for it any more: it got refusals, and its connection is an idle one.
    """

    def __init__(self, kind, answer_kib):
        self.kind = kind
        self.answer_kib = answer_kib
        self.lived = None
        self.idles = False
        self.sock = None
        self.began = None

    async def run(self, port, until):
        """Behaves badly until the edge closes the connection or the time is over."""
        self.began = time.monotonic()
        reads = self.kind.endswith("reader")
        self.sock = await connect(port, 4096 if reads else None)
        self.began = time.monotonic()
        try:
            await asyncio.get_running_loop().sock_sendall(self.sock, self.beginning())
            await (self.read_slowly(until) if reads else self.send_slowly(until))
        except OSError:
            self.note_end()
        finally:
            self.sock.close()

    def note_end(self):
        if self.lived is None:
            self.lived = time.monotonic() - self.began

    def beginning(self):
        if self.kind == "silent":
            return b""
        if self.kind == "head":
            return f"GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\nX-Drip: ".encode()
        if self.kind == "body":
            return (
                f"POST {EVENTS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {CREDENTIALS}\r\n"
                "Content-Type: application/json\r\nContent-Length: 10000\r\n\r\n{"
            ).encode()
        return b"".join(read_of(next(marks), f"-wait-0-size-{self.answer_kib}").wire() for _ in range(PIPELINED))

    async def send_slowly(self, until):
        """A byte each second; the edge's end of the stream, also behind an answer, ends it."""
        loop = asyncio.get_running_loop()
        ended = asyncio.ensure_future(self.wait_for_end())
        try:
            while time.monotonic() < until and not ended.done():
                if self.kind != "silent":
                    await loop.sock_sendall(self.sock, b" ")
                await asyncio.wait([ended], timeout=DRIP)
        finally:
            ended.cancel()

    async def wait_for_end(self):
        try:
            while await asyncio.get_running_loop().sock_recv(self.sock, 65536):
                pass
        except OSError:
            pass
        self.note_end()

    async def read_slowly(self, until):
        """Takes nothing, or 512 bytes each second; the kernel knows when the edge closes (see `watch_readers`)."""
        while time.monotonic() < until and self.lived is None:
            if self.kind == "dripping reader":
                self.sock.recv(512) if readable(self.sock) else None
            await asyncio.sleep(DRIP)


def readable(sock):
    try:
        return bool(sock.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return False


def established_clients(port):
    """The clients of all connections whose edge side is open, as the kernel's table writes them, and what they have to take.

    That is in bytes: those that the edge has written and the client has not received.
    """
    local = f"0100007F:{port:04X}"
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = (line.split(maxsplit=5)[1:5] for line in table)
        return {row[1]: int(row[3].split(":")[0], 16) for row in rows if row[0] == local and row[2] == ESTABLISHED}


def kernel_name(sock):
    address, port = sock.getsockname()
    return bytes(reversed(socket.inet_aton(address))).hex().upper() + f":{port:04X}"


async def watch_readers(connections, port, until):
    """Notes which readers the edge has closed: unread bytes would hide it from the client itself."""
    while time.monotonic() < until:
        await asyncio.sleep(DRIP)
        open_now = established_clients(port)
        for one in connections:
            watched = one.kind.endswith("reader") and one.lived is None and one.sock and one.sock.fileno() >= 0
            if not watched or time.monotonic() - one.began <= DRIP:
                continue
            unread = open_now.get(kernel_name(one.sock))
            one.idles = unread is not None and unread < KERNEL_ROOM
            if unread is None:
                one.note_end()
