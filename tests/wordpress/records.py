"""Records for a copy: composed as an edge does it they are the bytes that the calendar prints, and nothing else is told."""

import html
import json
import re
import subprocess
import threading
import time

from attacks import get
from checks import SECRET
from facts import PHP_KEEPS_FILES, ask
from listening import Listening
from site_under_test import CALENDAR, HERE
from wire import mark, send

LISTS = {"event": "events", "venue": "venues", "organizer": "organizers"}
TERMS = {"tribe_events_cat": "categories", "post_tag": "tags"}
# Class names by place, and letters of e-mail addresses that WordPress writes as entities by chance.
PLACES = re.compile(r"((?:wp-container-[\w-]+|wp-block-gallery|wp-elements|gallery)-)\d+")
ENTITY = re.compile(r"&#(?:x[0-9a-f]+|\d+);")

SEED = r"""
global $wpdb;
$group = '<!-- wp:group {"layout":{"type":"flex"}} --><div class="wp-block-group"><!-- wp:paragraph --><p>Straße</p><!-- /wp:paragraph --></div><!-- /wp:group -->';
$made  = array( 'venue' => array(), 'organizer' => array() );
foreach ( array( 'publish', 'draft', 'private', 'trash', 'publish' ) as $at => $status ) {
	foreach ( array( 'venue' => array( '_VenueAddress' => 'Köln & Co', '_VenueZip' => '050', '_VenueURL' => 'https://v.example/?a=1&b=2' ), 'organizer' => array( '_OrganizerEmail' => "o$at@example.org", '_OrganizerPhone' => '1' ) ) as $kind => $meta ) {
		$made[ $kind ][] = wp_insert_post( array( 'post_type' => "tribe_$kind", 'post_status' => $status, 'post_title' => "Secret $status \"$kind\" é", 'post_content' => $group, 'post_password' => 4 === $at ? 'open' : '', 'meta_input' => $meta ) );
	}
}
$twin = wp_insert_term( 'Twin', 'tribe_events_cat' );
$below = wp_insert_term( 'Below', 'tribe_events_cat', array( 'parent' => $twin['term_id'], 'description' => '"Words" & <b>more</b>' ) );
foreach ( array( array(), array( 'post_password' => 'open' ), array( 'post_status' => 'draft' ), array( 'post_status' => 'private' ), array( 'post_status' => 'future', 'post_date' => '2039-01-01 10:00:00', 'post_date_gmt' => '2039-01-01 09:00:00', 'edit_date' => true ), array( 'post_content' => '<!-- wp:latest-posts /-->' ) ) as $at => $more ) {
	$id = tribe_events()->set_args( array( 'title' => "Linked $at", 'status' => 'publish', 'start_date' => '2030-02-02 10:00:00', 'end_date' => '2030-02-02 11:00:00', 'timezone' => 'Asia/Tokyo' ) )->create()->ID;
	wp_update_post( array( 'ID' => $id ) + $more + array( 'post_content' => "$group not to be told $at", 'post_excerpt' => 'Short' ) );
	foreach ( array_slice( $made['venue'], $at % 2, 1 + 2 * ( $at % 2 ) ) as $venue ) {
		add_post_meta( $id, '_EventVenueID', $venue );
	}
	foreach ( array_reverse( $made['organizer'] ) as $organizer ) {
		add_post_meta( $id, '_EventOrganizerID', $organizer );
	}
	wp_set_object_terms( $id, array( 'Twin', 'Below' ), 'tribe_events_cat' );
	wp_set_object_terms( $id, array( 'zeta', 'Äh', 'B' ), 'post_tag' );
}
add_post_meta( $id, '_EventVenueID', 999999 );
// The plugin publishes drafts that a published event shows.
wp_update_post( array( 'ID' => $made['venue'][1], 'post_status' => 'draft' ) );
wp_trash_post( $made['venue'][3] );
wp_trash_post( wp_insert_post( array( 'post_type' => 'tribe_venue', 'post_status' => 'publish', 'post_title' => 'In the bin' ) ) );
"""


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
        site.use_calendar()
        subprocess.run(["php", str(HERE / "calendar_seed.php"), str(site.root), site.host], check=True, capture_output=True, timeout=300)
        site.php(SEED)
        before = contents(site)
        copy = Copied(site)
        tally.check(contents(site) == before, f"{server}: records are told without a trace in the database")
        forms(site, server, tally, copy)
        lists(site, server, tally, copy)
        terms(site, server, tally, copy)
        withheld(server, tally, copy)
        letters(server, tally, copy)
        beside_edits(site, server, tally, copy)
        named(site, server, tally, edge)
        errors = site.errors("calendar-edge.php")
        tally.check(not errors, f"{server}: PHP complains about the plugin: {errors[:3]}")
    finally:
        edge.close()
        site.must_use("slow.php", None)
        site.drop_calendar()
        site.report_to([])
        site.forget_errors()


