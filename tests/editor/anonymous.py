"""The doors of a site, tried without credentials: through the edge, and past it where the companion plugin has the rules."""

import json

from attacks import form, get
from doors import batches, presets, spellings
from wire import send

# The header that `tec/v1` demands of its clients, word for word.
EXPERIMENT = ("X-TEC-EEA", "I understand that this endpoint is experimental and may change in a future release without maintaining backward compatibility. I also understand that I am using this endpoint at my own risk, while support is not provided for it.")

# To the edge this is a login; to WordPress it is none.
FORGED = ("Cookie", "wordpress_logged_in_0a=nobody%7C9999999999%7Cx%7Cx")


def try_doors(edge, site, has_companion, tally):
    """Every spelling of every preset."""
    for preset, tried in presets().items():
        closed, real, by_site = 0, 0, 0
        for name, request in tried:
            request = request.with_headers(EXPERIMENT) if preset == "tec/v1" else request
            before = refused(edge)
            answer = send(edge.host, request)
            by_edge = refused(edge) == before + 1
            closed += by_edge
            past = send(site.host, request)
            real += past.status < 400
            tally.check(by_edge or is_harmless(answer, past), f"{preset}, {name}: answered {answer.status} {answer.body[:200]}")
            if has_companion and is_route(preset, name):
                by_site += 1
                tally.check(is_closed(past), f"{preset}, {name}, past the edge: {past.status} {past.body[:200]}")
                answer = send(edge.host, request.with_headers(FORGED))
                tally.check(is_closed(answer), f"{preset}, {name}, with a forged cookie: {answer.status} {answer.body[:200]}")
        print(f"{preset}: {len(tried)} spellings, {closed} refused by the edge, {real} lead somewhere at the site itself")
        if by_site:
            print(f"    {by_site} closed by the companion, past the edge and with a forged cookie")
    limited(edge, tally)
    if has_companion:
        inside(edge, site, tally)


def refused(edge):
    """How many requests the rules have refused so far."""
    return sum(count for (_, outcome), count in edge.metrics("edge_surface_requests_total").items() if outcome == "refused")


def is_harmless(answer, past):
    """Whether the site itself leads nowhere under a spelling that passes, and neither does the edge."""
    return answer.status >= 400 and past.status >= 400


def is_route(preset, name):
    return not preset.startswith("xmlrpc") and "author" not in name and "sitemap" not in name


def is_closed(answer):
    """Whether WordPress refused, or showed a page instead of a route; an envelope has its status inside."""
    is_json = answer.body[:1] in (b"[", b"{")
    return answer.status >= 300 or b'"status":40' in answer.body or bool(answer.body) and not is_json


def limited(edge, tally):
    """Logins have a rate of their own."""
    statuses = [send(edge.host, form("/wp-login.php", f"log=nobody{number}&pwd=x")).status for number in range(30)]
    print(f"login: 30 tries, {statuses.count(429)} beyond the rate")
    tally.check(statuses.count(429) >= 9 and statuses[0] == 200, f"logins beyond the rate: {statuses}")


def inside(edge, site, tally):
    """What leads to a closed route within an open one."""
    answer = send(edge.host, get("/wp-json/wp/v2/posts?_embed=author&per_page=5"))
    embedded = [post["_embedded"]["author"][0].get("code") for post in json.loads(answer.body)]
    print(f"embedded authors: {embedded}")
    tally.check(answer.status == 200 and set(embedded) == {"rest_forbidden"}, f"embedded authors: {embedded}")
    for name, request in batches("wp/v2/users"):
        answer = send(site.host, request)
        tally.check(answer.status in (400, 401) and b"responses" not in answer.body, f"a batch past the edge, {name}: {answer}")
    for name, request in spellings("wp/v2/users/me"):
        answer = send(site.host, request)
        tally.check(b'"slug"' not in answer.body, f"wp/v2/users/me past the edge, {name}: {answer}")
