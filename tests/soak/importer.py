"""An importer's day: a thousand events, a look each hour, a few edits; by pages and by the feed of changes.

    cargo build --release
    python3 tests/soak/importer.py [path/to/calendar-edge]

Three importers keep a copy of the same calendar: one reads all pages from the site, one reads them through the edge, one
asks the feed and reads what has changed. The hours have no length. It prints what each cost, and exits with 1 when a copy
is not the site's.
"""

import argparse
import http.client
import json
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import counting_site
from processes import DEFAULT_BINARY, Edge, settings, start_site

ROOT = "/wp-json"
EVENTS = f"{ROOT}/tribe/events/v1/events"
FEED = f"{ROOT}/calendar-edge/v1/changes"
SECRET = "the secret that site and edge share"
COUNT, PAGE, HOURS = 1000, 50, 24
# Hour, event and what becomes of it.
EDITS = [(hour, 17 * hour + edit, "edited") for hour in (3, 9, 10, 15) for edit in range(3)]
EDITS += [(11, 400, "trashed"), (16, 1001, "published"), (20, 500, "trashed")]
TEXT = "x" * 2400


class Calendar(counting_site.Site):
    """The events of a site, with a count of the runs of PHP."""

    events = {number: 0 for number in range(1, COUNT + 1)}
    runs = 0

    def answer(self, target, count):
        path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
        if path == "/runs":
            return self.send(200, {"runs": Calendar.runs}, count)
        if path == "/change":
            return self.send(200, {"changes": self.change(query, count)}, count)
        # The plugin answers the edge's question before WordPress loads anything else; it counts all the same.
        Calendar.runs += 1
        if path == FEED:
            return self.send(200, {"changes": count}, count)
        if not path.startswith(EVENTS):
            return self.send(404, {"code": "rest_no_route", "data": {"status": 404}}, count)
        number = path.removeprefix(EVENTS).strip("/")
        if number:
            known = int(number) in Calendar.events
            refusal = {"code": "event-no-longer-available", "data": {"status": 403}}
            return self.send(*((200, event(int(number))) if known else (403, refusal)), count)
        page = int(query.get("page", ["1"])[0])
        numbers = sorted(Calendar.events)
        shown = [event(number) for number in numbers[(page - 1) * PAGE : page * PAGE]]
        self.send(200, {"events": shown, "total": len(numbers), "total_pages": -(-len(numbers) // PAGE)}, count)

    @staticmethod
    def change(query, count):
        number = int(query["event"][0])
        if query["what"][0] == "trashed":
            del Calendar.events[number]
        else:
            Calendar.events[number] = count
        return count

    def send(self, status, answer, count):
        body = json.dumps(answer)
        head = f"HTTP/1.1 {status} OK\r\nContent-Type: application/json; charset=UTF-8\r\n"
        head += f"X-Calendar-Edge-Changes: {count}\r\nContent-Length: {len(body)}\r\n\r\n"
        self.transport.write((head + body).encode())


def event(number):
    return {"id": number, "title": f"{number} {Calendar.events[number]}", "description": TEXT, "image": False, "venue": [], "organizer": [], "categories": [], "tags": []}


class Importer:
    """A copy of the calendar, and what it cost."""

    def __init__(self, port):
        self.port, self.copy, self.requests, self.bytes, self.seconds = port, {}, 0, 0, 0.0

    def get(self, target):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", target)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        self.requests += 1
        self.bytes += len(body)
        return response.status, json.loads(body)

    def read_all(self):
        self.copy, page, pages = {}, 1, 1
        while page <= pages:
            _, answer = self.get(f"{EVENTS}?page={page}&per_page={PAGE}")
            self.copy.update((event["id"], event["title"]) for event in answer["events"])
            page, pages = page + 1, answer["total_pages"]

    def look(self):
        self.read_all()

    def timed_look(self):
        begun = time.monotonic()
        self.look()
        self.seconds += time.monotonic() - begun


class FeedReader(Importer):
    """Asks what has changed, as docs/guides/feed.md says."""

    token = ""

    def look(self):
        while True:
            status, answer = self.get(f"{FEED}?kinds=events&since={self.token}")
            if status != 200:
                sys.exit(f"the feed answers {status}: {answer}")
            self.token = answer["next"]
            if not answer["complete"]:
                return self.read_all()
            for change in answer["changes"]:
                self.apply(change)
            if not answer["changes"]:
                return None

    def apply(self, change):
        status, record = self.get(f"{EVENTS}/{change['id']}") if change["what"] == "changed" else (404, None)
        if status == 200:
            self.copy[change["id"]] = record["title"]
        else:
            self.copy.pop(change["id"], None)


def ask(port, target, method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, target)
    answer = json.load(connection.getresponse())
    connection.close()
    return answer


def day(site_port, edge, importer):
    """Lets an importer look each hour; returns how often PHP ran for it."""
    runs = ask(site_port, "/runs")["runs"]
    for hour in range(HOURS):
        for _, number, what in [edit for edit in EDITS if edit[0] == hour]:
            change = ask(site_port, f"/change?event={number}&what={what}", "POST")["changes"]
            if edge:
                counting_site.tell(edge.admin_port, SECRET, [change], [f"event:{number}", "events"])
        importer.timed_look()
    return ask(site_port, "/runs")["runs"] - runs


def measured(binary, name, through_edge, kind):
    site, site_port = start_site(Calendar)
    edge = None
    with tempfile.TemporaryDirectory() as directory:
        if through_edge:
            secret = Path(directory) / "secret"
            secret.write_text(SECRET)
            text = settings(site_port).replace("[origin]\n", f'[origin]\nsecret_file = "{secret}"\n')
            edge = Edge(binary, f'state_dir = "{directory}/state"\n' + text + "[feed]\nenabled = true\n")
        importer = kind(edge.port if edge else site_port)
        runs = day(site_port, edge, importer)
        truth = Importer(site_port)
        truth.read_all()
        if edge:
            edge.end()
    site.terminate()
    print(f"{name:32} {runs:>9} {importer.requests:>9} {importer.bytes / 1e6:>9.2f} {importer.seconds:>9.2f}")
    return importer.copy == truth.copy


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?", default=DEFAULT_BINARY)
    binary = parser.parse_args().binary
    print(f"{COUNT} events, {HOURS} looks, {len(EDITS)} edits\n")
    print(f"{'':32} {'PHP runs':>9} {'requests':>9} {'MB':>9} {'seconds':>9}")
    same = [
        measured(binary, "pages, from the site", False, Importer),
        measured(binary, "pages, through the edge", True, Importer),
        measured(binary, "the feed, through the edge", True, FeedReader),
    ]
    if not all(same):
        sys.exit("a copy is not the site's")


if __name__ == "__main__":
    main()
