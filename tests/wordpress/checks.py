"""What must hold at a site: open without a secret, closed to attacks with one, and usable in both."""

import base64
import gzip
import hashlib
import hmac
import json
import re
import time
from collections import Counter

from attacks import FORM, JSON, PRETTY, ROUTE, attacks, form, get, multipart, part, upload
from site_under_test import LOGIN, PASSWORD
from wire import Request, mark, send

SECRET = "a secret for tests, as long as it has to be"


class Tally:
    """Counts what held and prints what did not."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, holds, what):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {what}", flush=True)


def all_of(site, server, tally):
    """Every check, against one web server."""
    site.guard(None)
    cookie, nonce = log_in(site)
    open_site(site, server, tally, attacks(cookie, nonce))
    tally.check("callback" in ask(site, get("/wp-json/wp/v2/types?probe=late"))[1], f"{server}: the late change is a real one")
    secret = site.scratch / "secret"
    secret.write_text(f"\n {SECRET} \n")
    site.guard(secret)
    attacked(site, server, tally, attacks(cookie, nonce), "calendar_edge_mark_")
    probe(site, server, tally)
    marked(site, server, tally)
    bad_marks(site, server, tally)
    ordinary(site, server, tally)
    health(site, server, tally, "calendar-edge guards the calendar")
    for file in unusable_secrets(site, secret):
        site.guard(file)
        answer, ran = ask(site, get(PRETTY).with_headers(mark(SECRET, get(PRETTY))))
        refused = (answer.status, answer.code()) == (403, "calendar_edge_secret_unusable")
        tally.check(refused and not ran, f"{server}: the secret in {file} closes the calendar: {answer}")
    health(site, server, tally, "calendar-edge closes the calendar")
    errors = site.errors("calendar-edge.php")
    tally.check(not errors, f"{server}: PHP complains about the plugin: {errors[:3]}")


def unusable_secrets(site, secret):
    """Files that hold no secret, one after the other."""
    for text in ("", "short", "x" * 31 + "\n"):
        secret.write_text(text)
        yield secret
    yield site.scratch / "none"
    yield site.scratch
    yield ""


def ask(site, request):
    """The answer, and what ran of the calendar's routes."""
    site.forget()
    answer = send(site.host, request)
    return answer, site.reached()


def log_in(site):
    """An administrator's cookie and the nonce of his REST requests."""
    send(site.host, get("/wp-login.php"))
    body = f"log={LOGIN}&pwd={PASSWORD.replace(' ', '+')}&testcookie=1"
    answer = send(site.host, form("/wp-login.php", body, "POST", ("Cookie", "wordpress_test_cookie=WP+Cookie+check")))
    pairs = [line.split(";")[0] for line in answer.headers.get("set-cookie", [])]
    cookie = ("Cookie", "; ".join(pair for pair in pairs if "wordpress" in pair))
    nonce = send(site.host, get("/wp-admin/admin-ajax.php?action=rest-nonce", cookie)).body.decode()
    return cookie, nonce


def open_site(site, server, tally, tried):
    """Without a secret the plugin does nothing, and the attacks are real ones."""
    reached, kinds = Counter(), Counter()
    for attack in tried:
        kinds[attack.kind] += 1
        reached[attack.kind] += bool(ask(site, attack.request)[1])
    for kind, count in kinds.items():
        print(f"{server}: without a guard {reached[kind]} of {count} reach the calendar: {kind}")
        tally.check(reached[kind] > 0, f"{server}: no attack of the kind '{kind}' is a real one")
    health(site, server, tally, "calendar-edge does not guard the calendar")


def attacked(site, server, tally, tried, code):
    """With a secret nothing that has no mark runs any code of a calendar route."""
    for attack in tried:
        answer, ran = ask(site, attack.request)
        tally.check(not ran, f"{server}: {attack.kind}, {attack.name}: ran {ran}, answered {answer.status}")
        tally.check(answer.status not in (0, 502), f"{server}: {attack.kind}, {attack.name}: answered {answer.status}")
        if answer.code().startswith("calendar_edge"):
            tally.check(answer.code().startswith(code), f"{server}: {attack.kind}, {attack.name}: {answer}")
            stored = "admin-ajax" not in attack.request.target and not re.search("no-store|max-age=0", caching(answer))
            tally.check(not stored, f"{server}: {attack.kind}, {attack.name}: may be stored: {answer}")


def caching(answer):
    return ", ".join(answer.headers.get("cache-control", []))


def probe(site, server, tally):
    """An unmarked read of the namespace index shows that the guard stands."""
    for target in ("/wp-json/tribe/events/v1", "/?rest_route=/tribe/events/v1", "/index.php/wp-json/tribe/events/v1/"):
        answer = send(site.host, get(target))
        shape = json.loads(answer.body) if answer.status == 403 else {}
        refused = shape.get("code") == "calendar_edge_mark_missing" and shape["data"] == {"status": 403}
        tally.check(refused, f"{server}: the probe {target}: {answer}")


