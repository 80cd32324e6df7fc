"""A scripted calendar site on loopback, as a process of its own: `python3 origin.py PORT` (0 takes a free one).

A request says what it wants by a mark anywhere in its target or body: `soak-17` is request 17, `soak-17-wait-300`
is answered after 300 ms, `soak-17-size-900` with 900 KiB. Each answer names the path it was asked for, and prints the
REST root of that path in a URL, as a site does that is reached under several. `GET /seen` lists the marks of all calendar requests so far.
The first line on standard output is the port. It ends on SIGTERM, and after ten minutes in any case.
"""

import asyncio
import json
import re
import signal
import sys

MARK = re.compile(rb"soak-(\d+)(?:-wait-(\d+))?(?:-size-(\d+))?")
ROOT = re.compile(rb" (/\S*wp-json)/")
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
LIFETIME = 600
seen = set()
port_of_this_site = 0


async def read_request(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    length = LENGTH.search(head)
    body = await reader.readexactly(int(length[1])) if length else b""
    return head, body


def answer(status, body):
    headers = f"Content-Type: application/json; charset=UTF-8\r\nContent-Length: {len(body)}\r\n\r\n"
    return f"HTTP/1.1 {status} Soak\r\n{headers}".encode() + body


def document(head, size):
    root = ROOT.search(head)
    path = root[1] if root else b"/wp-json"
    url = b"http://127.0.0.1:%d%s/tribe/events/v1/events/1" % (port_of_this_site, path)
    beginning = b'{"events":[],"asked":"%s","rest_url":"%s","filler":"' % (path, url.replace(b"/", b"\\/"))
    return beginning + b"x" * size + b'"}'


async def respond(head, body):
    if head.startswith(b"GET /seen "):
        return answer(200, json.dumps(sorted(seen)).encode())
    mark = MARK.search(head.split(b"\r\n")[0] + b" " + body)
    size = 0
    if mark:
        seen.add(int(mark[1]))
        await asyncio.sleep(int(mark[2] or 0) / 1000)
        size = int(mark[3] or 0) * 1024
    status = 201 if head.startswith(b"POST ") else 200
    return answer(status, document(head, size))


async def serve(reader, writer):
    try:
        while True:
            writer.write(await respond(*await read_request(reader)))
            await writer.drain()
    except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
        writer.close()


async def main(port):
    server = await asyncio.start_server(serve, "127.0.0.1", port, limit=1 << 20, backlog=1024)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    global port_of_this_site
    port_of_this_site = server.sockets[0].getsockname()[1]
    print(port_of_this_site, flush=True)
    try:
        await asyncio.wait_for(stop.wait(), LIFETIME)
    except TimeoutError:
        pass


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
