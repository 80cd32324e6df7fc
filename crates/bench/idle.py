"""Memory of a kept connection that has made one request."""

import socket
import time

from peers import LIST

CONNECTIONS = 1000
# The edge parks idle connections after 5 s, and its allocator gives memory back over some 10 s.
SETTLING = 25


def per_connection(peer):
    """KiB that a proxy holds for each idle connection."""
    peer.program.wait_until_answering(peer.plain, LIST, 200)
    before = peer.program.memory_kib()
    held = [open_one(peer.plain) for _ in range(CONNECTIONS)]
    time.sleep(SETTLING)
    after = peer.program.memory_kib()
    for connection in held:
        connection.close()
    return before, (after - before) / CONNECTIONS


def open_one(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.sendall(f"GET {LIST}?search=list-1k HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(65536)
    head, _, body = received.partition(b"\r\n\r\n")
    length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    while len(body) < length:
        body += connection.recv(65536)
    return connection
