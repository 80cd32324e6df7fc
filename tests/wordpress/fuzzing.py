"""Random spellings through a real edge, with PHP as the judge of what ran: what is closed stays closed, what is tried is counted."""

import os
import random
import time
from concurrent.futures import ThreadPoolExecutor

from attacks import get
from checks import SECRET
from edge_under_test import Edge, built
from site_under_test import LOGIN
from spelling import XML, Speller, basic
from wire import Request, send

SEED = int(os.environ.get("CALENDAR_EDGE_SEED", "1"))
COUNT = int(os.environ.get("CALENDAR_EDGE_FUZZ", "2000"))
AT_ONCE = 4
FIRST = 'other = "forward"\ntrusted_proxies = ["127.0.0.1/32"]'
RATE = '\n[rate_limits]\nfailed_logins = "@/1h"\n'
CLOSED = "".join(f'\n[[surface]]\nroutes = ["{name}"]\ncallers = "nobody"\nmode = "enforce"\n' for name in ("users", "login", "xmlrpc"))
ASKED = '\n[[surface]]\nroutes = ["users"]\ncallers = "credentials"\nmode = "enforce"\n'
USERS = ("wp/v2/users", "wp/v2/users/1", "wp/v2/users/me", "wp/v2/users/1/application-passwords")
LOCKED = "locked"

# Each line names the request by a header of the test, and what ran for it.
WITNESS = r"""
function witness( string $what ): void {
	$tag = $_SERVER['HTTP_X_WITNESS'] ?? '-';
	file_put_contents( CALENDAR_PROBE_LOG . '.witness', "$tag $what\n", FILE_APPEND | LOCK_EX );
}
function witness_account( string $name ): string {
	$user = get_user_by( 'login', sanitize_user( $name ) );
	return $user ? $user->user_login : '-';
}
add_filter( 'rest_request_before_callbacks', function ( $response, $handler, $request ) {
	witness( 'route ' . $request->get_method() . ' ' . strtolower( $request->get_route() ) );
	return $response;
}, -PHP_INT_MAX, 3 );
// As The Events Calendar does: WordPress checks credentials before it asks whether they were wrong.
add_filter( 'rest_allowed_cors_headers', function ( $headers ) {
	is_user_logged_in();
	return $headers;
} );
add_action( 'init', function () {
	if ( defined( 'XMLRPC_REQUEST' ) ) {
		witness( 'script xmlrpc' );
	}
}, -PHP_INT_MAX );
add_action( 'login_init', function () {
	witness( 'script login' );
}, -PHP_INT_MAX );
add_action( 'template_redirect', function () {
	if ( is_author() && get_query_var( 'author' ) && ! get_query_var( 'author_name' ) ) {
		witness( 'author page' );
	}
}, -PHP_INT_MAX );
add_filter( 'authenticate', function ( $user, $name ) {
	witness( 'tried ' . witness_account( (string) $name ) );
	return $user;
}, -PHP_INT_MAX, 2 );
add_action( 'wp_login_failed', function ( $name ) {
	witness( 'wrong' );
} );
add_action( 'application_password_failed_authentication', function () {
	witness( 'tried ' . witness_account( (string) $_SERVER['PHP_AUTH_USER'] ) );
	witness( 'wrong' );
} );
"""

ACCOUNT = f"wp_insert_user( array( 'user_login' => '{LOCKED}', 'user_pass' => wp_generate_password(), 'user_email' => 'locked@example.org', 'role' => 'author' ) );"


def all_of(site, server, tally):
    """Every check, against one web server."""
    if built() is None:
        print(f"SKIPPED: {server}: the edge is not built")
        return
    print(f"{server}: {COUNT} requests of seed {SEED} (CALENDAR_EDGE_SEED, CALENDAR_EDGE_FUZZ)", flush=True)
    site.guard(None)
    site.close(None)
    site.must_use("witness.php", WITNESS)
    begun = time.monotonic()
    for check, share in ((wrong_passwords, 0.4), (closed, 0.3), (preflights, 0.1), (locked, 0.2)):
        check(Case(site, server, tally, check.__name__), int(COUNT * share))
    print(f"{server}: {time.monotonic() - begun:.0f} s of spellings", flush=True)
    site.must_use("witness.php", None)


