"""Ways to a calendar route that an edge in front of a whole site may not see, by kind."""

import base64
import json
from dataclasses import dataclass

from wire import Request

ROUTE = "/tribe/events/v1/events"
PRETTY = "/wp-json" + ROUTE
FORM = ("Content-Type", "application/x-www-form-urlencoded")
JSON = ("Content-Type", "application/json")
BOUNDARY = "b0undary"


@dataclass(frozen=True)
class Attack:
    """One request without a mark, and the kind it belongs to."""

    kind: str
    name: str
    request: Request


def attacks(cookie, nonce):
    """All of them; `cookie` and `nonce` are those of an administrator."""
    makers = {
        "plain spellings": plain,
        "other scripts": other_scripts,
        "admin pages": lambda: admin_pages(cookie),
        "script names": script_names,
        "method overrides": method_overrides,
        "fields beyond the limit": beyond_the_limit,
        "empty pairs": empty_pairs,
        "nesting": nesting,
        "part names": part_names,
        "two boundaries": two_boundaries,
        "empty boundaries": empty_boundaries,
        "heads of parts": heads_of_parts,
        "files given up": files_given_up,
        "kinds of bodies": kinds_of_bodies,
        "ways inside": lambda: ways_inside(cookie, nonce),
    }
    return [Attack(kind, name, request) for kind, make in makers.items() for name, request in make()]


def get(target, *headers):
    return Request("GET", target, list(headers))


def form(target, body, method="POST", *headers):
    body = body if isinstance(body, bytes) else body.encode()
    return Request(method, target, [FORM, *headers], body)


def part(disposition, value=ROUTE, after=""):
    return f"Content-Disposition: form-data; {disposition}\r\n{after}\r\n{value}\r\n".encode("latin-1")


def multipart(*parts, boundary=BOUNDARY, content_type=None, target="/"):
    fence = b"--" + boundary.encode()
    body = b"".join(fence + b"\r\n" + each for each in parts) + fence + b"--\r\n"
    content_type = content_type or f"multipart/form-data; boundary={boundary}"
    return Request("POST", target, [("Content-Type", content_type)], body)


def upload(headers):
    pixel = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
    disposition = ("Content-Disposition", 'attachment; filename="pixel.gif"')
    return Request("POST", "/wp-json/wp/v2/media", [("Content-Type", "image/gif"), disposition, *headers], pixel)


def plain():
    routes = {
        "list": ROUTE,
        "item": ROUTE + "/1",
        "slug": ROUTE + "/by-slug/party",
        "index": "/tribe/events/v1",
        "capitals": "/TRIBE/Events/V1/events",
        "line feed": ROUTE + "%0A",
        "slash": ROUTE + "/",
        "public name": "/calendar/events/v1/events",
    }
    for name, route in routes.items():
        yield f"path, {name}", get("/wp-json" + route)
        yield f"query, {name}", get("/?rest_route=" + route)
    for method in ("HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"):
        yield f"path, {method}", Request(method, PRETTY + "/1")
    for name in ("rest%5Froute", "rest.route", "rest%20route", "rest[route", "+rest_route", "rest_route%00x"):
        yield f"query, {name}", get(f"/?{name}={ROUTE}")
    yield "query on a page", get(f"/hello-world/?rest_route={ROUTE}")
    yield "query against the path", get(f"/wp-json/wp/v2/types?rest_route={ROUTE}")
    yield "envelope", get(f"{PRETTY}?_envelope=1")
    yield "jsonp", get(f"{PRETTY}?_jsonp=cb")
    yield "forged mark", get(PRETTY, ("X-Calendar-Edge-Mark", "v1 t=1,s=" + "0" * 64))
    yield "empty mark", get(PRETTY, ("X-Calendar-Edge-Mark", ""))


def other_scripts():
    for script in ("wp-blog-header.php", "wp-trackback.php", "wp-links-opml.php", "wp-cron.php", "xmlrpc.php"):
        yield f"{script}, query", get(f"/{script}?rest_route={ROUTE}")
        yield f"{script}, form", form(f"/{script}", f"rest_route={ROUTE}")
    for script in ("wp-login.php", "wp-comments-post.php", "wp-signup.php", "wp-activate.php", "wp-mail.php"):
        yield f"{script}, query", get(f"/{script}?rest_route={ROUTE}")
    yield "wp-trackback.php, path", get(f"/wp-trackback.php{PRETTY}")
    call = "<methodCall><methodName>demo.sayHello</methodName><params/></methodCall>"
    yield "xmlrpc.php, a call", Request("POST", f"/xmlrpc.php?rest_route={ROUTE}", [("Content-Type", "text/xml")], call.encode())


