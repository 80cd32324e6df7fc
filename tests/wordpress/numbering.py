"""Copies of a calendar service: a new record gets the number that a signed header asks for, and no script."""

import hashlib
import hmac
import json

from attacks import JSON
from checks import SECRET, log_in
from wire import Request, mark, send

API = "/wp-json/tribe/events/v1"


def number(secret, request, asked, of=None):
    """The header with a number for a marked request; `of` is the mark that it is signed with."""
    marked = of or dict(request.headers)["X-Calendar-Edge-Mark"]
    message = f"calendar-edge number v1\n{asked}\n{marked}"
    signature = hmac.new(secret.encode(), message.encode(), hashlib.sha256).hexdigest()
    return ("X-Calendar-Edge-Number", f"v1 n={asked},s={signature}")


def all_of(site, server, tally):
    """Every check, against one web server."""
    secret = site.scratch / "secret"
    secret.write_text(SECRET)
    site.guard(secret)
    cookie, nonce = log_in(site)
    base = 100_000 if server.startswith("built-in") else 200_000

    def create(kind, body, *further):
        """Creates a record as an administrator, with headers that depend on the marked request."""
        request = Request("POST", f"{API}/{kind}", [JSON, cookie, ("X-WP-Nonce", nonce)], json.dumps(body).encode())
        request = request.with_headers(mark(SECRET, request))
        answer = send(site.host, request.with_headers(*(header(request) for header in further)))
        return answer.status, answer.code() or json.loads(answer.body)

    def venue(name, *further):
        return create("venues", {"venue": f"{name} {server}", "description": "A <em>b</em><script>c</script>"}, *further)

    status, made = venue("plain")
    tally.check(status == 200 and made["id"] < base and "<script>" in made["description"], f"{server}: a plain call is as ever: {made}")
    status, made = venue("copied", lambda request: number(SECRET, request, base))
    tally.check((status, made) == (200, {"id": base, "description": "A <em>b</em>c"}), f"{server}: a copy has its number and no script: {made}")
    status, made = create("tags", {"name": f"copied {server}"}, lambda request: number(SECRET, request, base + 1))
    tally.check((status, made) == (200, {"id": base + 1}), f"{server}: a copied term has its number: {made}")
    for kind, body, taken in (("venues", {"venue": "again"}, base), ("tags", {"name": "again"}, base + 1)):
        answer = create(kind, body, lambda request, taken=taken: number(SECRET, request, taken))
        tally.check(answer == (400, "calendar_edge_number_taken"), f"{server}: a number is given once: {answer}")
    forged = {
        "another secret": lambda request: number("another secret, as long as it has to be", request, base + 500),
        "another mark": lambda request: number(SECRET, request, base + 500, of="v1 t=1,s=0"),
        "another number": lambda request: (number(SECRET, request, base + 600)[0], number(SECRET, request, base + 600)[1].replace(str(base + 600), str(base + 500))),
    }
    for what, header in forged.items():
        status, made = venue(what, header)
        tally.check(status == 200 and made["id"] != base + 500, f"{server}: a number signed for {what} is none: {made}")
    errors = site.errors("calendar-edge.php")
    tally.check(not errors, f"{server}: PHP complains about the plugin: {errors[:3]}")
