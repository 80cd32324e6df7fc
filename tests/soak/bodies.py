"""Large request bodies of ten shapes, one and eight at once: how much memory and time does the edge take for each?

    cargo build --release && python3 tests/soak/bodies.py
    python3 tests/soak/bodies.py path/to/calendar-edge --mib 2 --shapes zeros,chunks

Each measurement has an edge of its own. Memory is the peak of resident memory above that of the idle edge, as the kernel
counted it. Exits with 1 when memory exceeds its bound, a request has no answer, or a read beside them takes longer than 3 s.
Loopback only; ends only what it started.
"""

import argparse
import base64
import os
import socket
import struct
import sys
import threading
import time
from pathlib import Path

from processes import DEFAULT_BINARY, Edge, settings, start_origin

EVENTS = "/wp-json/calendar/events/v1/events"
CREDENTIALS = base64.b64encode(b"soak:soak").decode()
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
MIB = 1 << 20
PATIENCE = 200
# So long that the size of a body ends it, and not its time.
BODY_TIME = 'client_body = "3m"\n'
LONGEST_READ = 3
# Parsed bodies take up to eight bytes for each byte, at most one for each processor at a time, beside the bodies themselves.
PARSED, SLACK_MIB, BUDGET_MIB = 8, 40, 64


def repeated(begin, unit, end, size):
    """So many units between both that the whole has about this size; every unit but the first begins with a separator."""
    count = (size - len(begin) - len(end)) // len(unit)
    return begin + (unit * count)[1:] + end


def numbered(begin, form, end, size):
    units, length, n = [], len(begin) + len(end), 0
    while length < size - 128:
        units.append(form % n)
        length += len(units[-1])
        n += 1
    return begin + b"".join(units)[1:] + end


PART = b'\r\n--x\r\nContent-Disposition: form-data; name="a%d"\r\n\r\n1'

WHOLE = {
    "zeros": (JSON, lambda size: repeated(b"[", b",0", b"]", size)),
    "nested": (JSON, lambda size: repeated(b"[", b"," + b"[" * 100 + b"]" * 100, b"]", size)),
    "string": (JSON, lambda size: repeated(b'{"title":"a', b"aa", b'"}', size)),
    "keys": (JSON, lambda size: numbered(b"{", b',"k%d":0', b"}", size)),
    "pairs": (FORM, lambda size: repeated(b"", b"&a=1", b"", size)),
    "lists": (FORM, lambda size: repeated(b"", b"&a[]=", b"", size)),
    "parts": ("multipart/form-data; boundary=x", lambda size: numbered(b"\r", PART, b"\r\n--x--\r\n", size)),
}
SHAPES = [*WHOLE, "chunks", "padded", "trickle"]


def head(fields, content_type=JSON):
    lines = [f"POST {EVENTS}/56 HTTP/1.1", "Host: localhost", f"Authorization: Basic {CREDENTIALS}", f"Content-Type: {content_type}"]
    return "\r\n".join([*lines, *fields, "Connection: close", "", ""]).encode()


def message(shape, size):
    """The bytes of a request over HTTP/1.1."""
    if shape in WHOLE:
        content_type, body = WHOLE[shape]
        body = body(size)
        return head([f"Content-Length: {len(body)}"], content_type) + body
    if shape == "chunks":
        string = WHOLE["string"][1](size)
        return head(["Transfer-Encoding: chunked"]) + b"".join(b"1\r\n%c\r\n" % byte for byte in string) + b"0\r\n\r\n"
    string = WHOLE["string"][1](size)
    return head([f"Content-Length: {len(string)}"]) + string


def padded_frames(size):
    """A request over HTTP/2 without Huffman codes, and DATA with one byte and 255 bytes of padding each."""
    fields = [(":method", "POST"), (":scheme", "http"), (":authority", "localhost"), (":path", f"{EVENTS}/56")]
    fields += [("authorization", f"Basic {CREDENTIALS}"), ("content-type", JSON)]
    block = b"".join(b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode() for name, value in fields)
    frame = lambda kind, flags, stream, payload: struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload
    data = frame(0, 8, 1, b"\xffa" + bytes(255))
    begin = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"") + frame(1, 4, 1, block)
    # The window of the connection is 64 KiB before the edge enlarges it; padding is given back at once.
    return begin, data * 4096, size // 4096