class Case:
    """One subject: its requests, and what ran for each."""

    def __init__(self, site, server, tally, name):
        self.site, self.server, self.tally, self.name = site, server, tally, name
        self.log = site.scratch / "reached.log.witness"
        self.speller = Speller(random.Random(f"{SEED} {name}"))
        self.log.unlink(missing_ok=True)

    def edge(self, more):
        return Edge(self.site, SECRET, 30, more, FIRST)

    def ask(self, host, requests):
        """Sends requests at once, each as a client of its own address; the statuses, and what ran for each."""

        def one(numbered):
            number, request = numbered
            marked = request.with_headers(("X-Witness", f"n{number}"), address(number))
            try:
                return send(host, marked).status
            except OSError:
                return 0

        with ThreadPoolExecutor(AT_ONCE) as pool:
            statuses = list(pool.map(one, enumerate(requests)))
        return statuses, self.ran()

    def ran(self):
        """What ran, by the number of the request."""
        found = {}
        for line in self.log.read_text(errors="replace").splitlines() if self.log.exists() else []:
            tag, _, what = line.partition(" ")
            number = int(tag[1:]) if tag[1:].isdigit() else tag
            found.setdefault(number, []).append(what)
        return found

    def check(self, holds, what):
        self.tally.check(holds, f"{self.server}: {self.name}, seed {SEED}: {what}")

    def report(self, requests, statuses, seen):
        passed = sum(status not in (0, 400, 401, 403, 404, 429) for status in statuses)
        print(f"{self.server}: {self.name}: {len(requests)} requests, {passed} passed; PHP saw {seen}", flush=True)


def address(number, network=10):
    return ("X-Forwarded-For", f"{network}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}")


def wrong_passwords(case, count):
    """Each wrong password that WordPress checked was charged: the next one of the address is refused."""
    requests = [a_try(case.speller, f"nobody{number}") for number in range(count)]
    with case.edge(RATE.replace("@", "1")) as edge:
        statuses, ran = case.ask(edge.host, requests)
        wrong = [number for number in range(count) if "wrong" in ran.get(number, [])]
        case.report(requests, statuses, f"{len(wrong)} wrong passwords")
        case.check(len(wrong) > count / 10, f"only {len(wrong)} of {count} are real")
        # A failure of the site tells right passwords from wrong ones as little.
        for number in (number for number in wrong if statuses[number] < 500):
            probe = get("/wp-json/wp/v2/types", basic("somebody", "wrong"), address(number), ("X-Witness", "p"))
            status = send(edge.host, probe).status
            case.check(status == 429, f"a wrong password is not charged ({status}), {statuses[number]} {requests[number]}")


def a_try(speller, account):
    """A request that shows a wrong password at one of the doors."""
    way = speller.one(("basic", "basic", "form", "form", "xml", "xml", "all"))
    shown = [basic(account, "wrong pass", speller.one(("Basic {}", "Basic {}", "basic {}", "BASIC {}")))] if way in ("basic", "all") else []
    if way == "basic":
        request = speller.to_route(speller.one(("wp/v2/users/me", "wp/v2/types", "wp/v2/posts", "batch/v1", "wp/v2/users/me/")), shown) if speller.maybe(0.8) else speller.to_script(speller.one(("xmlrpc.php", "wp-login.php", "index.php", "wp-admin/")), shown)
        return request
    if way == "form" or way == "all" and speller.maybe(0.5):
        request = as_post(speller, speller.to_script("wp-login.php", shown))
        return speller.with_form(request, speller.login_form(account, "wrong"))
    return with_call(speller, as_post(speller, speller.to_script("xmlrpc.php", shown)), account)


def as_post(speller, request):
    return Request("POST", request.target, request.headers) if speller.maybe(0.85) else request


def with_call(speller, request, account):
    kind = speller.one((XML, XML, "application/xml", "text/plain", "application/x-www-form-urlencoded", "application/json"))
    return Request(request.method, request.target, [("Content-Type", kind), *request.headers], speller.xml_call(account, "wrong"))