def admin_pages(cookie):
    for page in ("edit.php", "upload.php?mode=list", "edit.php?post_type=page", "index.php", "post-new.php", "users.php"):
        joint = "&" if "?" in page else "?"
        yield f"{page}, query", get(f"/wp-admin/{page}{joint}rest_route={ROUTE}", cookie)
        yield f"{page}, form", form(f"/wp-admin/{page}", f"rest_route={ROUTE}", "POST", cookie)
    yield "admin-ajax.php", get(f"/wp-admin/admin-ajax.php?action=probe-none&rest_route={ROUTE}", cookie)
    yield "edit.php, doubled slash", get(f"/wp-admin//edit.php?rest_route={ROUTE}", cookie)


def script_names():
    for target in (
        f"/index.php{PRETTY}",
        f"/index.php/{PRETTY}",
        f"/index.php//{PRETTY}",
        f"/%69ndex.php{PRETTY}",
        f"/index%2Ephp{PRETTY}",
        f"//index.php{PRETTY}",
        f"/./index.php{PRETTY}",
        f"/wp-json//{ROUTE}",
        f"//wp-json{ROUTE}",
        f"/wp%2Djson{ROUTE}",
        f"/wp-json%2Ftribe/events/v1/events",
        f"/wp-json/tribe%2Fevents%2Fv1%2Fevents",
        f"/x%2Fwp-json{ROUTE}",
        f"/wp-json/%74ribe/events/v1/events",
        f"/wp-json/wp/v2/..{'/..' * 2}{ROUTE}",
        f"/wp-admin/..{PRETTY}",
        f"/index.php?/{PRETTY}",
        f"/index.php;x{PRETTY}",
        f"/wp-blog-header.php{PRETTY}",
        f"/wp-blog-header.php//{PRETTY}",
        f"/wp-content/themes/plain/index.php{PRETTY}",
        f"/index.php/wp%2Djson{ROUTE}",
        f"/INDEX.PHP{PRETTY}",
    ):
        yield target, get(target)


def method_overrides():
    override = ("X-HTTP-Method-Override", "POST")
    for method in ("GET", "POST", "PUT", "DELETE", "HEAD"):
        yield f"_method in {method}", form(f"/?rest_route={ROUTE}&_method=POST", "title=x", method)
        yield f"header in {method}", form(f"/wp-blog-header.php?rest_route={ROUTE}", "title=x", method, override)
    yield "_method in a form", form("/wp-trackback.php", f"rest_route={ROUTE}&_method=DELETE")
    yield "_method on a path", get(f"{PRETTY}/1?_method=DELETE")


def fields(count):
    return "&".join(f"f{number}=" for number in range(count))


def beyond_the_limit():
    for before in (998, 999, 1000, 1001):
        yield f"form, {before} fields before", form("/", f"{fields(before)}&rest_route={ROUTE}")
        parts = [part(f'name="f{number}"', "") for number in range(before)]
        yield f"multipart, {before} parts before", multipart(*parts, part('name="rest_route"'))


def empty_pairs():
    for before in (1, 900, 1000, 1500):
        yield f"form, {before} empty pairs before", form("/", f"{'&' * before}rest_route={ROUTE}")
        yield f"query, {before} empty pairs before", get(f"/?{'&' * before}rest_route={ROUTE}")
    yield "form, pairs without a name", form("/", "=&" * 990 + f"rest_route={ROUTE}")


def nesting():
    for depth in (1, 63, 64, 65, 200):
        deep = "a" + "[x]" * depth
        yield f"{depth} levels before", form("/", f"{deep}=1&rest_route={ROUTE}")
        yield f"rest_route, {depth} levels", form("/", f"rest_route={ROUTE}&rest_route{'[x]' * depth}=1")
        yield f"rest_route last, {depth} levels", form("/", f"rest_route{'[x]' * depth}=1&rest_route={ROUTE}")
    yield "unmatched bracket", form("/", f"rest[route={ROUTE}")
    yield "unmatched bracket in a part", multipart(part('name="rest[route"'))


