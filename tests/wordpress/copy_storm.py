"""Edits a site at random through an edge, and reads beside it: nothing older than an acknowledged edit may be read.

    copy_storm.py SITE PORT EDGE_PORT EDITS [SEED]

SITE is a directory with the files `secret` and `app-password` (of the account `admin`). The edge at EDGE_PORT has the
copy on. After each edit the record, a list and a search are read through the edge and, anonymously, from the site.
"""

import base64
import collections
import http.client
import json
import pathlib
import random
import re
import sys
import time

import copy_study
from copy_study import API, Site


class Edge:
    def __init__(self, port, password):
        self.port, self.connection = port, None
        self.login = "Basic " + base64.b64encode(b"admin:" + password.encode()).decode()

    def ask(self, method, target, body=None):
        for attempt in range(2):
            try:
                self.connection = self.connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                headers = {"Authorization": self.login, "Content-Type": "application/json"} if method != "GET" else {}
                self.connection.request(method, target, json.dumps(body) if body else None, headers)
                response = self.connection.getresponse()
                return response.status, response.getheader("cache-status") or "", response.read()
            except (OSError, http.client.HTTPException):
                self.connection = None
                if attempt:
                    raise


def plain(body):
    """The body without what the copy may write otherwise: letters of e-mail addresses, which WordPress encodes at random,
    and numbers in names of classes, which count what was printed before."""
    body = re.sub(rb"(wp-container-[a-z-]+|gallery-|wp-elements-)\d+", rb"\1N", body)
    body = re.sub(rb"&#(\d+);", lambda found: bytes([int(found[1]) & 127]), body)
    return re.sub(rb"%([0-9a-f]{2})", lambda found: bytes([int(found[1], 16)]), body)


def is_other(site, target, status, body):
    """Whether the site answers otherwise now, each time that it is asked."""
    asked = [site.get(target) for _ in range(2)]
    return all(status != other or plain(body) != plain(text) for other, _, text in asked)


def differing(one, two):
    at = next((at for at, (a, b) in enumerate(zip(one, two)) if a != b), min(len(one), len(two)))
    return f"\n    edge {one[max(0, at - 60):at + 90]!r}\n    site {two[max(0, at - 60):at + 90]!r}"


def edit(edge, reads, chance, number):
    """One random edit: what it was, and the target of its record."""
    kind, what = chance.choice(["events"] * 4 + ["venues", "organizers"]), chance.randrange(8)
    record = chance.choice(reads.records[kind[:-1]])["id"]
    if kind == "events" and what == 0:
        new = {"title": f"Storm {number}", "start_date": "2027-03-04 10:00:00", "end_date": "2027-03-04 11:00:00", "status": "publish"}
        status, _, body = edge.ask("POST", API + "events", new)
        record = json.loads(body).get("id", record)
        return "create", status, f"{kind}/{record}"
    if what == 1:
        status, _, _ = edge.ask("DELETE", f"{API}{kind}/{record}")
        return "delete", status, f"{kind}/{record}"
    name = {"events": "title", "venues": "venue", "organizers": "organizer"}[kind]
    if what in (2, 3):
        change = {"status": chance.choice(["draft", "private", "publish", "publish"])}
    elif kind == "events" and what == 4:
        change = {"categories": [chance.choice(reads.terms["categories"])["id"]]} if reads.terms["categories"] else {"title": "x"}
    elif kind == "events" and what == 5:
        change = {"featured": chance.choice([True, False]), "venue": chance.choice(reads.records["venue"])["id"]}
    else:
        change = {name: f"Storm {number} {chance.choice(reads.words)}"}
    status, _, _ = edge.ask("POST", f"{API}{kind}/{record}", change)
    return "/".join(change), status, f"{kind}/{record}"


def main(directory, port, edge_port, edits, seed=1):
    site, chance = Site(directory, int(port)), random.Random(int(seed))
    edge = Edge(int(edge_port), pathlib.Path(directory, "app-password").read_text().strip())
    reads = copy_study.Reads(site.replies(), chance)
    result, wrong = collections.Counter(), []
    for number in range(int(edits)):
        what, status, record = edit(edge, reads, chance, number)
        result["edit", what, status] += 1
        targets = [API + record, API + f"events?per_page={chance.randrange(1, 20)}&start_date=2000-01-01", API + f"events?search=storm&page={chance.randrange(1, 3)}"]
        for pause in (0, chance.random()):
            time.sleep(pause)
            for target in targets:
                status, by, body = edge.ask("GET", target)
                result["read", "copy" if "copy" in by else "site", status] += 1
                if "copy" in by and is_other(site, target, status, body):
                    shown = differing(plain(body), plain(site.get(target)[2]))
                    wrong.append((number, what, record, round(pause, 1), target, status, shown))
    for key, count in sorted(result.items(), key=str):
        print(f"{count:7} {key}")
    for found in wrong[:20]:
        print("WRONG", *found)
    print(f"{edits} edits, {len(wrong)} wrong reads")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