def marked(site, server, tally):
    """Marked calls reach the route they name, with their method and arguments."""
    slug, post = PRETTY + "/by-slug/", ([JSON], b'{"title":"T\xc3\xa4st"}')
    calls = [
        (Request("GET", "/wp-json/tribe/events/v1"), None, None),
        (Request("GET", PRETTY), ROUTE, "GET"),
        (Request("GET", PRETTY + "?search=a%20b&include%5B%5D=1"), ROUTE, "GET"),
        (Request("GET", PRETTY + "?"), ROUTE, "GET"),
        (Request("GET", PRETTY + "/"), ROUTE, "GET"),
        (Request("GET", PRETTY + "/56"), ROUTE + "/56", "GET"),
        (Request("GET", slug + "caf%C3%A9+x%2By"), None, "GET"),
        (Request("GET", slug + "rewritten-caf%C3%A9+x%2By"), None, "GET"),
        (Request("GET", slug + "it%27s"), None, "GET"),
        (Request("GET", f"/?rest_route={ROUTE}&page=2"), ROUTE, "GET"),
        (Request("GET", f"/?rest_route={ROUTE}/by-slug/caf%25C3%25A9"), None, "GET"),
        (Request("GET", f"/index.php{PRETTY}"), ROUTE, "GET"),
        (Request("POST", PRETTY, *post), ROUTE, "POST"),
        (Request("POST", PRETTY + "/5", *post), ROUTE + "/5", "POST"),
        (Request("PUT", PRETTY + "/5", *post), ROUTE + "/5", "PUT"),
        (Request("DELETE", PRETTY + "/5"), ROUTE + "/5", "DELETE"),
    ]
    for request, route, method in calls:
        answer, ran = ask(site, request.with_headers(mark(SECRET, request)))
        found = json.loads(answer.body) if answer.status == 200 else {}
        tally.check(answer.status == 200, f"{server}: marked {request.method} {request.target}: {answer}")
        tally.check(method is None or "callback" in ran, f"{server}: marked {request.target} ran {ran}")
        tally.check(route is None or found.get("reached") == route, f"{server}: {request.target} led to {found}")
        tally.check(method is None or found.get("method") == method, f"{server}: {request.target}: {found}")
    head = Request("HEAD", PRETTY)
    answer, ran = ask(site, head.with_headers(mark(SECRET, head)))
    tally.check(answer.status == 200 and "callback" in ran, f"{server}: marked HEAD: {answer}")
    tunnelled = Request("POST", PRETTY + "/5", [("X-HTTP-Method-Override", "DELETE")])
    answer, _ = ask(site, tunnelled.with_headers(mark(SECRET, tunnelled, method="DELETE")))
    found = json.loads(answer.body) if answer.status == 200 else {}
    tally.check(found.get("method") == "DELETE", f"{server}: a marked DELETE in a POST: {answer}")


def bad_marks(site, server, tally):
    """A mark covers one method, target, body and moment, and leads to the route of its target only."""
    now, read = int(time.time()), get(PRETTY)
    write = Request("POST", PRETTY, [JSON], b'{"title":"x"}')
    invalid, elsewhere = "calendar_edge_mark_invalid", "calendar_edge_mark_elsewhere"
    good = mark(SECRET, read)
    override = ("X-HTTP-Method-Override", "DELETE")
    cases = {
        "another secret": (read, mark(SECRET + "x", read), invalid),
        "another query": (get(PRETTY + "?page=2"), good, invalid),
        "another path": (get(PRETTY + "/1"), good, invalid),
        "another method": (Request("DELETE", PRETTY + "/1"), mark(SECRET, get(PRETTY + "/1")), invalid),
        "an override": (Request("POST", PRETTY + "/1", [override]), mark(SECRET, Request("POST", PRETTY + "/1")), invalid),
        "an override by the query": (get(PRETTY + "/1?_method=DELETE"), mark(SECRET, get(PRETTY + "/1?_method=DELETE")), invalid),
        "another body": (Request("POST", PRETTY, [JSON], b'{"title":"y"}'), mark(SECRET, write), invalid),
        "no body": (Request("POST", PRETTY, [JSON]), mark(SECRET, write), invalid),
        "an old one": (read, mark(SECRET, read, at=now - 75), "calendar_edge_mark_expired"),
        "one of the future": (read, mark(SECRET, read, at=now + 75), "calendar_edge_mark_expired"),
        "capitals": (read, (good[0], good[1].upper()), invalid),
        "surplus": (read, (good[0], good[1] + "0"), invalid),
        "a list": (read, (good[0], good[1] + ", " + good[1]), invalid),
        "another version": (read, (good[0], good[1].replace("v1", "v2")), invalid),
    }
    routed = form("/wp-json/wp/v2/types", f"rest_route={ROUTE}")
    cases["a form that names the route"] = (routed, mark(SECRET, routed), invalid)
    moved = form(PRETTY, f"rest_route={ROUTE}/1")
    cases["a form against the path"] = (moved, mark(SECRET, moved), invalid)
    fields = form(PRETTY, "title=x")
    cases["a form"] = (fields, mark(SECRET, fields), invalid)
    # PHP leaves nothing of a multipart body, so that its digest is that of no body.
    empty = Request("POST", PRETTY)
    for kind, field in {"field": part('name="title"', "x"), "file": part('name="image"; filename="a"', "x")}.items():
        cases[f"a multipart {kind}"] = (multipart(field, target=PRETTY), mark(SECRET, empty), invalid)
    double = get(f"{PRETTY}/by-slug/x?rest_route={ROUTE}")
    cases["a query against the path"] = (double, mark(SECRET, double), elsewhere)
    elsewhere_path = get("/wp-json/probe/v1/internal?x=" + PRETTY)
    for name, (request, header, code) in cases.items():
        answer, ran = ask(site, request.with_headers(header))
        tally.check((answer.status, answer.code()) == (403, code) and not ran, f"{server}: {name}: {answer}, ran {ran}")
    for request in (get("/wp-json/probe/v1/linked?_embed=1"), elsewhere_path, get("/wp-json/wp/v2/types?probe=move")):
        answer, ran = ask(site, request.with_headers(mark(SECRET, request)))
        tally.check(not ran, f"{server}: a mark for {request.target} opened another route: {answer}")
    # A plugin that changes the route behind the first wall meets the second; WordPress still asks for permissions,
    # to write the header Allow.
    late = get("/wp-json/wp/v2/types?probe=late")
    for request in (late, late.with_headers(mark(SECRET, late))):
        answer, ran = ask(site, request)
        tally.check(answer.status == 403 and set(ran) <= {"permission"}, f"{server}: the second wall: {answer}, ran {ran}")
    two = read.with_headers(good, good)
    answer, ran = ask(site, two)
    tally.check(answer.status in (200, 400, 403), f"{server}: two marks: {answer}")