def part_names():
    for name, disposition in {
        "quoted": 'name="rest_route"',
        "bare": "name=rest_route",
        "single quotes": "name='rest_route'",
        "escaped": 'name="rest\\_route"',
        "NUL-cut": 'name="rest_route\0x"',
        "folded": 'name="rest\r\n _route"',
        "folded before": '\r\n name="rest_route"',
        "tab": '\tname="rest_route"',
        "capitals": 'NAME="rest_route"',
        "twice": 'name="x"; name="rest_route"',
        "dots": 'name="rest.route"',
        "blanks": 'name=" rest_route"',
        "extended": "name*=utf-8''rest_route",
        "without a space": 'name="x";name="rest_route"',
        "percent": 'name="rest%5froute"',
    }.items():
        yield name, multipart(part(disposition))
    upper = f"content-disposition: FORM-DATA; name=rest_route\r\n\r\n{ROUTE}\r\n"
    yield "other capitals", multipart(upper.encode())


def two_boundaries():
    field = part('name="rest_route"')
    for content_type in (
        f"multipart/form-data; boundary=other; boundary={BOUNDARY}",
        f"multipart/form-data; boundary={BOUNDARY}; boundary=other",
        f"multipart/form-data; xboundary=other; boundary={BOUNDARY}",
        f"multipart/form-data; BOUNDARY={BOUNDARY}; boundary=other",
        f'multipart/form-data; x="boundary={BOUNDARY}"; boundary=other',
        f"multipart/form-data; boundary={BOUNDARY},boundary=other",
        f'multipart/form-data; boundary="{BOUNDARY}"',
        f"multipart/form-data, boundary={BOUNDARY}",
        f"multipart/form-data boundary={BOUNDARY}",
    ):
        yield content_type, multipart(field, content_type=content_type)


def empty_boundaries():
    field = part('name="rest_route"')
    for content_type in (
        "multipart/form-data; boundary=",
        'multipart/form-data; boundary=""',
        "multipart/form-data; boundary=;",
        "multipart/form-data; boundary",
        "multipart/form-data",
    ):
        yield content_type, multipart(field, boundary="", content_type=content_type)


def heads_of_parts():
    fence = f"--{BOUNDARY}"
    yield "bare LF", raw(f'{fence}\nContent-Disposition: form-data; name="rest_route"\n\n{ROUTE}\n{fence}--\n')
    yield "bare LF in the head", raw(
        f'{fence}\r\nContent-Disposition: form-data; name="rest_route"\n\n{ROUTE}\r\n{fence}--\r\n'
    )
    yield "preamble", raw(f'x\r\n{fence}\r\n{part_text("rest_route")}{fence}--\r\n')
    yield "no last boundary", raw(f'{fence}\r\n{part_text("rest_route")}{fence}')
    for length in (1000, 5119, 5120, 5121, 8192, 20000):
        pad = "x" * length
        yield f"a line of {length}", multipart(part('name="rest_route"', after=f"X-Pad: {pad}\r\n"))
        yield f"a line of {length} before", multipart(
            f'X-Pad: {pad}\r\nContent-Disposition: form-data; name="rest_route"\r\n\r\n{ROUTE}\r\n'.encode()
        )
        yield f"a name of {length} before", multipart(part(f'x="{pad}"; name="rest_route"'))
        cut = f"X-Pad: {pad}Content-Disposition: form-data; name=rest_route\r\n\r\n{ROUTE}\r\n"
        yield f"a line cut at {length}", multipart(cut.encode())


def raw(body):
    return Request("POST", "/", [("Content-Type", f"multipart/form-data; boundary={BOUNDARY}")], body.encode("latin-1"))


def part_text(name):
    return f'Content-Disposition: form-data; name="{name}"\r\n\r\n{ROUTE}\r\n'


