"""What the companion tells an edge of a real calendar: every event that a view may show, and how addresses are read."""

import hashlib
import hmac
import json
import re
import secrets
import subprocess
import threading
import time

from attacks import get
from checks import SECRET
from listening import Listening
from site_under_test import CALENDAR, HERE
from wire import mark, send

SEAL = re.compile(r"v1 t=(\d+),n=([0-9a-f]{32}),d=([0-9a-f]{64}),s=([0-9a-f]{64})")
EVER = ["0000-01-01 00:00:00", "9999-12-31 23:59:59"]
# Two whole seconds after the one in which it read them.
PHP_KEEPS_FILES = 3.2


def all_of(site, server, tally):
    """Every check, against one web server."""
    if CALENDAR is None:
        print("SKIPPED: CALENDAR_EDGE_CALENDAR names no folder of The Events Calendar")
        return
    secret = site.scratch / "secret"
    secret.write_text(SECRET)
    site.guard(secret)
    edge = Listening(SECRET)
    site.report_to([edge.url])
    try:
        tally.check(ask(site, "site=1")[0].status == 404, f"{server}: a site without the event plugin says 404")
        site.use_calendar()
        subprocess.run(["php", str(HERE / "calendar_seed.php"), str(site.root), site.host], check=True, capture_output=True, timeout=300)
        sealed(site, server, tally)
        shown(site, server, tally)
        times(site, server, tally)
        terms(site, server, tally)
        sums(site, server, tally)
        walked_beside_edits(site, server, tally)
        about_the_site(site, server, tally, edge)
        errors = site.errors("calendar-edge.php")
        tally.check(not errors, f"{server}: PHP complains about the plugin: {errors[:3]}")
        broken(site, server, tally)
    finally:
        edge.close()
        site.must_use("foreign.php", None)
        site.drop_calendar()
        site.report_to([])
        site.forget_errors()


def question(query, nonce=None):
    return get(f"/wp-json/calendar-edge/v1/facts?{query}&nonce={nonce or secrets.token_hex(16)}")


def ask(site, query):
    """The answer to one question, and what its body says."""
    asked = question(query)
    answer = send(site.host, asked.with_headers(mark(SECRET, asked)))
    return answer, json.loads(answer.body) if answer.status == 200 else {}


def everything(site):
    """All events by id, page for page."""
    known, after = {}, 0
    while after is not None:
        reply = ask(site, f"after={after}")[1]
        known.update({event["id"]: event for event in reply["events"]})
        after = reply["next"]
    return known


def named(site):
    """The ids of all events of any status, by title."""
    code = "global $wpdb; foreach ( $wpdb->get_results( \"SELECT ID, post_title FROM $wpdb->posts WHERE post_type = 'tribe_events'\" ) as $e ) { echo \"$e->ID\\t$e->post_title\\n\"; }"
    return {title: int(id) for id, title in (line.split("\t") for line in site.php(code).splitlines() if "\t" in line)}


def published(site):
    """The ids of all published events, with those that other parts have made."""
    code = "global $wpdb; echo implode( ' ', $wpdb->get_col( \"SELECT ID FROM $wpdb->posts WHERE post_type = 'tribe_events' AND post_status = 'publish'\" ) );"
    return {int(id) for id in site.php(code).split()}


