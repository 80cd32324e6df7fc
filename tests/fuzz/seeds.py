#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets from the recorded requests and the tables in fixtures/.

Run it again when fixtures change: python3 tests/fuzz/seeds.py
"""

import base64
import hashlib
import json
import pathlib
import shutil

HERE = pathlib.Path(__file__).parent
FIXTURES = HERE.parent.parent / "fixtures"
# Recorded requests of each area that become seeds, spread over the area.
PER_AREA = 3
LONGEST = 1500


def write(target, seeds):
    folder = HERE / "seeds" / target
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for seed in seeds:
        if 0 < len(seed) <= LONGEST:
            (folder / hashlib.sha1(seed).hexdigest()[:12]).write_bytes(seed)


def areas():
    found = {}
    with open(FIXTURES / "corpus" / "corpus.jsonl", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            found.setdefault(record["area"], []).append(record["request"])
    for requests in found.values():
        yield from requests[:: max(1, len(requests) // PER_AREA)][:PER_AREA]


def body(request):
    if request.get("body_base64"):
        return base64.b64decode(request["body_base64"])
    return (request.get("body") or "").encode()


def target(request):
    query = request["query"]
    return (request["path"] + ("" if query is None else "?" + query)).encode()


def content_type(request):
    values = [value for name, value in request["headers"] if name.lower() == "content-type"]
    return values[0].encode() if values else b""


def whole(request):
    head = request["method"].encode() + b" " + target(request) + b"\n"
    for name, value in request["headers"] + [["Authorization", "Basic YTpi"]]:
        head += f"{name}: {value}\n".encode()
    return head + b"\n" + body(request)


def column(path, number):
    for line in (FIXTURES / path).read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if not line.startswith("#") and len(cells) > number:
            yield cells[number].encode()


requests = list(areas())
write("judge", map(whole, requests))
write("target", map(target, requests))
write("query", (b for r in requests for b in [(r["query"] or "").encode(), body(r)] if b and b[:1] not in b"{["))
write("json", (body(r) for r in requests if b"json" in content_type(r)))
write("config", ((FIXTURES / "config" / f).read_bytes() for f in
                 ["complete.toml", "roots.toml", "operations.toml", "minimal.toml", "bad-values.toml", "syntax.toml"]))
FORM = b'--B\r\nContent-Disposition: form-data; name="per.page[]"\r\n\r\n5\r\n--B'
FILE = b'\r\nContent-Disposition: form-data; name="f"; filename="x"\r\nContent-Type: a/b\r\n\r\nx\r\n--B'
TYPE = b"multipart/form-data; boundary="
write("multipart", [TYPE + b"B\n" + FORM + b"--", TYPE + b'"B"\n' + FORM + FILE + b"--\r\n",
                    TYPE + b"B\n" + (FORM + b"--").replace(b"per.page[]", b"rest route")])
write("values", list(column("dates/cases.tsv", 0))[::40] + list(column("numeric/cases.tsv", 0))[::40] + [
    b"Europe/Berlin", b"UTC+5:30", b"+02:00", b"EST", b"http://user:pw@[::1]:80/x?y#z", b"mailto:a@b.example",
    b"https://www.example.org/path"])
write("rewriter", [b"\x03\x05" + text for text in [
    rb'"http:\/\/origin.example\/wp-json\/tribe\/events\/v1\/events\/56"',
    b"https://origin.example/de/wp-json/tribe/events/v1?a=1 http://10.0.0.5:8080/x",
    b"http%3A%2F%2F10.0.0.5%3A8080%2Fwp-json%2Ftribe%2Fevents%2Fv1",
    rb'{"namespace":"tribe\/events\/v1","routes":{"\/tribe\/events\/v1\/doc":[]}}',
    b"https://origin.example/?rest_route=/tribe/events/v1/events&amp;page=2"]])
RECORDED = json.loads((FIXTURES / "backend" / "event-list-page1.json").read_text(encoding="utf-8"))["events"]
# As PHP prints them, and as others do; without the bracket that the target writes.
write("answer", [b"\x17\x0b" + text.encode()[1:] for fields in (slice(0, 12), slice(12, 40)) for text in [
    json.dumps([dict(list(RECORDED[0].items())[fields])], separators=(",", ":")).replace("/", "\\/"),
    json.dumps([dict(list(RECORDED[0].items())[fields])], ensure_ascii=False, indent=1)]] + [
    b"\x01\x02" + rb'-0.5,1e9,"\\\"","a]{",true,null,[],{},[{"a":{}}]]' + b" \n", b"\x40\x00" + b"[" * 70 + b"]" * 71])
HEAD = b"POST /a HTTP/1.1\r\nHost: a\r\n"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
write("framing", [b"\x05" + stream for stream in [
    HEAD + b"Content-Length: 3\r\n\r\nabcGET /?\" HTTP/1.0\r\n\r\n",
    HEAD + b"Transfer-Encoding: chunked\r\n\r\n3;x=\"y\"\r\nabc\r\n0\r\nA: b\r\n\r\n" + HEAD + b"\r\n",
    HEAD + b"A : b\r\n\r\n",
    PREFACE + b"\0\0\6\4\0\0\0\0\0\0\4\0\0\0\0" + b"\0\0\x08\6\0\0\0\0\0abcdefgh" * 12,
    PREFACE + b"\0\0\x03\1\4\0\0\0\1\x82\x86\x84" + b"\0\0\1\0\0\0\0\0\1a" * 11]])
ROUTE = b"/tribe/events/v1/events"
FORM_TYPE = b"application/x-www-form-urlencoded"


def to_site(target, content_type=b"", body=b""):
    method = b"POST" if content_type else b"GET"
    return method + b" " + target + b"\nContent-Type: " + content_type + b"\n\n" + body


def part(name, value, more=b""):
    return b'--B\r\nContent-Disposition: form-data; name="' + name + b'"' + more + b"\r\n\r\n" + value + b"\r\n"


HIDDEN, LAST, IS_FILE = part(b"rest_route", ROUTE), b"--B--\r\n", b'; filename="x"'
# One or more of each kind of request that once led to the calendar around the edge.
write("site", [
    to_site(b"/wp-trackback.php?rest_route=" + ROUTE),
    to_site(b"/wp-admin/edit.php?rest_route=" + ROUTE),
    to_site(b"/index.php//wp-json" + ROUTE), to_site(b"/x%2Fwp-json" + ROUTE), to_site(b"/wp-trackback.php/wp-json" + ROUTE),
    to_site(b"/wp-trackback.php?_method=DELETE&rest_route=" + ROUTE + b"/7"),
    to_site(b"/", FORM_TYPE, b"a=1&" * 20 + b"rest_route=" + ROUTE),
    to_site(b"/", FORM_TYPE, b"rest_route=" + ROUTE + b"&" * 20 + b"rest_route=/wp/v2/posts"),
    to_site(b"/", FORM_TYPE, b"rest_route=" + ROUTE + b"&rest_route" + b"[a]" * 9 + b"=1"),
    to_site(b"/", TYPE + b"B", part(b"a", b"1").replace(b"; name", b";\r\n name") + HIDDEN + LAST),
    to_site(b"/", TYPE + b"B", part(b"rest_route\0x", ROUTE) + LAST),
    to_site(b"/", TYPE + b"A; boundary=B", HIDDEN + LAST),
    to_site(b"/", TYPE, b"--" + HIDDEN[3:] + b"----"),
    to_site(b"/", TYPE + b"B", HIDDEN.replace(b"\r\n", b"\n") + LAST),
    to_site(b"/", TYPE + b"B", part(b"f[", b"\n" + HIDDEN, IS_FILE) + LAST),
    to_site(b"/", TYPE + b"B", part(b"MAX_FILE_SIZE", b"1") + part(b"f", b"xy\n" + HIDDEN, IS_FILE) + LAST),
    to_site(b"/", TYPE + b"B", part(b"f", b"x" * 1100 + b"\n" + HIDDEN, IS_FILE) + LAST),
    to_site(b"/", TYPE + b"B", part(b"f", b"x", IS_FILE) * 3 + part(b"f", b"\n" + HIDDEN, IS_FILE) + LAST),
    # Ordinary traffic, which passes.
    to_site(b"/wp-admin/edit.php?post_type=tribe_events"),
    to_site(b"/", FORM_TYPE + b"; charset=UTF-8", b"a=1&b[c][]=2&content=rest_route%3D" + ROUTE),
    to_site(b"/", TYPE + b"B", part(b"a", b"rest_route") + part(b"f[]", b"--\r\n-", IS_FILE) + LAST),
])
