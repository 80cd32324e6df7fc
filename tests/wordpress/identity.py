"""A candidate behind a real edge learns who callers are from a real WordPress, and gets none of their credentials."""

import base64
import hashlib
import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from attacks import get
from checks import SECRET, log_in
from edge_under_test import Edge, built
from site_under_test import LOGIN
from wire import send

VENUES = "/wp-json/tribe/events/v1/venues"
OWN_SECRET = "a secret of the candidate alone, as long as it has to be"
LIFETIME = 10
WITHHELD = {"authorization", "cookie", "x-wp-nonce"}

CONFIG = """
[backends.next]
url = "http://127.0.0.1:@NEXT@/api"
credentials = "identity"
identity_secret_file = "@FILE@"
[[cutover]]
name = "venues"
backend = "next"
operations = ["venues.*"]
methods = "all"
same_store = true
"""

SUBSCRIBER = """
$id = wp_insert_user( array( 'user_login' => 'reader', 'user_pass' => wp_generate_password(), 'user_email' => 'reader@example.org', 'role' => 'subscriber' ) );
list( $password ) = WP_Application_Passwords::create_new_application_password( $id, array( 'name' => 'tests' ) );
echo $id, ' ', $password;
"""

CANCEL = "WP_Application_Passwords::delete_all_application_passwords( get_user_by( 'login', 'reader' )->ID );"
REMOVE = "require_once ABSPATH . 'wp-admin/includes/user.php'; wp_delete_user( get_user_by( 'login', 'reader' )->ID );"


class Next(BaseHTTPRequestHandler):
    """A candidate that repeats what it was sent."""

    def do_GET(self):
        body = json.dumps({name.lower(): value for name, value in self.headers.items()}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def all_of(site, server, tally):
    """Every check, against one web server."""
    if built() is None:
        print(f"SKIPPED: {server}: the edge is not built")
        return
    secret, own = site.scratch / "secret", site.scratch / "next-secret"
    secret.write_text(SECRET)
    own.write_text(OWN_SECRET)
    own.chmod(0o600)
    cookie, nonce = log_in(site)
    site.guard(secret)
    number, password = site.php(SUBSCRIBER).split(" ", 1)
    candidate = ThreadingHTTPServer(("127.0.0.1", 0), Next)
    threading.Thread(target=candidate.serve_forever, daemon=True).start()
    values = {"NEXT": candidate.server_port, "FILE": own}
    text = CONFIG
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    try:
        with Edge(site, SECRET, 30, text) as edge:
            known(edge, site, server, tally, (number, password))
            sessions(edge, server, tally, cookie, nonce)
            cancelled(edge, site, server, tally, password)
    finally:
        candidate.shutdown()
        candidate.server_close()
        site.php(REMOVE)


def basic(name, password):
    return ("Authorization", "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode())


def claims(answer):
    """Who the candidate takes the caller for; None for nobody, and for a signature that is not right."""
    token = json.loads(answer.body).get("x-calendar-edge-identity") if answer.status == 200 else None
    if token is None:
        return None
    signed, signature = token.rsplit(".", 1)
    expected = hmac.new(OWN_SECRET.encode(), signed.encode(), hashlib.sha256).digest()
    decode = lambda part: base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    return json.loads(decode(signed.split(".")[1])) if hmac.compare_digest(decode(signature), expected) else None


def known(edge, site, server, tally, subscriber):
    """Application passwords, right and wrong, by name and by address."""
    number, password = subscriber
    for name, secret, who in (
        (LOGIN, site.application_password, ("1", LOGIN, ["administrator"])),
        ("reader", password, (number, "reader", ["subscriber"])),
        ("Reader@Example.org", password, (number, "reader", ["subscriber"])),
    ):
        answer = send(edge.host, get(VENUES, basic(name, secret)))
        found = claims(answer)
        told = found and (found["sub"], found["login"], found["roles"])
        tally.check(told == who and found["aud"] == "next", f"{server}: {name} is {told}: {answer}")
        tally.check(answer.status != 200 or not WITHHELD & set(json.loads(answer.body)), f"{server}: {name}: no credentials: {answer}")
    for name in (LOGIN, "nobody"):
        answer = send(edge.host, get(VENUES, basic(name, "wrong")))
        tally.check(is_refused(site, answer, basic(name, "wrong")), f"{server}: a wrong password of {name}: {answer}")
    anonymous = send(edge.host, get(VENUES, ("X-Calendar-Edge-Identity", "forged")))
    tally.check(anonymous.status == 200 and claims(anonymous) is None and b"forged" not in anonymous.body, f"{server}: anonymous: {anonymous}")


def is_refused(site, answer, credentials):
    """As WordPress does it: some versions refuse wrong application passwords, others take the caller for anonymous."""
    direct = send(site.host, get("/wp-json/wp/v2/users/me", credentials))
    if direct.code() == "rest_not_logged_in":
        return answer.status == 200 and claims(answer) is None
    return (answer.status, answer.code()) == (401, direct.code())


def sessions(edge, server, tally, cookie, nonce):
    """A cookie is a login with its nonce only."""
    answer = send(edge.host, get(VENUES, cookie, ("X-WP-Nonce", nonce)))
    found = claims(answer)
    tally.check(found and found["login"] == LOGIN, f"{server}: a cookie with its nonce: {answer}")
    answer = send(edge.host, get(VENUES, cookie))
    tally.check(answer.status == 200 and claims(answer) is None, f"{server}: a cookie without its nonce: {answer}")
    answer = send(edge.host, get(VENUES, cookie, ("X-WP-Nonce", "0123456789")))
    tally.check((answer.status, answer.code()) == (403, "rest_cookie_invalid_nonce"), f"{server}: another nonce: {answer}")


def cancelled(edge, site, server, tally, password):
    """A cancelled password opens nothing after the stated time."""
    ask = lambda: send(edge.host, get(VENUES, basic("reader", password)))
    tally.check(claims(ask()) is not None, f"{server}: before it is cancelled")
    site.php(CANCEL)
    begun = time.monotonic()
    while claims(answer := ask()) is not None and time.monotonic() - begun < 5 * LIFETIME:
        time.sleep(0.05)
    took = time.monotonic() - begun
    print(f"{server}: a cancelled password opens nothing after {took:.1f} s (stated: {LIFETIME} s)")
    is_over = is_refused(site, answer, basic("reader", password))
    tally.check(is_over and took < LIFETIME + 1, f"{server}: a cancelled password: {answer}")