def sealed(site, server, tally):
    """The seal covers the body and the nonce of the question; without a mark that holds nothing is told."""
    asked = question("after=0&site=1", "0123456789abcdef" * 2)
    answer = send(site.host, asked.with_headers(mark(SECRET, asked)))
    found = SEAL.fullmatch(answer.headers.get("x-calendar-edge-facts", [""])[0])
    tally.check(bool(found) and answer.status == 200, f"{server}: a marked question is answered with a seal: {answer.status} {answer.headers}")
    if found:
        at, nonce, digest, signature = found.groups()
        wanted = hmac.new(SECRET.encode(), f"calendar-edge facts v1\n{at}\n{nonce}\n{digest}".encode(), hashlib.sha256).hexdigest()
        tally.check(nonce == "0123456789abcdef" * 2 and digest == hashlib.sha256(answer.body).hexdigest(), f"{server}: the seal names the question and the body")
        tally.check(signature == wanted and abs(time.time() - int(at)) < 60, f"{server}: the seal is signed with its subject")
    tally.check((answer.headers["cache-control"], answer.headers["content-type"][0][:16]) == (["no-store"], "application/json"), f"{server}: nothing stores the facts")
    bare = send(site.host, asked)
    tally.check(bare.status == 404 and b'"events"' not in bare.body, f"{server}: without a mark there are no facts: {bare.status}")
    for headers, code in (
        (mark("another secret, which is as long", asked), "calendar_edge_mark_invalid"),
        (mark(SECRET, asked, at=int(time.time()) - 100), "calendar_edge_mark_expired"),
        (mark(SECRET, question("after=0")), "calendar_edge_mark_invalid"),
    ):
        refused = send(site.host, asked.with_headers(headers))
        tally.check((refused.status, refused.code()) == (403, code), f"{server}: {code}: {refused.status} {refused.code()}")
    by_query = get(f"/?rest_route=/calendar-edge/v1/facts&after=0&nonce={'0' * 32}")
    tally.check(send(site.host, by_query.with_headers(mark(SECRET, by_query))).status == 200, f"{server}: the route may stand in the query")
    odd = get("/wp-json/calendar-edge/v1/facts?after=0&nonce=x")
    tally.check(send(site.host, odd.with_headers(mark(SECRET, odd))).status == 404, f"{server}: a question without a nonce gets nothing")


def shown(site, server, tally):
    """Which events are told, in which pages."""
    ids, known = named(site), everything(site)
    hidden = ("Hidden", "Hidden by a number", "A draft", "Private", "Pending", "In the bin")
    tally.check(not {ids[title] for title in hidden} & set(known), f"{server}: what no view shows is not told")
    tally.check(set(known) == published(site) - {ids[title] for title in hidden}, f"{server}: everything else is, with a password too")
    some = [ids["First of all"], ids["Behind a password"], ids["A draft"], 999999]
    reply = ask(site, "ids=" + ",".join(map(str, some)))[1]
    tally.check([event["id"] for event in reply["events"]] == sorted(some[:2]), f"{server}: named events are told, others are missing: {reply['events']}")
    tally.check(reply["events"][0] == known[some[0]] and reply["next"] is None, f"{server}: an event is told alike by its id")
    tally.check(ask(site, f"after={max(known)}")[1]["events"] == [], f"{server}: behind the last event is nothing")
    nothing = ask(site, "x=1")[1]
    tally.check((nothing["events"], nothing["next"], "site" in nothing, nothing["facts"]) == ([], None, False, 1), f"{server}: without a wish only number and sums: {nothing}")
    tally.check("site" in ask(site, "site=1&ids=1")[1], f"{server}: the site is told beside events")
    featured = {id for id, event in known.items() if event["featured"]}
    tally.check({ids["Featured"], ids["Featured jazz"]} <= featured and len(featured) == 14, f"{server}: featured events: {len(featured)}")
    site.php(f"delete_post_meta( {ids['Hidden']}, '_EventHideFromUpcoming' );")
    tally.check(ids["Hidden"] in everything(site), f"{server}: an event that is hidden no more is told at once")
    # No hook of the plugin runs, so its own list still shows the event for a day.
    site.php(f"global $wpdb; $wpdb->insert( $wpdb->postmeta, array( 'post_id' => {ids['Hidden']}, 'meta_key' => '_EventHideFromUpcoming', 'meta_value' => 'yes' ) ); delete_transient( 'x' );")
    listed = f"in_array( '{ids['Hidden']}', tribe( 'Tribe\\Events\\Views\\V2\\Query\\Hide_From_Upcoming_Controller' )->get_hidden_post_ids() )"
    told, plugin_hides = ids["Hidden"] in everything(site), site.php(f"echo (int) {listed};").strip() == "1"
    tally.check(told != plugin_hides, f"{server}: what the plugin still shows is told: {told} {plugin_hides}")
    site.php(f"update_post_meta( {ids['Hidden']}, '_EventHideFromUpcoming', 'yes' ); wp_update_post( array( 'ID' => {ids['Hidden']} ) );")
    tally.check(ids["Hidden"] not in everything(site), f"{server}: hidden again")


