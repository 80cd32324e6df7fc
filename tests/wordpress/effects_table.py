"""The table of named methods: what a write does to a record directly, and through an edge."""

import json

from checks import SECRET
from edge_under_test import Edge, built
from effects import API, JSON, REQUIRED, SETTINGS, prepared
from site_under_test import CALENDAR
from wire import Request, send

NAMES = ((None, None), ("header", "DELETE"), ("query", "delete"), ("header", "PUT"), ("query", "PATCH"), ("header", "GET"), ("header", "HEAD"), ("query", "head"), ("header", "FOO"))


def made(host, kind, login, number):
    values = {name: f"{value} {number}" if name in ("title", "venue", "organizer", "name") else value for name, value in REQUIRED[kind].items()}
    values |= {"status": "draft", "cost": "5", "featured": True} if kind == "events" else {}
    request = Request("POST", f"{API}/{kind}", [("Authorization", login), ("Content-Type", JSON)], json.dumps(values).encode())
    return json.loads(send(host, request).body)["id"]


def state(twins, database, kind, number):
    """Everything that is stored of a record, but when it was changed."""
    if kind in ("categories", "tags"):
        return twins.query(f"SELECT * FROM wp_terms NATURAL JOIN wp_term_taxonomy WHERE term_id = {number}", database)
    posts = twins.query(f"SELECT post_status, post_title, post_content FROM wp_posts WHERE ID = {number}", database)
    meta = twins.query(f"SELECT meta_key, meta_value FROM wp_postmeta WHERE post_id = {number} AND meta_key IN ('_EventCost', '_tribe_featured') ORDER BY 1", database)
    return posts + meta


def effect(before, after):
    if before == after:
        return "none"
    if not after or after.startswith("trash"):
        return "deleted"
    published = before.startswith("draft") and after.startswith("publish")
    return "updated, published" if published else "updated"


def row(twins, edge, kind, wire, naming, login, number):
    place, named = naming
    headers = [("Authorization", login), ("Content-Type", JSON)]
    if place == "header":
        headers.append(("X-HTTP-Method-Override", named))
    found = []
    for host, target, database in ((twins.host, twins.host, "twin"), (twins.site.host, edge.host, "wordpress")):
        record = made(host, kind, login, number)
        before = state(twins, database, kind, record)
        query = f"?_method={named}" if place == "query" else ""
        body = b"" if named and named.upper() == "DELETE" else b'{"description":"new"}'
        answer = send(target, Request(wire, f"{API}/{kind}/{record}{query}", headers, body))
        body = "" if answer.body else ", no body"
        found.append(f"{answer.status} {effect(before, state(twins, database, kind, record))}{body}")
    return found


def all_of(site, server, tally):
    if CALENDAR is None or built() is None or server != "built-in server":
        print(f"SKIPPED: {server}: the table needs CALENDAR_EDGE_CALENDAR, the edge, and PHP's own server")
        return
    twins, _, logins = prepared(site)
    number = 100
    print("| On the wire | Beside it | Kind | WordPress | The edge |\n|---|---|---|---|---|")
    with Edge(site, SECRET, 30, first=SETTINGS.replace("@MODE@", "enforce").replace("@REPAIR@", "false")) as edge:
        for wire in ("POST", "PUT", "PATCH", "DELETE"):
            for naming in NAMES:
                for kind in REQUIRED:
                    number += 1
                    direct, through = row(twins, edge, kind, wire, naming, logins["password"], number)
                    mark = "" if direct == through else " **differs**"
                    print(f"| {wire} | {' '.join(filter(None, naming)) or '–'} | {kind} | {direct} | {through}{mark} |", flush=True)
                    tally.check(direct == through, f"{wire} {naming} {kind}: {direct}, {through}")
    site._end(twins.process)
    site.drop_calendar()
