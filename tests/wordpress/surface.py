"""What must hold of the rules for other routes: closed to anonymous clients in every spelling, open to the editor."""

import base64
import json

from attacks import JSON, PRETTY, ROUTE, get
from checks import SECRET, ask, log_in
from doors import batch, batches, spellings
from site_under_test import LOGIN
from wire import Request, mark, send

USERS = "credentials wp/v2/users, credentials wp/v2/users/*"
LATE = "add_filter( 'rest_pre_dispatch', function () { return new WP_REST_Response( array( 'code' => 'late' ) ); }, PHP_INT_MAX );"


def all_of(site, server, tally):
    """Every check, against one web server."""
    secret = site.scratch / "secret"
    secret.write_text(SECRET)
    site.guard(secret)
    site.close(None)
    cookie, nonce = log_in(site)
    editor = [cookie, ("X-WP-Nonce", nonce)]
    closed_doors(site, server, tally, open_doors(site, server, tally))
    words(site, server, tally)
    embedded(site, server, tally, editor)
    logged_in(site, server, tally, editor)
    nobody_at_all(site, server, tally, editor)
    everything(site, server, tally)
    health(site, server, tally, cookie)
    errors = site.errors("calendar-edge.php")
    tally.check(not errors, f"{server}: PHP complains about the plugin: {errors[:3]}")
    site.close(None)


def open_doors(site, server, tally):
    """The names of the spellings that lead to the route without rules: most of them."""
    reached = [name for name, request in spellings("wp/v2/users") if send(site.host, request).status == 200]
    tally.check(len(reached) > 18 and "a form" in reached, f"{server}: without rules only these are real: {reached}")
    answer = send(site.host, batch("/wp/v2/users"))
    tally.check(b"rest_forbidden" not in answer.body, f"{server}: without rules a batch: {answer}")
    return reached


def closed_doors(site, server, tally, reached):
    """With rules no spelling leads there, and those that did are refused."""
    site.close(f"{USERS}, credentials wp/v2/posts/*/revisions/*, credentials POST wp/v2/posts")
    for route in ("wp/v2/users", "wp/v2/users/1", "wp/v2/users/me", "wp/v2/posts/1/revisions/2"):
        for name, request in spellings(route):
            answer = send(site.host, request)
            refused = answer.status == 401 or b'"status":401' in answer.body
            tally.check((refused or name not in reached) and b'"slug"' not in answer.body, f"{server}: {route}, {name}: {answer}")
    for route in ("wp/v2/users", "wp/v2/users/1"):
        for name, request in batches(route):
            answer = send(site.host, request)
            tally.check(answer.status in (400, 401, 500) and b"responses" not in answer.body, f"{server}: {route}, {name}: {answer}")
    for target in ("/wp-json/wp/v2/posts", "/wp-json/wp/v2/usersettings", "/wp-json/wp/v2", "/wp-json/", "/wp-json/wp/v2/posts/1/revisions"):
        answer = send(site.host, get(target))
        tally.check(answer.code() != "rest_forbidden", f"{server}: a rule closes {target}: {answer}")


def words(site, server, tally):
    """Refusals are those of WordPress."""
    site.close("credentials wp/v2/users not_found, credentials wp/v2/search")
    hidden, unknown = (send(site.host, get(f"/wp-json/wp/v2/{name}")) for name in ("users", "no-such-thing"))
    tally.check((hidden.status, hidden.body) == (404, unknown.body), f"{server}: a hidden route: {hidden}, an unknown one: {unknown}")
    tally.check(set(hidden.headers) == set(unknown.headers), f"{server}: headers of a hidden route: {hidden}, {unknown}")
    answer = send(site.host, get("/wp-json/wp/v2/search"))
    expected = {"code": "rest_forbidden", "message": "Sorry, you are not allowed to do that.", "data": {"status": 401}}
    tally.check(answer.status == 401 and json.loads(answer.body) == expected, f"{server}: a closed route: {answer}")
    tally.check(answer.headers.get("cache-control") == ["no-store"], f"{server}: a refusal may be stored: {answer}")


def embedded(site, server, tally, editor):
    """What an answer embeds is read by its own rule; the rest of the answer stays."""
    site.close(USERS)
    for headers, refused in (([], True), (editor, False)):
        answer = send(site.host, get("/wp-json/wp/v2/posts?_embed=author", *headers))
        author = json.loads(answer.body)[0]["_embedded"]["author"][0]
        seen = author.get("code") == "rest_forbidden" if refused else author.get("id") == 1
        tally.check(answer.status == 200 and seen, f"{server}: an embedded author: {author}")