def times(site, server, tally):
    """Every time at which a view may show an event, by the clock of the event and of the site (UTC here)."""
    ids, known = named(site), everything(site)

    def of(title):
        return known[ids[title]]["times"]

    for title, wanted in (
        ("First of all", [["1999-06-30 20:00:00", "1999-06-30 22:00:00"], ["1999-07-01 03:00:00", "1999-07-01 05:00:00"]]),
        ("Last of all", [["2040-01-31 15:15:00", "2040-01-31 16:00:00"], ["2040-02-01 00:15:00", "2040-02-01 01:00:00"]]),
        ("Ends at midnight", [["2027-04-10 18:00:00", "2027-04-10 22:00:00"], ["2027-04-10 20:00:00", "2027-04-11 00:00:00"]]),
        ("Over three years", [["2032-11-05 03:30:00", "2034-02-02 12:30:00"], ["2032-11-05 09:00:00", "2034-02-02 18:00:00"]]),
        ("A whole day of the leap year", [["2028-02-28 10:00:00", "2028-02-29 09:59:59"], ["2028-02-29 00:00:00", "2028-02-29 23:59:59"]]),
        # The plugin moves what the clock leaves out.
        ("In the hour that is left out", [["2027-03-28 01:30:00", "2027-03-28 01:30:00"], ["2027-03-28 03:30:00", "2027-03-28 03:30:00"]]),
    ):
        tally.check(of(title) == wanted, f"{server}: the times of {title!r}: {of(title)}")
    # The plugin writes new times of whole days then, by SQL.
    site.php("tribe_update_option( 'multiDayCutoff', '03:00' );")
    found = everything(site)[ids["A whole day of the leap year"]]["times"]
    tally.check(["2028-02-29 03:00:00", "2028-03-01 02:59:59"] in found and EVER not in found, f"{server}: a whole day with another beginning of days: {found}")
    site.php("tribe_update_option( 'multiDayCutoff', '00:00' );")
    found = everything(site)[ids["A whole day of the leap year"]]["times"]
    tally.check(found == of("A whole day of the leap year"), f"{server}: and with the old one again: {found}")
    site.php("update_option( 'timezone_string', 'Pacific/Chatham' );")
    moved = everything(site)[ids["First of all"]]["times"]
    tally.check(["1999-07-01 15:45:00", "1999-07-01 17:45:00"] in moved, f"{server}: by the clock of another site: {moved}")
    site.php("update_option( 'timezone_string', '' ); update_option( 'gmt_offset', '-3.5' );")
    moved = everything(site)[ids["First of all"]]["times"]
    tally.check(["1999-06-30 23:30:00", "1999-07-01 01:30:00"] in moved, f"{server}: by a fixed offset: {moved}")
    site.php("update_option( 'gmt_offset', '0' );")
    event = ids["Ordinary 3"]
    before = known[event]["times"]
    site.php(f"global $wpdb; $wpdb->update( $wpdb->postmeta, array( 'meta_value' => '2031-01-01 00:00:00' ), array( 'post_id' => {event}, 'meta_key' => '_EventEndDate' ) );")
    tally.check("2031-01-01 00:00:00" in [span[1] for span in everything(site)[event]["times"]], f"{server}: meta that differs from the rows is told too")
    for value in ("", "soon", "0000-00-00 00:00:00", "01/02/2027 10:00"):
        site.php(f"global $wpdb; $wpdb->update( $wpdb->postmeta, array( 'meta_value' => '{value}' ), array( 'post_id' => {event}, 'meta_key' => '_EventEndDate' ) );")
        tally.check(EVER in everything(site)[event]["times"], f"{server}: an event whose end is {value!r} may be on every page")
    for value, read in (("2031-02-30 10:00:00", "2031-03-02 10:00:00"), ("2031-1-2 9:05", "2031-01-02 09:05:00"), ("2031-01-02 23:59:59.000000", "2031-01-02 23:59:59")):
        site.php(f"global $wpdb; $wpdb->update( $wpdb->postmeta, array( 'meta_value' => '{value}' ), array( 'post_id' => {event}, 'meta_key' => '_EventEndDate' ) );")
        found = everything(site)[event]["times"]
        tally.check(EVER not in found and read in [span[1] for span in found], f"{server}: an end of {value!r} is read as the plugin does: {found}")
    site.php(f"global $wpdb; $wpdb->delete( $wpdb->postmeta, array( 'post_id' => {event}, 'meta_key' => '_EventEndDate' ) );")
    tally.check(EVER in everything(site)[event]["times"], f"{server}: so may one without an end")
    site.php(f"add_post_meta( {event}, '_EventEndDate', '{before[0][1]}' ); add_post_meta( {event}, '_EventEndDate', '2033-03-03 03:03:03' );")
    found = everything(site)[event]["times"]
    tally.check(EVER not in found and any(span[1] == "2033-03-03 03:03:03" for span in found), f"{server}: of two ends both are told: {found}")
    site.php(f"delete_post_meta( {event}, '_EventEndDate', '2033-03-03 03:03:03' );")
    site.php(f"delete_post_meta( {event}, '_EventStartDateUTC' ); delete_post_meta( {event}, '_EventEndDateUTC' );")
    tally.check(EVER not in everything(site)[event]["times"], f"{server}: an old event without times of UTC is not on every page")
    site.php("tribe_update_option( 'tribe_events_timezone_mode', 'site' );")
    tally.check(EVER in everything(site)[event]["times"], f"{server}: where views read them it may be")
    site.php("tribe_update_option( 'tribe_events_timezone_mode', 'event' );")


