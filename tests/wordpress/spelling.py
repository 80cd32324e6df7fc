"""Random spellings of requests to scripts and routes of a WordPress, from a seed: what may look like another request."""

import base64

from attacks import BOUNDARY, part
from wire import Request

FORM = "application/x-www-form-urlencoded"
XML = "text/xml"
ENDS = ("/", "//", "/x", "/x.php", "/.", "/..", "/%2e", "%2f", "%2F", "%20", "%00", "%0a", "%0d%0a", ";x", ".", "%2e", "~", "::$DATA", "%5c", "\\", "%23", "%3f", ".php", "/wp-json/wp/v2/types")
STARTS = ("/", "/.", "/%2e", "/x/..", "/x/%2e%2e", "/x%2f..", "/wp-admin/..", "/wp-admin", "/index.php", "/wp-json", "/wp-json/..", "\\", "/%5c", "//h.example", "/hello-world", "/blog")
METHODS = ("GET", "GET", "GET", "GET", "GET", "POST", "POST", "POST", "POST", "HEAD", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "get", "TRACE", "SEARCH")
OVERRIDES = ("GET", "GET", "POST", "HEAD", "OPTIONS", "OPTIONS", "get", "options", "PUT", "", "X", " GET", "GET ", "OPTIONS, GET")
HEADERS = ("X-HTTP-Method-Override", "X-HTTP-Method-Override", "x-http-method-override", "X_HTTP_Method_Override", "X-HTTP_Method-Override", "X-HTTP-Method", "X-Method-Override")
ROUTE_NAMES = ("rest_route", "rest%5Froute", "rest.route", "rest%20route", "rest+route", "rest[route", "+rest_route", "%20rest_route", "rest_route%00", "rest_route[]", "rest_route[x]", "REST_ROUTE", "%72est_route", "rest_route%5b%5d", "rest_route]")
SCRIPTS = ("/", "/index.php", "/wp-blog-header.php", "/wp-load.php", "/wp-trackback.php", "/wp-cron.php", "/wp-links-opml.php", "/xmlrpc.php", "/wp-login.php", "/wp-login", "/hello-world/", "/wp-json/", "/wp-json/wp/v2/types", "/index.php/wp-json/wp/v2/types", "/wp-admin/admin-ajax.php", "/x.php", "/nothing", "/wp-comments-post.php", "/feed/", "/wp-sitemap.xml", "/robots.txt")
FLAGS = ("_envelope", "_envelope=1", "_envelope=", "_envelope=0", "%5Fenvelope=1", "_pretty", "_pretty=1", "_jsonp=f", "_fields=id", "context=edit", "_embed=0", "page=1", "reauth=1", "action=login", "rsd", "_locale=user", "interim-login=1")