def ordinary(site, server, tally):
    """The rest of the site does what it did."""
    cookie, nonce = log_in(site)
    token, basic = ("X-WP-Nonce", nonce), f"{LOGIN}:{site.application_password}"
    account = ("Authorization", "Basic " + base64.b64encode(basic.encode()).decode())
    tally.check("logged_in" in cookie[1] and re.fullmatch("[0-9a-f]{10}", nonce), f"{server}: login: {cookie}")
    batch = {"requests": [{"path": "/wp/v2/posts", "method": "POST", "body": {"title": "batched"}}]}
    calls = {
        "the front page": (get("/"), 200, b"Test site"),
        "the root index": (get("/wp-json/"), 200, b"tribe\\/events\\/v1"),
        "posts": (get("/wp-json/wp/v2/posts?_embed=1"), 200, b"hello-world"),
        "a route of a name alike": (get("/wp-json/tribe/events/v10/events"), 404, b"rest_no_route"),
        "who am I": (get("/wp-json/wp/v2/users/me", cookie, token), 200, b'"id":1'),
        "who am I, application password": (get("/wp-json/wp/v2/users/me", account), 200, b'"id":1'),
        "a post is written": (Request("POST", "/wp-json/wp/v2/posts", [JSON, cookie, token], b'{"title":"t"}'), 201, b'"id"'),
        "a batch": (Request("POST", "/wp-json/batch/v1", [JSON, cookie, token], json.dumps(batch).encode()), 207, b"batched"),
        "the editor": (get("/wp-admin/post-new.php", cookie), 200, b"wp.apiFetch"),
        "posts in wp-admin": (get("/wp-admin/edit.php", cookie), 200, b"Hello world!"),
        "media in wp-admin": (get("/wp-admin/upload.php?mode=list", cookie), 200, b"wp-list-table"),
        "the dashboard": (get("/wp-admin/", cookie), 200, b"Dashboard"),
        "the block editor's own request": (get("/wp-json/wp/v2/types/post?context=edit", cookie, token), 200, b'"rest_base":"posts"'),
        "a file": (upload([cookie, token]), 201, b'"media_type":"image"'),
        "the site's code, vouched for": (get("/wp-admin/admin-ajax.php?action=probe_vouched"), 200, b"reached"),
    }
    for name, (request, status, text) in calls.items():
        answer = send(site.host, request)
        tally.check(answer.status == status and text in answer.body, f"{server}: {name}: {answer.status} {answer.body[:300]}")
    call = b"<?xml version='1.0'?><methodCall><methodName>demo.sayHello</methodName><params/></methodCall>"
    answer = send(site.host, Request("POST", "/xmlrpc.php", [("Content-Type", "text/xml")], call))
    tally.check(b"Hello!" in answer.body, f"{server}: XML-RPC: {answer}")
    answer = send(site.host, Request("POST", "/wp-json/wp/v2/posts", [FORM, cookie, token], b"title=form"))
    tally.check(answer.status == 201, f"{server}: a post from a form: {answer}")


def health(site, server, tally, label):
    """Site Health says how the guard stands."""
    cookie, _ = log_in(site)
    page = send(site.host, get("/wp-admin/site-health.php", cookie)).body.decode(errors="replace")
    tally.check(label in page, f"{server}: Site Health does not say '{label}'")