def terms(site, server, tally):
    """Terms of events, and the tree of the calendar's terms."""
    ids, known = named(site), everything(site)
    told = ask(site, "site=1")[1]["site"]["terms"]
    tree = {term["slug"]: term for term in told}
    wanted = {"music", "jazz", "free-jazz", "sport", "drafts", "unused", "unused-child", "%e9%9f%b3%e6%a5%bd", "open-air", "free", "unused-tag"}
    tally.check(wanted <= set(tree), f"{server}: all terms are told, and slugs as they are stored: {sorted(tree)}")
    tally.check(tree["free-jazz"]["parent"] == tree["jazz"]["id"] and tree["jazz"]["parent"] == tree["music"]["id"], f"{server}: with their parents")
    tally.check({term["taxonomy"] for term in told} == {"tribe_events_cat", "post_tag"}, f"{server}: of both taxonomies")
    of = set(known[ids["Of two categories"]]["terms"])
    tally.check(of == {tree[slug]["id"] for slug in ("jazz", "sport", "open-air", "free")}, f"{server}: an event names its terms: {of}")
    tally.check(known[ids["Of a grandchild"]]["terms"] == [tree["free-jazz"]["id"]], f"{server}: and not those above them")


def sums(site, server, tally):
    """Sums change with everything that is told and with nothing else."""
    ids = named(site)

    def now():
        return ask(site, "")[1]["sums"]

    before = now()
    tally.check(before == now() == ask(site, "after=0&site=1")[1]["sums"], f"{server}: sums stay while nothing changes")
    site.php(f"global $wpdb; $wpdb->update( $wpdb->posts, array( 'post_content' => 'x', 'post_modified_gmt' => '2030-01-01 00:00:00' ), array( 'ID' => {ids['A draft']} ) ); $wpdb->update( $wpdb->postmeta, array( 'meta_value' => '2030-01-01 00:00:00' ), array( 'post_id' => {ids['A draft']}, 'meta_key' => '_EventStartDate' ) );")
    tally.check(now() == before, f"{server}: a draft is in no sum, because no message tells of it")
    event = ids["Ordinary 7"]
    steps = {
        "a time in the rows": f"$wpdb->query( \"UPDATE {{$wpdb->prefix}}tec_occurrences SET end_date = end_date + INTERVAL 1 DAY WHERE post_id = {event}\" );",
        "a time in the meta": f"$wpdb->query( \"UPDATE $wpdb->postmeta SET meta_value = '2027-01-01 00:00:00' WHERE post_id = {event} AND meta_key = '_EventStartDate'\" );",
        "a status": f"$wpdb->query( \"UPDATE $wpdb->posts SET post_status = 'draft' WHERE ID = {event}\" );",
        "the status again": f"$wpdb->query( \"UPDATE $wpdb->posts SET post_status = 'publish' WHERE ID = {event}\" );",
        "a mark of featured events": f"$wpdb->query( \"INSERT INTO $wpdb->postmeta (post_id, meta_key, meta_value) VALUES ({event}, '_tribe_featured', '1')\" );",
        "a relation": f"$wpdb->query( \"INSERT IGNORE INTO $wpdb->term_relationships (object_id, term_taxonomy_id) SELECT {event}, MAX(term_taxonomy_id) FROM $wpdb->term_taxonomy WHERE taxonomy = 'tribe_events_cat'\" );",
        "a slug": "$wpdb->query( \"UPDATE $wpdb->terms SET slug = 'unused-2' WHERE slug = 'unused'\" );",
        "a new event": "$wpdb->query( \"INSERT INTO $wpdb->posts (post_type, post_status, post_title, post_content, post_excerpt, to_ping, pinged, post_content_filtered) VALUES ('tribe_events', 'publish', 'By SQL', '', '', '', '', '')\" );",
        "a zone": "$wpdb->query( \"UPDATE $wpdb->options SET option_value = '2' WHERE option_name = 'gmt_offset'\" );",
        "the zone again": "$wpdb->query( \"UPDATE $wpdb->options SET option_value = '0' WHERE option_name = 'gmt_offset'\" );",
        "an option": "$wpdb->query( \"UPDATE $wpdb->options SET option_value = '3' WHERE option_name = 'start_of_week'\" );",
    }
    for what, code in steps.items():
        site.php("global $wpdb; " + code)
        after = now()
        tally.check(after != before, f"{server}: sums change with {what} by SQL")
        before = after
    known = everything(site)
    new = named(site)["By SQL"]
    tally.check(known[new]["times"] == [EVER], f"{server}: an event without any time may be on every page: {known[new]}")
    site.php(f"wp_delete_post( {new}, true ); global $wpdb; $wpdb->query( \"UPDATE $wpdb->terms SET slug = 'unused' WHERE slug = 'unused-2'\" );")


