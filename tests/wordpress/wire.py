"""Raw HTTP/1.1 on one socket, so that nothing tidies up an odd request; and the edge's mark."""

import hashlib
import hmac
import json
import socket
import time
from dataclasses import dataclass, field

LONGEST = 30


@dataclass
class Request:
    """One request as its bytes will be: method, target, headers in order, body."""

    method: str
    target: str
    headers: list = field(default_factory=list)
    body: bytes = b""

    def with_headers(self, *headers):
        return Request(self.method, self.target, [*self.headers, *headers], self.body)


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict
    body: bytes

    def code(self):
        """The `code` of an error in WordPress's shape; empty without one."""
        try:
            found = json.loads(self.body)
        except ValueError:
            return ""
        return found.get("code", "") if isinstance(found, dict) else ""


def send(host, request):
    """One exchange on its own connection, bounded in time."""
    name, port = host.split(":")
    head = [f"{request.method} {request.target} HTTP/1.1", f"Host: {host}", "Connection: close"]
    head += [f"{key}: {value}" for key, value in request.headers]
    if request.body or request.method in ("POST", "PUT", "PATCH"):
        head.append(f"Content-Length: {len(request.body)}")
    message = "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + request.body
    with socket.create_connection((name, int(port)), timeout=LONGEST) as connection:
        connection.sendall(message)
        return parse(read_all(connection))


def read_all(connection):
    end, parts = time.monotonic() + LONGEST, []
    try:
        while part := connection.recv(65536):
            parts.append(part)
            if time.monotonic() > end:
                break
    except ConnectionResetError:
        pass
    return b"".join(parts)


def parse(message):
    head, _, body = message.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    parts = lines[0].split(" ")
    status = int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers.setdefault(name.lower(), []).append(value.strip())
    if headers.get("transfer-encoding") == ["chunked"]:
        body = unchunked(body)
    return Answer(status, headers, body)


def unchunked(body):
    whole = b""
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size.split(b";")[0] or b"0", 16)
        if length == 0:
            break
        whole, body = whole + rest[:length], rest[length + 2 :]
    return whole


def mark(secret, request, method=None, at=None):
    """The header that the edge writes for a request; see docs/reference/companion-protocol.md."""
    at = int(time.time()) if at is None else at
    method = method or request.method
    digest = hashlib.sha256(request.body).hexdigest()
    signed = "GET" if method == "HEAD" else method
    message = f"calendar-edge mark v1\n{at}\n{signed}\n{request.target}\n{digest}"
    signature = hmac.new(secret.encode(), message.encode("latin-1"), hashlib.sha256).hexdigest()
    return ("X-Calendar-Edge-Mark", f"v1 t={at},s={signature}")
