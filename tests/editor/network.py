"""What a browser asked for during a day: counted, recorded without secrets, and searched for refusals."""

import json
import re
from collections import Counter
from urllib.parse import quote, urlsplit

# Values in targets that are secret or of one moment.
MOMENTARY = re.compile(r"((?:[?&]|^)(?:[^=&]*nonce|[^=&]*referer|tvn1|tvn2|_)=)[^&]*")
FILES = re.compile(r"/wp-(content|includes)/|/wp-admin/(load-(scripts|styles)\.php|css/|js/|images/)|\.(js|css|ico|png|woff2?|svg)$")
REFUSALS = (401, 403, 404, 429)


class Network:
    """The requests of a tab to one site."""

    def __init__(self, browser, site):
        self.browser, self.site = browser, site.rstrip("/")

    def requests(self):
        """All of them but files, in their order: a method, a target, whether a login cookie came along, a method inside."""
        sent = {}
        for event in self.browser.said("Network.requestWillBeSentExtraInfo"):
            sent.setdefault(event["requestId"], []).append({name.lower(): value for name, value in event["headers"].items()})
        for event in self.browser.said("Network.requestWillBeSent"):
            request = event["request"]
            if not request["url"].startswith(self.site + "/"):
                continue
            target = request["url"][len(self.site):].split("#")[0]
            headers = (sent.get(event["requestId"]) or [{}]).pop(0) if sent.get(event["requestId"]) else {}
            yield {
                "method": request["method"],
                "target": target,
                "cookie": "wordpress_logged_in_" in headers.get("cookie", ""),
                "override": {name.lower(): value for name, value in request["headers"].items()}.get("x-http-method-override"),
            }

    def by_namespace(self):
        """How many requests each namespace got."""
        return Counter(namespace(request["target"]) for request in self.requests())

    def record(self, path):
        """Writes all requests but those for files, without secrets and addresses, one a line."""
        count = 0
        with open(path, "w", encoding="utf-8") as file:
            for request in self.requests():
                if namespace(request["target"]) != "files":
                    file.write(json.dumps(self.anonymous(request), ensure_ascii=False) + "\n")
                    count += 1
        return count

    def anonymous(self, request):
        host = urlsplit(self.site).netloc
        target = MOMENTARY.sub(r"\1x", request["target"])
        for address in (host, quote(host, safe="")):
            target = target.replace(address, "example.org")
        kept = {**request, "target": target}
        return {name: value for name, value in kept.items() if value is not None}

    def refusals(self):
        """The answers that refuse, as their status and URL."""
        answers = (event["response"] for event in self.browser.said("Network.responseReceived"))
        return [(answer["status"], answer["url"]) for answer in answers if answer["status"] in REFUSALS and answer["url"].startswith(self.site)]


def namespace(target):
    """The REST namespace of a target, or the kind of page."""
    path = urlsplit(target).path
    found = re.match(r"/wp-json/([^/]+/[^/]+)?", path)
    if found:
        return found[1] or "the index"
    if FILES.search(path):
        return "files"
    for name in ("admin-ajax.php", "wp-login.php", "wp-admin"):
        if name in path:
            return name
    return "pages"