def walked_beside_edits(site, server, tally):
    """Hundreds of events are walked in pages, while others are made and removed."""
    site.php(MANY)
    known = everything(site)
    many = {id for title, id in named(site).items() if title.startswith("Many ")}
    tally.check(len(many) == 1100 and many <= set(known), f"{server}: {len(many)} events are told in pages")
    reply = ask(site, "after=0")[1]
    tally.check(len(reply["events"]) == 500 and reply["next"] == reply["events"][-1]["id"], f"{server}: a page has 500 events and the next one's beginning")
    tally.check([event["id"] for event in reply["events"]] == sorted(event["id"] for event in reply["events"]), f"{server}: in the order of ids")
    last = sorted(many)
    exact, after = ask(site, f"after={last[599]}")[1], ask(site, f"after={last[-1]}")[1]
    tally.check(len(exact["events"]) == 500 and exact["next"] is None and after["events"] == [], f"{server}: a last page that is full has no next one")
    firsts, stop = set(known), threading.Event()

    def edit():
        while not stop.is_set():
            site.php("$id = tribe_events()->set_args( array( 'title' => 'Beside', 'status' => 'publish', 'start_date' => '2028-08-08 10:00:00', 'end_date' => '2028-08-08 11:00:00' ) )->create()->ID; wp_delete_post( $id, true );")

    editor = threading.Thread(target=edit)
    editor.start()
    walks = [set(everything(site)) for _ in range(5)]
    stop.set()
    editor.join()
    tally.check(all(firsts <= walk for walk in walks), f"{server}: what stays is in every walk beside edits")
    before, edited = ask(site, "")[1]["changes"], min(many)
    site.php(f"wp_update_post( array( 'ID' => {edited}, 'post_status' => 'draft' ) );")
    reply = ask(site, f"ids={edited}")[1]
    tally.check(reply["events"] == [] and reply["changes"] > before, f"{server}: an edit has a greater number, and is told at once")
    site.php("global $wpdb; $wpdb->query( \"DELETE FROM $wpdb->posts WHERE post_title LIKE 'Many %'\" );")


MANY = r"""
global $wpdb;
for ( $n = 0; $n < 1100; $n++ ) {
	$rows[] = "('tribe_events', 'publish', 'Many $n', '', '', '', '', '')";
}
$wpdb->query( "INSERT INTO $wpdb->posts (post_type, post_status, post_title, post_content, post_excerpt, to_ping, pinged, post_content_filtered) VALUES " . implode( ',', $rows ) );
foreach ( array( '_EventStartDate' => '2029-05-05 10:00:00', '_EventEndDate' => '2029-05-05 11:00:00', '_EventStartDateUTC' => '2029-05-05 08:00:00', '_EventEndDateUTC' => '2029-05-05 09:00:00' ) as $key => $time ) {
	$wpdb->query( "INSERT INTO $wpdb->postmeta (post_id, meta_key, meta_value) SELECT ID, '$key', '$time' FROM $wpdb->posts WHERE post_title LIKE 'Many %'" );
}
"""

