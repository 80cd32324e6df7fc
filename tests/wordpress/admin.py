"""wp-admin as an editor uses it: pages are opened, their forms filled in and sent."""

import html
import json
import re
from html.parser import HTMLParser
from urllib.parse import urlencode

from wire import Request, send

FORM = ("Content-Type", "application/x-www-form-urlencoded")


class Fields(HTMLParser):
    """The fields of one form as a browser would send them."""

    def __init__(self, identity):
        super().__init__()
        self.identity, self.inside, self.found = identity, False, {}

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "form":
            self.inside = self.identity in (given.get("id"), given.get("name"), given.get("action"))
        if self.inside and tag == "input" and given.get("name"):
            kind = given.get("type", "text")
            if kind in ("hidden", "text", "number") or (kind in ("checkbox", "radio") and "checked" in given):
                self.found[given["name"]] = given.get("value") or ""

    def handle_endtag(self, tag):
        if tag == "form":
            self.inside = False


class Admin:
    """An administrator's session."""

    def __init__(self, site, cookie, nonce):
        self.site, self.cookie, self.nonce = site, cookie, ("X-WP-Nonce", nonce)

    def get(self, target):
        return send(self.site.host, Request("GET", target, [self.cookie]))

    def post(self, target, fields):
        body = urlencode(fields, doseq=True).encode()
        answer = send(self.site.host, Request("POST", target, [FORM, self.cookie], body))
        if answer.status not in (200, 302) or b"link you followed has expired" in answer.body:
            raise RuntimeError(f"{target}: {answer.status} {answer.body[-800:]}")
        return answer

    def rest(self, method, target, body):
        headers = [("Content-Type", "application/json"), self.cookie, self.nonce]
        return send(self.site.host, Request(method, target, headers, json.dumps(body).encode()))

    def form(self, target, identity):
        fields = Fields(identity)
        page = self.get(target)
        fields.feed(page.body.decode(errors="replace"))
        if not fields.found:
            raise RuntimeError(f"{target} has no form {identity}: {page.status} {page.body[-800:]}")
        return fields.found

    def link(self, target, holding):
        """The target of a link on a page that holds a text."""
        page = self.get(target).body.decode(errors="replace")
        links = [html.unescape(link) for link in re.findall(r"href=['\"]([^'\"]+)['\"]", page)]
        found = next((link for link in links if holding in link), None)
        if found is None:
            raise RuntimeError(f"{target} has no link with {holding}")
        found = re.sub("^http://[^/]+", "", found)
        return found if found.startswith("/") else f"/wp-admin/{found}"

    def create(self, kind, **fields):
        """Publishes a new post of a type; returns its number."""
        shown = self.form(f"/wp-admin/post-new.php?post_type={kind}", "post")
        self.post("/wp-admin/post.php", {**shown, "publish": "Publish", "visibility": "public", **fields})
        return int(shown["post_ID"])

    def edit(self, post, **fields):
        shown = self.form(f"/wp-admin/post.php?post={post}&action=edit", "post")
        fields = {"post_status": "publish", "save": "Update", "visibility": "public", **fields}
        return self.post("/wp-admin/post.php", {**shown, **fields})

    def follow(self, target, holding):
        return self.get(self.link(target, holding))