def exchange(port, shape, payload):
    """Sends one request; returns its status, or how it ended."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        try:
            if shape == "padded":
                begin, block, count = payload
                client.sendall(begin)
                for _ in range(count):
                    client.sendall(block)
                return "taken whole"
            if shape == "trickle":
                half = len(payload) // 2
                client.sendall(payload[:half])
                for at in range(half, half + 20 * 512, 512):
                    client.sendall(payload[at : at + 512])
                    time.sleep(0.25)
                client.sendall(payload[half + 20 * 512 :])
            else:
                client.sendall(payload)
            return client.recv(64)[9:12].decode() or "closed"
        except TimeoutError:
            return "silent"
        except OSError:
            return "ended"


class Reads(threading.Thread):
    """Reads one after another until it is stopped, and remembers the slowest."""

    def __init__(self, port):
        super().__init__()
        self.port, self.slowest, self.stopped = port, 0.0, threading.Event()

    def run(self):
        while not self.stopped.wait(0.02):
            began = time.monotonic()
            with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as client:
                client.sendall(f"GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                if not client.recv(64):
                    return
            self.slowest = max(self.slowest, time.monotonic() - began)


def peak_mib(edge):
    for line in Path(f"/proc/{edge.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def measure(chosen, origin_port, shape, clients):
    """Returns how the requests ended, the memory, the time, and the slowest read beside them."""
    payload = padded_frames(chosen.mib * MIB) if shape == "padded" else message(shape, chosen.mib * MIB)
    edge = Edge(chosen.binary, settings(origin_port) + BODY_TIME)
    try:
        reads = Reads(edge.port)
        reads.start()
        time.sleep(0.5)
        idle = edge.memory_mib()
        # From here on the kernel counts the peak anew.
        Path(f"/proc/{edge.pid}/clear_refs").write_text("5")
        ends, began = [], time.monotonic()
        tasks = [threading.Thread(target=lambda: ends.append(exchange(edge.port, shape, payload))) for _ in range(clients)]
        for task in tasks:
            task.start()
        for task in tasks:
            task.join()
        seconds = time.monotonic() - began
        memory = peak_mib(edge) - idle
        reads.stopped.set()
        reads.join()
        return ends, memory, seconds, reads.slowest
    finally:
        edge.end()


def bound_mib(mib, clients):
    """The most memory for bodies of this size."""
    parsed = min(clients, os.cpu_count() or 1) * PARSED * mib
    # The buffer of a body is copied when it doubles, and the canonical body is written beside it.
    return parsed + min(3 * clients * mib, BUDGET_MIB + 3 * mib) + SLACK_MIB


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default=DEFAULT_BINARY)
    parser.add_argument("--mib", type=int, default=8, help="size of each body")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--clients", type=int, default=8, help="clients of the second measurement")
    chosen = parser.parse_args()
    if not 1 <= chosen.mib <= 8 or not 1 <= chosen.clients <= 64:
        parser.error("--mib is at most 8, --clients at most 64")
    return chosen


def main():
    chosen = arguments()
    origin, origin_port = start_origin()
    good = True
    print(f"| shape of {chosen.mib} MiB | clients | ended | memory | bound | time | slowest read |\n|---|---|---|---|---|---|---|")
    try:
        for shape in chosen.shapes.split(","):
            for clients in (1, chosen.clients):
                ends, memory, seconds, slowest = measure(chosen, origin_port, shape, clients)
                bound = bound_mib(chosen.mib, clients)
                told = ", ".join(f"{ends.count(end)} × {end}" for end in sorted(set(ends)))
                row = f"{shape} | {clients} | {told} | {memory:.0f} MiB | {bound} MiB | {seconds:.1f} s | {slowest * 1000:.0f} ms"
                print(f"| {row} |", flush=True)
                good &= memory <= bound and "silent" not in ends and slowest <= LONGEST_READ
    finally:
        origin.end()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