FOREIGN = r"""
class Foreign { public function one( $x ) { return $x; } public static function two( $x ) { return $x; } public function __invoke( $x ) { return $x; } }
add_filter( 'posts_where', function ( $x ) { return $x; } );
add_filter( 'posts_join', new Foreign() );
add_filter( 'posts_clauses', 'Foreign::two' );
add_filter( 'the_posts', array( new Foreign(), 'one' ) );
add_filter( 'tribe_events_views_v2_view_repository_args', '__return_empty_array' );
add_filter( 'tribe_events_views_v2_by_day_view_day_results', 'array_values' );
add_filter( 'tec_events_seo_robots_meta_include', array( 'Foreign', 'two' ) );
add_filter( 'tribe_events_views_v2_view_messages', '__return_empty_array' );
add_filter( 'the_title', array( 'Foreign', 'two' ) );
add_action( 'plugins_loaded', function () {
	class Foreign_Query extends Tribe__Events__Query { public function same( $x ) { return $x; } }
	add_filter( 'posts_results', array( 'Foreign_Query', 'init' ) );
	add_filter( 'tribe_events_views_v2_view_context', tribe_callback( 'Foreign', 'one' ) );
} );
"""


def about_the_site(site, server, tally, edge):
    """What is told of the site, and what makes its pages unlike those that an edge knows."""

    def told():
        return ask(site, "site=1")[1]["site"]

    plain = told()
    tally.check((plain["views"], plain["filters"], plain["languages"], plain["front_page"]) == (True, [], False, False), f"{server}: a plain site has nothing foreign: {plain['filters']}")
    tally.check(plain["home"] == f"http://{site.host}" and plain["calendar"] == f"http://{site.host}/events/" and plain["structure"] == "/%postname%/", f"{server}: its addresses")
    rules = json.loads(site.php("echo wp_json_encode( get_option( 'rewrite_rules' ) );"))
    tally.check(plain["rules"] == [[rule, query] for rule, query in rules.items()] and len(rules) > 200, f"{server}: all rules, in their order")
    tally.check((plain["default_view"], sorted(plain["enabled_views"]), plain["cutoff"]) == ("list", ["day", "list", "month"], "00:00"), f"{server}: its views: {plain['enabled_views']}")
    tally.check(plain["words"] == {"none": "There were no results found.", "calendar": "Events"} and plain["language"] == "en-US", f"{server}: its words")
    site.php("tribe_update_option( 'multiDayCutoff', '03:00' ); update_option( 'start_of_week', 0 ); tribe_update_option( 'viewOption', 'month' ); tribe_update_option( 'tribeEnableViews', array( 'month', 'list' ) ); tribe_update_option( 'postsPerPage', 7 );")
    now = told()
    tally.check((now["cutoff"], now["week_starts"], now["default_view"], now["enabled_views"], now["per_page"]) == ("03:00", 0, "month", ["list", "month"], 7), f"{server}: options of views")
    site.php("tribe_update_option( 'front_page_event_archive', true );")
    tally.check(told()["front_page"], f"{server}: the calendar is the front page")
    site.php("tribe_update_option( 'front_page_event_archive', false ); tribe_update_option( 'multiDayCutoff', '00:00' ); tribe_update_option( 'viewOption', 'list' ); tribe_update_option( 'tribeEnableViews', array( 'list', 'month', 'day' ) ); tribe_update_option( 'postsPerPage', 10 );")
    site.must_use("foreign.php", FOREIGN)
    time.sleep(PHP_KEEPS_FILES)
    wanted = {"posts_where", "posts_join", "posts_clauses", "the_posts", "posts_results", "tribe_events_views_v2_view_repository_args", "tribe_events_views_v2_by_day_view_day_results", "tec_events_seo_robots_meta_include", "tribe_events_views_v2_view_context"}
    tally.check(set(told()["filters"]) == wanted, f"{server}: foreign filters: {wanted ^ set(told()['filters'])}")
    for code, name, value in (
        ("define( 'POLYLANG_VERSION', '3' );", "languages", True),
        ("add_filter( 'locale', function ( $x ) { return $x; } );", "languages", True),
        ("add_filter( 'template_include', function ( $x ) { return $x; }, 10 );", "views", True),
        ("add_filter( 'template_include', function ( $x ) { return $x; }, 60 );", "views", False),
    ):
        site.must_use("foreign.php", code)
        time.sleep(PHP_KEEPS_FILES)
        tally.check(told()[name] == value, f"{server}: {name} with {code}")
    site.must_use("foreign.php", None)
    time.sleep(PHP_KEEPS_FILES)
    themes(site, server, tally, told, edge)
    before, begun = ask(site, "")[1]["changes"], time.monotonic()
    edge.take()
    site.php("add_rewrite_rule( 'happenings/?$', 'index.php?post_type=tribe_events', 'top' ); flush_rewrite_rules();")
    _, seconds = edge.wait(begun, lambda message: message.removes("categories"), 10)
    tally.check(seconds is not None and ask(site, "")[1]["changes"] > before, f"{server}: new rules are a change")
    tally.check("happenings/?$" in {rule for rule, _ in told()["rules"]}, f"{server}: and are told")
    site.php("flush_rewrite_rules();")