def files_given_up():
    hidden = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="rest_route"\r\n\r\n{ROUTE}'
    inner = f'x\n--{BOUNDARY}\nContent-Disposition: form-data; name="rest_route"\n\n{ROUTE}\n'
    field = part('name="rest_route"')
    for name in ("f[", "f]", "[f", "f[x", "", "f[a][b"):
        opened = f'name="{name}"; filename="a.txt"'
        yield f"a file named {name!r}, then a field", multipart(part(opened, "text"), field)
        yield f"a field inside a file named {name!r}", multipart(part(opened, hidden))
        yield f"a field after LF inside a file named {name!r}", multipart(part(opened, inner))
    limit = part('name="MAX_FILE_SIZE"', "1")
    file = 'name="f"; filename="a.txt"'
    yield "MAX_FILE_SIZE, then a field", multipart(limit, part(file, "text" * 100), field)
    yield "a field inside a file beyond MAX_FILE_SIZE", multipart(limit, part(file, "text\r\n" + hidden))
    yield "a field after LF beyond MAX_FILE_SIZE", multipart(limit, part(file, "text\n" + inner))
    yield "a file too large, then a field", multipart(part(file, "x" * (3 << 20)), field)
    yield "a field inside a file too large", multipart(part(file, "x" * (3 << 20) + "\n" + inner))
    many = [part(f'name="f{number}"; filename="a.txt"', "x") for number in range(20)]
    yield "the 21st file, then a field", multipart(*many, part(file, "x"), field)
    yield "a field inside the 21st file", multipart(*many, part(file, inner))
    yield "a file without a name", multipart(part('filename="a.txt"', "x"), field)
    yield "a file without a file name", multipart(part('name="f"; filename=""', inner))


def kinds_of_bodies():
    as_json = json.dumps({"rest_route": ROUTE}).encode()
    for target in ("/", "/wp-json/wp/v2/types", "/wp-blog-header.php", "/hello-world/"):
        yield f"form to {target}", form(target, f"rest_route={ROUTE}")
        yield f"multipart to {target}", multipart(part('name="rest_route"'), target=target)
        yield f"JSON to {target}", Request("POST", target, [JSON], as_json)
        yield f"PUT form to {target}", form(target, f"rest_route={ROUTE}", "PUT")
    for content_type in (
        "application/x-www-form-urlencoded; charset=utf-8",
        "application/x-www-form-urlencoded, text/plain",
        "APPLICATION/X-WWW-FORM-URLENCODED",
        "application/x-www-form-urlencoded ; x",
        " application/x-www-form-urlencoded",
        "application/json",
        "text/plain",
    ):
        yield f"a form as {content_type!r}", Request("POST", "/", [("Content-Type", content_type)], f"rest_route={ROUTE}".encode())
    yield "a form beside the same query", form(f"/?rest_route={ROUTE}", f"rest_route={ROUTE}")
    yield "a form for a GET", form("/", f"rest_route={ROUTE}", "GET")


def ways_inside(cookie, nonce):
    token = ("X-WP-Nonce", nonce)
    for path in (ROUTE, ROUTE + "/1", "/Tribe/events/v1/events", ROUTE + "?title=x"):
        body = json.dumps({"requests": [{"path": path, "method": "POST", "body": {"image": "http://127.0.0.1/"}}]})
        for headers in ([JSON], [JSON, cookie, token]):
            yield f"batch of {path}, {len(headers)} headers", Request("POST", "/wp-json/batch/v1", headers, body.encode())
    body = json.dumps({"validation": "require-all-validate", "requests": [{"path": ROUTE, "body": {"image": "x"}}]})
    yield "batch that validates first", Request("POST", "/wp-json/batch/v1", [JSON], body.encode())
    entries = [{"path": "http:///"}, {"path": "/wp/v2/posts"}, {"path": ROUTE}]
    body = json.dumps({"requests": entries})
    yield "batch with a path that cannot be read", Request("POST", "/wp-json/batch/v1", [JSON, cookie, token], body.encode())
    yield "embedded", get("/wp-json/probe/v1/linked?_embed=1")
    yield "internal, while REST is served", get("/wp-json/probe/v1/internal")
    yield "internal, outside of REST", get("/wp-admin/admin-ajax.php?action=probe")
    yield "a route changed by a plugin", get("/wp-json/wp/v2/types?probe=move")
    yield "an administrator", get(PRETTY, cookie, token)
    yield "an administrator's write", Request("POST", PRETTY, [JSON, cookie, token], b'{"title":"x"}')
