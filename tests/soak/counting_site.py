"""A site with a companion plugin, as a process of its own: lists name the number of the last change.

`POST /change` makes one change and answers with its number. Marked requests see the number in `X-Calendar-Edge-Changes`,
as docs/reference/companion-protocol.md says. Every read takes 10 ms.
"""

import asyncio
import hashlib
import hmac
import json
import secrets
import time
import urllib.request

EVENT = '{"id":%d,"title":"%d"}'


class Site(asyncio.Protocol):
    """Answers without a look at marks: everything that is asked here comes from an edge."""

    number = 1

    def connection_made(self, transport):
        self.transport, self.unread = transport, b""

    def data_received(self, data):
        self.unread += data
        while (end := self.unread.find(b"\r\n\r\n")) >= 0:
            head, self.unread = self.unread[:end], self.unread[end + 4 :]
            method, target = head.decode("latin-1").split(" ")[:2]
            if method == "POST":
                Site.number += 1
                self.answer(target, Site.number)
            else:
                # The count is read before what the answer shows, as the plugin does.
                asyncio.get_running_loop().call_later(0.01, self.answer, target, Site.number)

    def answer(self, target, count):
        body = json.dumps({"changes": count})
        if "/events/v1/events" in target:
            record = target.partition("/events/v1/events/")[2].partition("?")[0]
            events = ",".join(EVENT % (event, Site.number) for event in range(1, 4))
            body = EVENT % (int(record), Site.number) if record else '{"events":[%s],"total":3,"total_pages":1}' % events
        head = "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\n"
        head += f"X-Calendar-Edge-Changes: {count}\r\nContent-Length: {len(body)}\r\n\r\n"
        self.transport.write((head + body).encode())


def change(port):
    """Makes a change; returns its number."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/change", data=b"", timeout=5) as answer:
        return json.load(answer)["changes"]


def tell(admin_port, secret, numbers, tags=("events",)):
    """Tells an edge what changed, as the plugin does, within the second that it takes at most."""
    body = json.dumps({"tags": tags, "changes": numbers}).encode()
    at, nonce, digest = int(time.time()), secrets.token_hex(16), hashlib.sha256(body).hexdigest()
    text = f"calendar-edge purge v1\n{at}\n{nonce}\n{digest}"
    seal = f"v1 t={at},n={nonce},d={digest},s={hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()}"
    request = urllib.request.Request(f"http://127.0.0.1:{admin_port}/purge", data=body)
    request.add_header("Content-Type", "application/json")
    request.add_header("X-Calendar-Edge-Purge", seal)
    with urllib.request.urlopen(request, timeout=1) as answer:
        return json.load(answer)