class Asked(Exception):
    """The site itself has to say."""


class Copied:
    """All records and terms of a site, read by a walk."""

    def __init__(self, site):
        self.records, self.fold, after, query = {}, {}, 0, "&site=1"
        self.replies = []
        while after is not None:
            reply = ask(site, f"after={after}&records=1{query}")[1]
            self.replies.append(reply)
            self.records.update({record["id"]: record for record in reply["records"]})
            self.fold.update(reply["fold"])
            after, query = reply["next"], ""
        self.site = self.replies[0]["copy"]
        self.fold.update(self.site["fold"])
        self.terms = {term["id"]: term for term in self.site["terms"]}

    def named(self, title):
        """The id of the event that prints this title."""
        return next(id for id, record in self.records.items() if record.get("body", {}).get("title") == title)

    def form(self, record, is_single):
        """The form of a list, or of a single read."""
        if "ask" in record:
            raise Asked(record["ask"])
        form = dict(record["body"])
        if record["kind"] == "event":
            self.fill(form, record, is_single)
        if not is_single or record["json_ld"] is None:
            return form
        json_ld = dict(record["json_ld"])
        for member, links in (("location", "venues"), ("organizer", "organizers")):
            if member in json_ld and json_ld[member] is None:
                first = self.records.get(record[links][0], {})
                json_ld[member] = first.get("json_ld") or False
        names = list(form)
        place = names.index(record["before"]) if record["before"] else len(names)
        return dict([*list(form.items())[:place], ("json_ld", json_ld), *list(form.items())[place:]])

    def fill(self, form, record, is_single):
        """Puts in what an event shows of other records."""
        for taxonomy, member in TERMS.items():
            if form[member] is None:
                form[member] = [self.terms[id]["inside"] for id in record["terms"] if self.terms[id]["taxonomy"] == taxonomy]
        for member in ("venue", "organizer"):
            if form[member] is None:
                shown = [self.form(self.records[id], is_single) for id in record[member + "s"] if id in self.records]
                form[member] = shown[0] if (member, len(shown)) == ("venue", 1) else shown


def written(form):
    """JSON as WordPress writes it."""
    return json.dumps(form, separators=(",", ":")).replace("/", "\\/")


def alike(text):
    """Without what differs by place or by chance."""
    return ENTITY.sub(lambda found: html.unescape(found[0]), PLACES.sub(r"\1N", text))


def read(site, target):
    """What the calendar prints."""
    asked = get(f"/wp-json/tribe/events/v1/{target}")
    answer = send(site.host, asked.with_headers(mark(SECRET, asked)))
    return answer.status, answer.body.decode()


def contents(site):
    """A sum over every table."""
    return site.php("global $wpdb; foreach ( $wpdb->get_col( 'SHOW TABLES' ) as $table ) { echo $table, ' ', implode( ' ', $wpdb->get_row( \"CHECKSUM TABLE $table\", ARRAY_N ) ), \"\\n\"; }")


def forms(site, server, tally, copy):
    """Every record, read alone: of its status, and of its bytes."""
    equal, asked, faults = 0, [], []
    for record in copy.records.values():
        if record["slug"].startswith("ordinary-") and record["id"] % 8:
            continue
        status, body = read(site, f"{LISTS[record['kind']]}/{record['id']}")
        is_open = record["status"] == "publish" and not (record["kind"] == "event" and record["password"])
        if status != (200 if is_open else 403):
            faults.append((record["id"], status))
        if not is_open:
            continue
        try:
            form = written(copy.form(record, True))
        except Asked as reason:
            asked.append(str(reason))
            continue
        equal += 1
        if alike(form) != alike(body):
            faults.append((record["id"], form, body))
    tally.check(not faults and equal > 50, f"{server}: {equal} single reads are composed, {faults[:1]} differ")
    tally.check(asked == ["made at the moment: core/latest-posts"], f"{server}: what is made at the moment is left to the site: {asked}")