def themes(site, server, tally, told, edge):
    """A theme of blocks shows the views only with a template that has the plugin's block; asking for it stores none."""
    blocks = site.root / "wp-content" / "themes" / "blocks"
    (blocks / "templates").mkdir(parents=True, exist_ok=True)
    (blocks / "style.css").write_text("/* Theme Name: Blocks */")
    (blocks / "templates" / "index.html").write_text("<!-- wp:post-title /-->")
    stored = "echo count( get_posts( array( 'post_type' => 'wp_template', 'post_status' => 'any', 'numberposts' => -1 ) ) );"
    site.php("switch_theme( 'blocks' );")
    tally.check(not told()["views"] and site.php(stored).strip() == "0", f"{server}: a theme of blocks without the template has no views")
    make = "register_taxonomy( 'wp_theme', 'wp_template' ); $id = wp_insert_post( array( 'post_type' => 'wp_template', 'post_status' => 'publish', 'post_name' => 'archive-events', 'post_title' => 'x', 'post_content' => '%s' ) ); wp_set_object_terms( $id, '%s', 'wp_theme' );"
    edge.take()
    site.php("wp_set_current_user( 0 ); " + make % ("<!-- wp:post-title /-->", "elsewhere"))
    tally.check(edge.take() == [], f"{server}: a template that is stored for a reader is no change")
    begun = time.monotonic()
    site.php(make % ("<!-- wp:tec/archive-events /-->", "tec"))
    tally.check(edge.wait(begun, lambda message: message.removes("categories"), 10)[1] is not None, f"{server}: one that an editor stores is")
    tally.check(told()["views"], f"{server}: with it, it has")
    site.php(make % ("<!-- wp:post-title /-->", "blocks"))
    tally.check(not told()["views"], f"{server}: the theme's own comes first")
    site.php("foreach ( get_posts( array( 'post_type' => 'wp_template', 'post_status' => 'any', 'numberposts' => -1 ) ) as $post ) { wp_delete_post( $post->ID, true ); } switch_theme( 'plain' );")
    tally.check(told()["views"], f"{server}: a classic theme has views")


def broken(site, server, tally):
    """A database that fails leads to no reply, and never to one that lacks events."""
    site.must_use("foreign.php", "add_filter( 'query', function ( $sql ) { return false !== strpos( $sql, 'tec_occurrences o' ) ? 'SELECT nothing' : $sql; } );")
    time.sleep(PHP_KEEPS_FILES)
    answer, _ = ask(site, "after=0")
    tally.check(answer.status == 500 and "x-calendar-edge-facts" not in answer.headers, f"{server}: without the rows there is no reply: {answer.status}")
    site.must_use("foreign.php", None)
    time.sleep(PHP_KEEPS_FILES)
    tally.check(ask(site, "after=0")[0].status == 200, f"{server}: and one again when they are back")
