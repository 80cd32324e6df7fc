"""An edge that only listens: it checks the seal of each message as docs/reference/companion-protocol.md says, and keeps it."""

import hashlib
import hmac
import json
import re
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SEAL = re.compile(r"v1 t=(0|[1-9][0-9]{0,11}),n=([0-9a-f]{32}),d=([0-9a-f]{64}),s=([0-9a-f]{64})")


@dataclass(frozen=True)
class Message:
    """What arrived, and when."""

    at: float
    tags: frozenset
    all: bool
    changes: tuple
    hidden: frozenset = frozenset()

    def removes(self, *tags):
        return self.all or set(tags) <= self.tags


class Listening:
    """One edge on loopback; `mood` is `well`, `failing` (500) or `hanging`."""

    def __init__(self, secret, address="127.0.0.1", port=0):
        self.secret, self.mood, self.address, self.port = secret.encode(), "well", address, port
        self.messages, self.faults, self.lock = [], [], threading.Lock()
        self.server = None
        self.open()

    @property
    def url(self):
        return f"http://{self.address}:{self.port}/wp-json/calendar-edge/v1/purge"

    def open(self):
        """Listens again where it listened before."""
        edge = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                edge.receive(self)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer((self.address, self.port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def receive(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length", "0")))
        if self.mood == "hanging":
            time.sleep(6)
            return
        to = f"http://{handler.headers['Host']}{handler.path}"
        fault = self.fault(handler.headers.get_all("X-Calendar-Edge-Purge", []), body, to)
        status = 500 if self.mood == "failing" else 403 if fault else 200
        if fault:
            self.faults.append(fault)
        elif status == 200:
            found = json.loads(body)
            message = Message(time.monotonic(), frozenset(found.get("tags", [])), found.get("all", False), tuple(found["changes"]), frozenset(found.get("hidden", [])))
            with self.lock:
                self.messages.append(message)
        handler.send_response(status)
        handler.send_header("Content-Length", "2")
        handler.end_headers()
        handler.wfile.write(b"{}")

    def fault(self, headers, body, to):
        found = SEAL.fullmatch(headers[0]) if len(headers) == 1 else None
        if not found:
            return f"no seal: {headers}"
        at, nonce, digest, signature = found.groups()
        text = f"calendar-edge purge v1\n{at}\n{nonce}\n{digest}"
        wanted = hmac.new(self.secret, text.encode(), hashlib.sha256).hexdigest()
        if digest != hashlib.sha256(body).hexdigest() or not hmac.compare_digest(wanted, signature):
            return f"a forged seal: {headers}"
        message = json.loads(body)
        if (message.get("version"), message.get("to")) != (2, to) or not message.get("site", "").startswith("http"):
            return f"a wrong address: {body[:200]}"
        return "" if abs(time.time() - int(at)) < 60 else f"an old seal: {headers}"

    def take(self):
        """The messages since the last call."""
        with self.lock:
            taken, self.messages = self.messages, []
        return taken

    def wait(self, begun, holds, seconds=3.0):
        """The messages so far once one of them holds, or after so many seconds; and how long that took."""
        taken = []
        while time.monotonic() - begun < seconds:
            taken += self.take()
            found = [message for message in taken if holds(message)]
            if found:
                return taken, found[0].at - begun
            time.sleep(0.02)
        return taken, None