def lists(site, server, tally, copy):
    """Every record in its list."""
    for kind, name in LISTS.items():
        seen, page, pages = 0, 0, 1
        while page < pages:
            page += 1
            _, body = read(site, f"{name}?per_page=50&page={page}" + ("&start_date=1990-01-01&end_date=2050-01-01" if kind == "event" else ""))
            found = json.loads(body)
            pages = found["total_pages"]
            for item in found[name]:
                record = copy.records[item["id"]]
                if "ask" not in record:
                    seen += 1
                    tally.check(alike(written(copy.form(record, False))) in alike(body), f"{server}: {kind} {item['id']} is composed for its list")
        tally.check(seen >= (160 if kind == "event" else 2), f"{server}: {seen} of {name} were compared")


def terms(site, server, tally, copy):
    """Every term in its list and alone."""
    for taxonomy, name in TERMS.items():
        _, body = read(site, f"{name}?per_page=50&hide_empty=0")
        ids = [item["id"] for item in json.loads(body)[name]]
        tally.check(len(ids) > 2 and all(written(copy.terms[id]["body"]) in body for id in ids), f"{server}: {name} are told as their list prints them")
        alone = [(written({**copy.terms[id]["body"], "_links": copy.terms[id]["links"]}), read(site, f"{name}/{id}")[1]) for id in ids]
        tally.check(all(told == printed for told, printed in alone), f"{server}: {name} are told as they are read alone")
        sort = sorted((copy.terms[id]["sort"][0], id) for id in ids)
        tally.check([id for _, id in sort] == [item["id"] for item in json.loads(read(site, f"{name}?per_page=50&hide_empty=0&orderby=name")[1])[name]], f"{server}: {name} are sorted by their weights")


def withheld(server, tally, copy):
    """Of what nobody may read, numbers and links alone are told."""
    told = json.dumps(copy.replies)
    for at in (1, 2, 3, 4):
        tally.check(f"not to be told {at}" not in told and f"NOT TO BE TOLD {at}" not in told, f"{server}: the text of event {at} is not told")
    for record in copy.records.values():
        if record["kind"] == "event" and record["status"] != "publish":
            tally.check(not {"body", "json_ld", "hidden", "occurrences"} & set(record) and record["texts"] is None, f"{server}: of {record['status']} event {record['id']} is told {sorted(record)}")
    statuses = {record["status"] for record in copy.records.values() if record["kind"] == "event"}
    tally.check(statuses >= {"draft", "private", "pending", "future", "trash"}, f"{server}: events of every status have a record: {statuses}")
    binned = [record.get("body", {}).get("venue") for record in copy.records.values() if record["kind"] == "venue" and record["status"] == "trash"]
    tally.check(len(binned) == 2 and None in binned, f"{server}: a venue in the bin that no event shows is not told: {binned}")
    draft = [record for record in copy.records.values() if record["kind"] == "venue" and record["status"] == "draft"]
    tally.check(draft and all("body" in record and record["json_ld"] is None for record in draft), f"{server}: a draft that an event shows is told as the event shows it: {draft}")


def letters(server, tally, copy):
    """Characters that the database holds for equal are told as one."""
    tally.check(copy.site["collation"].startswith("utf8mb4_"), f"{server}: the collation is told: {copy.site['collation']}")
    fold = copy.fold
    tally.check(fold["a"] == fold["A"] == fold["Ä"] == "A" and fold["é"] == "E" and fold["ß"] not in ("S", "s"), f"{server}: letters with and without marks: {fold}")
    texts = [text for record in copy.records.values() for text in record["texts"] or []]
    tally.check(texts and all(fold.get(letter, letter) == letter for text in texts for letter in text), f"{server}: texts hold least characters alone")


