"""What is asked of the proxies: one row a case."""

import http.client

from load import h2load, wrk
from peers import LIST, ROOT, Edge, HAProxy, ModSecurity, Nginx, Pingora, PlainProxy, Varnish

PAGE = f"{LIST}?per_page=11&page=2"


class Case:
    """A load with the peers that can answer it; the first peer is the measure of the others."""

    def __init__(self, name, peers, load, path=PAGE, status=200, headers=()):
        self.name, self.peers, self.load, self.path, self.status, self.headers = name, peers, load, path, status, headers
        # Load generators count refusals as errors; here they are what is measured.
        self.expects_errors = name.startswith("refused")

    def probe(self, peer):
        """Status, headers and body's length of one request, before load is put on a peer."""
        connection = http.client.HTTPConnection("127.0.0.1", peer.plain, timeout=10)
        try:
            connection.request("GET", self.path, headers=dict(header.split(": ", 1) for header in self.headers))
            answer = connection.getresponse()
            return answer.status, answer.headers, len(answer.read())
        finally:
            connection.close()


def over_http1(*headers, script=None):
    return lambda case, peer, seconds: wrk(
        f"http://127.0.0.1:{peer.plain}{case.path}", seconds, [*case.headers, *headers], script)


def over_tls(case, peer, seconds):
    return wrk(f"https://127.0.0.1:{peer.tls}{case.path}", seconds, ["Connection: close"])


def over_http2(case, peer, seconds):
    return h2load(f"http://127.0.0.1:{peer.h2}{case.path}", seconds)


def revalidating(case, peer, seconds):
    """Every request has the ETag of the kept answer."""
    tag = case.probe(peer)[1]["ETag"]
    return wrk(f"http://127.0.0.1:{peer.plain}{case.path}", seconds, [*case.headers, f"If-None-Match: {tag}"])


def with_many_connections(case, peer, seconds):
    return wrk(f"http://127.0.0.1:{peer.plain}{case.path}", seconds, connections=1000)


def all_cases(binary):
    """The cases of the report, in its order."""
    plain = [Nginx(), PlainProxy(binary), Edge(binary)]
    bare = [Nginx(), Pingora(), PlainProxy(binary), Edge(binary)]
    checked = [Nginx(), HAProxy(), ModSecurity(), Pingora(), PlainProxy(binary), Edge(binary)]
    refusing = [Nginx(), ModSecurity(), Edge(binary)]
    new_connections = [Nginx(), HAProxy(), Edge(binary)]
    kept = [Nginx(cache=True), Varnish(), Edge(binary, cache=True)]
    packed = [Nginx(cache=True, compress=True), Varnish(), Edge(binary, cache=True, compress=True)]
    gzip = ("Accept-Encoding: gzip",)
    return [
        Case("list, 8 KiB", checked, over_http1()),
        Case("item, 5 KiB", bare, over_http1(), f"{LIST}/50"),
        Case("create", checked, over_http1(script="create.lua"), LIST),
        Case("list, 1 KiB", bare, over_http1(), f"{LIST}?search=list-1k"),
        Case("list, 64 KiB", bare, over_http1(), f"{LIST}?search=list-64k"),
        Case("list, 1 MiB", plain, over_http1(), f"{LIST}?search=list-1m"),
        Case("list with an access log", [Nginx(log=True), Edge(binary, log=True)], over_http1()),
        Case("list over HTTP/2", plain, over_http2),
        Case("list, 1000 connections", plain, with_many_connections),
        Case("a connection each", new_connections, over_http1("Connection: close")),
        Case("a TLS handshake each", new_connections, over_tls),
        Case("refused: bad parameter", refusing, over_http1(), f"{LIST}?page=none", 400),
        Case("refused: no route", refusing, over_http1(), f"{ROOT}/nowhere", 404),
        Case("refused: anonymous create", refusing, over_http1(script="anonymous.lua"), LIST),
        Case("cache hit, 8 KiB", kept, over_http1()),
        Case("cache hit, 304", kept, revalidating),
        Case("cache hit, gzip", packed, over_http1(), headers=gzip),
    ]


# The statuses that the edge gives and the origin, which checks nothing, does not.
JUDGED = {400, 404}


def is_expected(case, peer, status):
    """A proxy that checks nothing relays the origin's 200."""
    return status == case.status or (case.status in JUDGED and not isinstance(peer, Edge))