def logged_in(site, server, tally, editor):
    """Callers whom the site knows pass; a cookie without a nonce is no caller to WordPress."""
    basic = base64.b64encode(f"{LOGIN}:{site.application_password}".encode()).decode()
    site.close(f"{USERS}, credentials batch/v1, credentials *")
    for headers in (editor, [("Authorization", f"Basic {basic}")]):
        for target in ("/wp-json/wp/v2/users", "/wp-json/wp/v2/users/me", "/wp-json/wp/v2/settings", "/?rest_route=/wp/v2/users/1"):
            answer = send(site.host, get(target, *headers))
            tally.check(answer.status == 200, f"{server}: {target} with credentials: {answer}")
        answer = send(site.host, batch("/wp/v2/posts", headers=headers))
        tally.check(answer.status == 207 and b'"status":201' in answer.body, f"{server}: a batch with credentials: {answer}")
    asked = [("Origin", "https://pages.example.org"), ("Access-Control-Request-Method", "GET")]
    for headers, status in ((asked, 200), (asked[:1], 401)):
        answer = send(site.host, Request("OPTIONS", "/wp-json/wp/v2/users", headers))
        tally.check(answer.status == status, f"{server}: OPTIONS with {headers}: {answer}")
    answer = send(site.host, get("/wp-json/wp/v2/users", editor[0]))
    tally.check(answer.status == 401, f"{server}: a cookie without a nonce: {answer}")


def nobody_at_all(site, server, tally, editor):
    """`nobody` closes a route to clients, and leaves it to the site's own pages."""
    site.close("nobody wp/v2/types/*, nobody DELETE wp/v2/posts/*, nobody POST PUT wp/v2/pages")
    for request, status in (
        (get("/wp-json/wp/v2/types/post", *editor), 403),
        (get("/wp-json/wp/v2/types/post"), 401),
        (Request("DELETE", "/wp-json/wp/v2/posts/1", editor), 403),
        (Request("POST", "/wp-json/wp/v2/posts/1?_method=DELETE", editor), 403),
        (batch("/wp/v2/posts/1", headers=editor, method="DELETE"), 403),
        (Request("POST", "/wp-json/wp/v2/pages", [JSON, *editor], b'{"title":"x"}'), 403),
        (Request("POST", "/wp-json/wp/v2/posts/1", [JSON, *editor], b'{"excerpt":"x"}'), 200),
        (get("/wp-json/wp/v2/posts/1", *editor), 200),
        (get("/wp-json/wp/v2/pages", *editor), 200),
    ):
        answer = send(site.host, request)
        tally.check(answer.status == status, f"{server}: {request.method} {request.target}: {answer}")
    page = send(site.host, get("/wp-admin/post-new.php", editor[0]))
    # Newer versions of WordPress leave slashes as they are.
    read = page.body.replace(b"\\/", b"/")
    tally.check(b"types/post?context=edit" in read and b'"rest_base":"posts"' in read, f"{server}: the editor's page lacks what the site reads for it")


def everything(site, server, tally):
    """The first rule that covers a request decides; the calendar has the marks of the edge."""
    site.close("anybody wp/v2/posts/*\nanybody GET wp/v2/types\r\ncredentials *")
    for target, status in {
        "/wp-json/wp/v2/posts/1": 200,
        "/wp-json/wp/v2/types": 200,
        "/wp-json/": 200,
        "/wp-json/wp/v2/posts": 401,
        "/wp-json/wp/v2/types/post": 401,
        "/wp-json/probe/v1/internal": 401,
        "/wp-json/wp/v2/categories": 401,
        PRETTY: 403,
    }.items():
        answer = send(site.host, get(target))
        tally.check(answer.status == status, f"{server}: {target} where the rest is closed: {answer}")
    answer, ran = ask(site, get(PRETTY).with_headers(mark(SECRET, get(PRETTY))))
    tally.check(answer.status == 200 and json.loads(answer.body)["reached"] == ROUTE and "callback" in ran, f"{server}: a marked call: {answer}")


def health(site, server, tally, cookie):
    """Site Health says which rules hold, and which cannot be read: those close nothing."""
    wrong = ["everybody wp/v2/users", "nobody wp/v2/(users|types)", "credentials", "nobody post wp/v2/users", "credentials wp/v2/us*"]
    for rules, late, said in (
        (USERS, None, ["calendar-edge closes routes of this site", "that hold: 2."]),
        (", ".join(wrong), None, ["calendar-edge cannot read all of its rules", *wrong]),
        (USERS, LATE, ["calendar-edge does not close the routes that it should", *USERS.split(", ")]),
        (None, None, []),
    ):
        site.close(rules)
        site.must_use("late-answers.php", late)
        page = send(site.host, get("/wp-admin/site-health.php", cookie)).body.decode(errors="replace").replace("\\/", "/")
        lacking = [text for text in said if text not in page]
        tally.check(not lacking, f"{server}: Site Health does not say {lacking} under {rules}")
        tally.check(("calendar_edge_surface" in page) == bool(rules), f"{server}: Site Health under {rules}")
    site.must_use("late-answers.php", None)
    site.close(", ".join(wrong))
    answer = send(site.host, get("/wp-json/wp/v2/users"))
    tally.check(answer.status == 200, f"{server}: a rule that cannot be read closes something: {answer}")