SLOW = r"""
add_filter( 'the_content', function ( $text ) {
	if ( false !== strpos( $_SERVER['REQUEST_URI'] ?? '', 'slowly' ) && ! file_exists( '@SCRATCH@/seen' ) ) {
		touch( '@SCRATCH@/seen' );
		for ( $n = 0; $n < 200 && ! file_exists( '@SCRATCH@/changed' ); $n++ ) { usleep( 50000 ); }
		clearstatcache();
	}
	return $text;
} );
"""


def beside_edits(site, server, tally, copy):
    """What changes while records are printed has a greater number, and a reply is of one moment."""
    site.must_use("slow.php", SLOW.replace("@SCRATCH@", str(site.scratch)))
    time.sleep(PHP_KEEPS_FILES)
    first, last = copy.named("First of all"), copy.named("Last of all")
    seen, changed = site.scratch / "seen", site.scratch / "changed"
    replies = []
    asking = threading.Thread(target=lambda: replies.append(ask(site, f"ids={first},{last}&records=1&slowly=1")[1]))
    asking.start()
    end = time.monotonic() + 20
    while not seen.exists() and time.monotonic() < end:
        time.sleep(0.02)
    site.php(f"wp_update_post( array( 'ID' => {last}, 'post_title' => 'Changed beside it' ) );")
    changed.touch()
    asking.join()
    now = ask(site, f"ids={last}&records=1")[1]
    titles = [record["body"]["title"] for record in replies[0]["records"]]
    tally.check(titles == ["First of all", "Last of all"], f"{server}: a reply is of one moment: {titles}")
    tally.check(now["changes"] > replies[0]["changes"] and now["records"][0]["body"]["title"] == "Changed beside it", f"{server}: what changed beside it has a greater number")
    tally.check(now["sums"] != replies[0]["sums"], f"{server}: and other sums")
    for file in (seen, changed):
        file.unlink(missing_ok=True)
    site.must_use("slow.php", None)
    asked = ask(site, f"ids={first},999999&records=1")[1]
    tally.check([record["id"] for record in asked["records"]] == [first] and asked["left"] == [], f"{server}: named records are told, and others are missing")
    many = ask(site, "ids=" + ",".join(map(str, list(copy.records)[:60])) + "&records=1")[1]
    tally.check(len(many["records"]) == 40 and len(many["left"]) == 20, f"{server}: what does not fit is named: {len(many['records'])} {many['left']}")
    tally.check([event["id"] for event in many["events"]] and "copy" not in many, f"{server}: the events for pages come with them")


def named(site, server, tally, edge):
    """A record whose row differs is named, though nobody may read it."""
    venue = int(site.php("echo wp_insert_post( array( 'post_type' => 'tribe_venue', 'post_status' => 'private', 'post_title' => 'V' ) );"))
    event = int(site.php("echo tribe_events()->set_args( array( 'title' => 'Names', 'status' => 'publish', 'start_date' => '2031-02-02 10:00:00', 'end_date' => '2031-02-02 11:00:00' ) )->create()->ID;"))
    for what, code, tags in (
        ("an event that shows what is private", f"add_post_meta( {event}, '_EventVenueID', {venue} );", {f"event:{event}", f"venue:{venue}"}),
        ("an event that shows it no more", f"delete_post_meta( {event}, '_EventVenueID', {venue} );", {f"event:{event}", f"venue:{venue}"}),
        ("an event that shows it again", f"add_post_meta( {event}, '_EventVenueID', {venue} );", {f"event:{event}", f"venue:{venue}"}),
        ("the event as a draft", f"wp_update_post( array( 'ID' => {event}, 'post_status' => 'draft' ) );", {f"event:{event}", f"venue:{venue}"}),
        ("another address of the draft", f"wp_update_post( array( 'ID' => {event}, 'post_name' => 'other' ) );", {f"event:{event}"}),
        ("the draft in public", f"wp_publish_post( {event} );", {f"event:{event}", f"venue:{venue}"}),
        ("meta that all events lose", "delete_post_meta_by_key( '_EventURL' ); update_post_meta( %d, '_EventURL', 'x' ); delete_post_meta_by_key( '_EventURL' );" % event, None),
    ):
        edge.take()
        site.php(code)
        begun = time.monotonic()
        taken, _ = edge.wait(begun, lambda message: message.all if tags is None else tags <= message.tags)
        tally.check(any(message.all if tags is None else tags <= message.tags for message in taken), f"{server}: {what} names {tags or 'everything'}: {taken}")
