"""Just enough of HTTP/2 over TLS for good clients: several of them share a connection, each with a stream at a time.

Head fields are sent as plain literals. The edge is told to keep no table of its own (RFC 7541 4.2), so that the status
can be read without a decoder: it comes first, and is an index or a literal.
"""

import asyncio
import struct

from traffic import Client, CREDENTIALS

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
ACK, END_STREAM, END_HEADERS = 1, 1, 4
HEADER_TABLE_SIZE, INITIAL_WINDOW_SIZE = 1, 4
WIDEST = 2**31 - 1
FIRST_WINDOW = 65_535
# The static table's fields for `:status` (RFC 7541 appendix A), and its code for digits (appendix B).
STATUSES = dict(zip(range(8, 15), ("200", "204", "206", "304", "400", "404", "500")))
DIGITS = {f"{code:05b}": str(code) for code in range(3)} | {f"{22 + digit:06b}": str(digit) for digit in range(3, 10)}


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def opening():
    """What a client says first: no table, windows as wide as they can be."""
    settings = struct.pack(">HIHI", HEADER_TABLE_SIZE, 0, INITIAL_WINDOW_SIZE, WIDEST)
    widen = struct.pack(">I", WIDEST - FIRST_WINDOW)
    return PREFACE + frame(SETTINGS, 0, 0, settings) + frame(WINDOW_UPDATE, 0, 0, widen)


def literal(name, value):
    """A field without indexing, name and value as they are; both shorter than 127 bytes."""
    return b"\0" + b"".join(bytes([len(text)]) + text for text in (name.encode(), value.encode()))


def frames_of(request, stream):
    fields = {":method": request.method, ":scheme": "https", ":path": request.target, ":authority": "localhost"}
    if request.body:
        fields |= {"authorization": f"Basic {CREDENTIALS}", "content-type": "application/json"}
    head = b"".join(literal(*field) for field in fields.items())
    if not request.body:
        return frame(HEADERS, END_STREAM | END_HEADERS, stream, head)
    return frame(HEADERS, END_HEADERS, stream, head) + frame(DATA, END_STREAM, stream, request.body)


def status_in(block):
    """The status at the beginning of a block of fields, behind changes of the table's size."""
    while block[0] >> 5 == 1:
        block = block[1:]
    if block[0] & 0x80:
        return STATUSES[block[0] & 0x7F]
    length = block[1] & 0x7F
    value = block[2 : 2 + length]
    return digits_in(value) if block[1] & 0x80 else value.decode()


def digits_in(coded):
    bits, digits, code = "".join(f"{byte:08b}" for byte in coded), "", ""
    for bit in bits:
        code += bit
        if code in DIGITS:
            digits, code = digits + DIGITS[code], ""
    return digits


class Stream:
    """An answer on its way."""

    def __init__(self, writer):
        self.writer = writer
        self.status = None
        self.body = b""
        self.whole = asyncio.get_running_loop().create_future()


class Connection:
    """One connection to the edge, opened when it is needed; streams that it loses fail.

    Streams are never numbered anew, so that those of a connection that is going away are told from later ones.
    """

    def __init__(self, port, context):
        self.port = port
        self.context = context
        self.opened = 0
        self.opening = asyncio.Lock()
        self.writer = None
        self.streams = {}
        self.next_stream = 1

    async def open(self):
        """Says whether it had to be opened."""
        async with self.opening:
            if self.writer:
                return False
            reader, self.writer = await asyncio.open_connection(
                "127.0.0.1", self.port, ssl=self.context, server_hostname="localhost"
            )
            self.opened += 1
            self.writer.write(opening())
            self.reading = asyncio.create_task(self.read(reader, self.writer))
            return True

    def begin(self, request):
        number, stream = self.next_stream, Stream(self.writer)
        self.next_stream += 2
        self.streams[number] = stream
        self.writer.write(frames_of(request, number))
        return stream

    async def read(self, reader, writer):
        """Hands frames to their streams until the connection ends."""
        try:
            while True:
                length, kind, flags, number = struct.unpack(">IBBI", b"\0" + await reader.readexactly(9))
                self.take(kind, flags, number, await reader.readexactly(length), writer)
        except (OSError, asyncio.IncompleteReadError):
            self.lose(writer)

    def take(self, kind, flags, number, payload, writer):
        if kind == SETTINGS and not flags & ACK:
            writer.write(frame(SETTINGS, ACK, 0))
        elif kind == PING and not flags & ACK:
            writer.write(frame(PING, ACK, 0, payload))
        elif kind == GOAWAY and self.writer is writer:
            # What runs may finish; the next request opens another connection.
            self.writer = None
        stream = self.streams.get(number)
        if stream is None or kind not in (DATA, HEADERS, RESET):
            return
        if kind == HEADERS and stream.status is None:
            stream.status = status_in(payload)
        elif kind == DATA:
            stream.body += payload
        if kind == RESET:
            self.fail(number)
        elif flags & END_STREAM:
            del self.streams[number]
            if not stream.whole.done():
                stream.whole.set_result(stream)

    def fail(self, number):
        stream = self.streams.pop(number)
        if not stream.whole.done():
            stream.whole.set_exception(ConnectionResetError("the stream is lost"))

    def lose(self, writer):
        for number in [number for number, stream in self.streams.items() if stream.writer is writer]:
            self.fail(number)
        writer.close()
        if self.writer is writer:
            self.writer = None

    def close(self):
        if self.writer:
            self.lose(self.writer)


class Http2Client(Client):
    """A good client that shares its connection with others."""

    def __init__(self, connection, tally):
        super().__init__(connection.port, tally)
        self.connection = connection

    async def exchange(self, request):
        self.first = await self.connection.open()
        stream = self.connection.begin(request)
        await stream.whole
        self.answer = stream.body
        return stream.status

    def close(self):
        """Others may still use the connection: whoever made it closes it."""