def closed(case, count):
    """Nothing that is closed to everybody runs, whoever calls."""
    speller = case.speller
    account = basic(LOGIN, case.site.application_password)
    requests = [a_call(speller, [account] if speller.maybe(0.2) else []) for _ in range(count)]
    with case.edge("") as edge:
        _, ran = case.ask(edge.host, requests[: count // 4])
        real = [number for number in range(count // 4) if is_closed(ran.get(number, []))]
        case.check(len(real) > count / 40, f"only {len(real)} of {count // 4} are real")
    case.log.unlink(missing_ok=True)
    with case.edge(CLOSED) as edge:
        statuses, ran = case.ask(edge.host, requests)
    case.report(requests, statuses, f"{len(ran)} that may run; {len(real)} of the first {count // 4} are real")
    for number, request in enumerate(requests):
        what = ran.get(number, [])
        case.check(not is_closed(what), f"{what} ran, {statuses[number]} {request}")
    unnamed = [what for what in ran.get("-", []) if is_closed([what])]
    case.check(not unnamed, f"without a name ran {unnamed}")


def a_call(speller, headers):
    way = speller.one(("users", "users", "users", "login", "xmlrpc", "author"))
    if way == "users":
        return speller.to_route(speller.one(USERS), headers)
    if way == "author":
        name = speller.one(("author", "author", "%61uthor", "author[]", "+author", "author%00", ".author", "aut%68or"))
        value = speller.one(("1", "1", "%31", "+1", "01", "1x", "1,2", "-1", "1.0"))
        request = Request(speller.one(("GET", "HEAD", "POST")), speller.target(speller.path(speller.one(("/", "/index.php", "/hello-world/"))), f"{name}={value}"), list(headers))
        return speller.with_form(Request("POST", request.target.split("?")[0], list(headers)), [(name, value)]) if speller.maybe(0.3) else request
    request = speller.to_script("wp-login.php" if way == "login" else "xmlrpc.php", headers)
    return with_call(speller, request, LOGIN) if way == "xmlrpc" and speller.maybe(0.7) else request


def is_closed(ran):
    """Whether one of the things that ran is closed."""
    return any(what.startswith("script ") or what == "author page" or leads_to_users(what) for what in ran)


def leads_to_users(what):
    kind, _, rest = what.partition(" ")
    route = rest.partition(" ")[2].strip("/ \n")
    return kind == "route" and (route == "wp/v2/users" or route.startswith("wp/v2/users/"))


def preflights(case, count):
    """A preflight opens nothing but OPTIONS to callers without credentials."""
    speller, asked = case.speller, [("Origin", "https://pages.example.org"), ("Access-Control-Request-Method", "GET")]
    requests = []
    for _ in range(count):
        request = speller.to_route(speller.one(USERS[:2]), asked[: speller.one((1, 2, 2, 2))])
        method = speller.one(("OPTIONS", "OPTIONS", "GET", "GET", "POST", request.method))
        requests.append(Request(method, request.target, request.headers, request.body))
    with case.edge(ASKED) as edge:
        statuses, ran = case.ask(edge.host, requests)
    case.report(requests, statuses, f"{len(ran)} that may run")
    for number, request in enumerate(requests):
        opened = [what for what in ran.get(number, []) if leads_to_users(what) and not what.startswith("route OPTIONS")]
        case.check(not opened, f"{opened} ran, {statuses[number]} {request}")


def locked(case, count):
    """Once an account is locked, no client tries a password of it, however its name is spelled."""
    case.site.php(ACCOUNT)
    speller, odd = case.speller, "l\u00f6cked"
    requests = [a_login(speller, spelled(speller)) for _ in range(count)]
    with case.edge(RATE.replace("@", "3")) as edge:
        for number in range(12):
            shown = basic((LOCKED, odd)[number % 2], "wrong")
            send(edge.host, get("/wp-json/wp/v2/types", shown, address(number, 11), ("X-Witness", "l")))
        case.log.unlink(missing_ok=True)
        statuses, ran = case.ask(edge.host, requests)
    case.report(requests, statuses, f"{len(ran)} that may run; {statuses.count(429)} were refused as locked")
    case.check(statuses.count(429) > count / 4, f"only {statuses.count(429)} of {count} are refused as locked")
    for number, request in enumerate(requests):
        what = ran.get(number, [])
        case.check(not {f"tried {LOCKED}", "wrong"} <= set(what), f"{what} ran, {statuses[number]} {request}")


def spelled(speller):
    """The name of the account, as WordPress reads it."""
    name = speller.one((LOCKED, LOCKED, LOCKED.upper(), "Locked", f" {LOCKED}", f"{LOCKED} ", f"{LOCKED}\t", "lo<b>cked", "l\u00f6cked", "lock\u00e9d", "locked&amp;", "lo%41cked", "locked\u00ad", "loc\u200bked", f"{LOCKED}\n", "LOCKE\u0110", "\uff4cocked", f"  {LOCKED}", "lo'cked", 'lo"cked', "lo\\cked", f"{LOCKED}\x00", f"{LOCKED}<", "lo<!-- -->cked"))
    return speller._letter(name, str.swapcase) if speller.maybe(0.2) else name


def a_login(speller, account):
    """A login at the form or by Basic; a call to `xmlrpc.php` counts for its address alone."""
    if speller.maybe(0.5):
        request = speller.to_route(speller.one(("wp/v2/users/me", "wp/v2/types")), [basic(account, "wrong pass")])
        return request
    request = as_post(speller, speller.to_script("wp-login.php"))
    encoded = "".join(f"%{byte:02x}" if speller.maybe(0.2) or not chr(byte).isalnum() else chr(byte) for byte in account.encode())
    return speller.with_form(request, speller.login_form(encoded, "wrong"))