class Speller:
    """Spells requests; the same seed spells the same."""

    def __init__(self, random):
        self.random = random

    def maybe(self, share):
        return self.random.random() < share

    def one(self, choices):
        return self.random.choice(choices)

    def path(self, path):
        """A path in one of its many spellings, or in one that leads elsewhere."""
        for _ in range(self.one((0, 0, 0, 1, 1, 1, 2, 3))):
            path = self.one((self._case, self._escape, self._slash, self._dots, self._end, self._start, self._twice))(path)
        return path

    def _letter(self, text, change):
        places = [at for at, letter in enumerate(text) if letter.isalnum() or letter in "-_."]
        if not places:
            return text
        at = self.one(places)
        return text[:at] + change(text[at]) + text[at + 1 :]

    def _case(self, path):
        return path.upper() if self.maybe(0.3) else self._letter(path, str.swapcase)

    def _escape(self, path):
        form = self.one(("%{:02x}", "%{:02X}"))
        return self._letter(path, lambda letter: form.format(ord(letter)))

    def _twice(self, path):
        return self._letter(path, lambda letter: self.one(("%25{:02x}", "%c1%{:02x}", "%u00{:02x}")).format(ord(letter)))

    def _slash(self, path):
        places = [at for at, letter in enumerate(path) if letter == "/"]
        if not places:
            return path
        at = self.one(places)
        return path[:at] + self.one(("//", "%2f", "%2F", "\\", "%5c", "/\\", "%c0%af", "///")) + path[at + 1 :]

    def _dots(self, path):
        at = path.find("/", 1) if self.maybe(0.3) else 0
        return path[: max(at, 0)] + self.one(("/.", "/%2e", "/x/..", "/x/%2E%2e", "/x/.%2e", "/..")) + path[max(at, 0) :]

    def _end(self, path):
        return path + self.one(ENDS)

    def _start(self, path):
        return self.one(STARTS) + path

    def query(self, pairs):
        """A query with these pairs among others, in any order."""
        pairs = [*pairs, *(self.one(FLAGS) for _ in range(self.one((0, 0, 1, 2))))]
        self.random.shuffle(pairs)
        return self.one(("&", "&", "&", "&&", "&;")).join(pairs)

    def target(self, path, *pairs):
        query = self.query(pairs)
        return path + (f"?{query}" if query else self.one(("", "", "?")))

    def value(self, route):
        """A route as the value of a variable."""
        route = self.path("/" + route) if self.maybe(0.5) else "/" + route
        route = route.replace("\\", "%5c").replace("#", "%23").replace("?", "%3f").replace(";", "%3b")
        return route.replace("/", "%2F") if self.maybe(0.3) else route

    def to_route(self, route, headers=()):
        """A request to a REST route by its path, by a variable of the query or of a form, or by several of them."""
        path, pairs, body, method = self.one((*SCRIPTS, "/", "/", "/", "/index.php")), [], [], self.one(METHODS)
        way = self.one(("path", "path", "query", "query", "query", "form", "both"))
        if way in ("path", "both"):
            path = self.path(self.one(("/wp-json/", "/wp-json/", "/index.php/wp-json/", "/wp-json")) + route)
        elif self.maybe(0.3):
            path = self.path(path)
        if way in ("query", "both"):
            pairs.append(f"{self._name()}={self.value(route)}")
        if way in ("form", "both"):
            body.append((self._name(), self.value(route)))
            method = self.one(("POST", "POST", "POST", "PUT"))
        for where in (pairs, body):
            if where and self.maybe(0.3):
                other = self.one(("/wp/v2/types", "/", "", "/x"))
                where.insert(self.one((0, len(where))), f"{self._name()}={other}" if where is pairs else (self._name(), other))
        headers = [*headers, *self.overrides(pairs, body)]
        request = Request(method, self.target(path, *pairs), headers)
        return self.with_form(request, body) if body else request

    def _name(self):
        return "rest_route" if self.maybe(0.6) else self.one(ROUTE_NAMES)

    def overrides(self, pairs, body=()):
        """Headers that name another method; or a variable does."""
        if self.maybe(0.3):
            pairs.append(self.one(("_method", "_method", "%5Fmethod", ".method", "_method[]", "+_method")) + "=" + self.one(OVERRIDES).replace(" ", "%20"))
        if body and self.maybe(0.2):
            body.append(("_method", "GET"))
        headers = [(self.one(HEADERS), self.one(OVERRIDES)) for _ in range(self.one((0, 0, 0, 1, 1, 2)))]
        return [*headers, ("Connection", self.one(HEADERS))] if headers and self.maybe(0.2) else headers

    def to_script(self, name, headers=()):
        """A request to a script, with a method of its own."""
        pairs = []
        headers = [*headers, *self.overrides(pairs)]
        if self.maybe(0.15):
            pairs.append(f"{self._name()}={self.value(self.one(('wp/v2/types', 'wp/v2/users')))}")
        return Request(self.one(METHODS), self.target(self.path(f"/{name}"), *pairs), headers)

    def with_form(self, request, fields):
        """The request with a form, encoded in one of the ways that PHP reads, or may not read."""
        way = self.one(("urlencoded", "urlencoded", "urlencoded", "multipart", "odd"))
        if way == "multipart":
            parts = [part(f'name="{name}"', value) for name, value in fields]
            fence = b"--" + BOUNDARY.encode()
            body = b"".join(fence + b"\r\n" + each for each in parts) + fence + b"--\r\n"
            kind = self.one(("multipart/form-data; boundary=@", 'Multipart/Form-Data; boundary="@"', "multipart/form-data; charset=x; boundary=@")).replace("@", BOUNDARY)
        else:
            body = "&".join(f"{name}={value}" for name, value in fields).encode("utf-8", "surrogateescape")
            kind = FORM if way == "urlencoded" else self.one((FORM + "; charset=UTF-16", FORM.upper(), FORM + ";x", FORM + ",", "text/plain", "application/json", FORM + " , text/plain"))
        return Request(request.method, request.target, [("Content-Type", kind), *request.headers], body)

    def login_form(self, account, password):
        """The fields of a login, which PHP may read under other names."""
        log, pwd = self.one(("log", "log", "log", "%6cog", "l%6Fg", "+log", "log%00x", "log[")), self.one(("pwd", "pwd", "pwd", "%70wd", "+pwd"))
        fields = [(log, account), (pwd, password), ("testcookie", "1"), ("wp-submit", "Log+In")][: self.one((2, 4))]
        if self.maybe(0.15):
            fields.insert(self.one((0, len(fields))), (self.one(("log", "log[]", "pwd[]")), "other"))
        self.random.shuffle(fields)
        return fields

    def xml_call(self, account, password, depth=0):
        """A call that shows a password, alone or within lists."""
        string = self.one(("<value><string>{}</string></value>", "<value>{}</value>"))
        params = "".join(f"<param>{string.format(text)}</param>" for text in ("1", account, password))
        method = self.one(("wp.getUsersBlogs", "wp.getPosts", "wp.getOptions", "metaWeblog.getRecentPosts", "blogger.getUsersBlogs", "mt.getCategoryList", "wp.getProfile", "demo.sayHello", "wp.getUser", "wp.newPost"))
        if method in ("wp.getUsersBlogs",):
            params = "".join(f"<param>{string.format(text)}</param>" for text in (account, password))
        if self.maybe(0.2):
            args = "".join(f"<value><string>{text}</string></value>" for text in ("1", account, password))
            entry = f"<value><struct><member><name>methodName</name><value>{method}</value></member><member><name>params</name><value><array><data>{args}</data></array></value></member></struct></value>"
            method, params = "system.multicall", f"<param><value><array><data>{entry * self.one((1, 2, 5))}</data></array></value></param>"
        named = method if self.maybe(0.8) else "".join(f"&#{ord(letter)};" for letter in method)
        prolog = self.one(("", "<?xml version='1.0'?>", "\n<!-- x -->", "<?xml version='1.0' encoding='iso-8859-1'?>", "\ufeff"))
        blank = self.one(("", "\n", " "))
        return f"{prolog}<methodCall>{blank}<methodName>{blank}{named}</methodName><params>{params}</params></methodCall>".encode()


def basic(account, password, spelled="Basic {}"):
    """Credentials of an application password."""
    pair = base64.b64encode(f"{account}:{password}".encode()).decode()
    return ("Authorization", spelled.format(pair))
