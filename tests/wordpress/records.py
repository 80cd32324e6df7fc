"""Names of records: those of every status are reported, nothing that they contain is, and each has a sum that changes with it."""

import json
import subprocess
import time

from checks import SECRET
from facts import ask
from listening import Listening
from site_under_test import CALENDAR, HERE

TYPES = {"event": "tribe_events", "venue": "tribe_venue", "organizer": "tribe_organizer"}

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
        replies = walked(site)
        tally.check(contents(site) == before, f"{server}: records are named without a trace in the database")
        whole(site, server, tally, replies)
        withheld(server, tally, replies)
        asked(site, server, tally, replies)
        sums(site, server, tally)
        named(site, server, tally, edge)
        errors = site.errors("calendar-edge.php")
        tally.check(not errors, f"{server}: PHP complains about the plugin: {errors[:3]}")
    finally:
        edge.close()
        site.drop_calendar()
        site.report_to([])
        site.forget_errors()


def walked(site):
    """The replies of a walk over all records."""
    replies, after, query = [], 0, "&site=1"
    while after is not None:
        replies.append(ask(site, f"after={after}&names=1{query}")[1])
        after, query = replies[-1]["next"], ""
    return replies


def records(replies):
    """By number, what a walk names."""
    return {record["id"]: record for reply in replies for record in reply["names"]}


def rows(site):
    """By number, type, status, name and password of each post of the calendar."""
    types = "', '".join(TYPES.values())
    code = f"global $wpdb; echo wp_json_encode( $wpdb->get_results( \"SELECT ID, post_type, post_status, post_name, post_password FROM $wpdb->posts WHERE post_type IN ('{types}')\", ARRAY_N ) );"
    return {int(id): rest for id, *rest in json.loads(site.php(code))}


def contents(site):
    """A sum over every table."""
    return site.php("global $wpdb; foreach ( $wpdb->get_col( 'SHOW TABLES' ) as $table ) { echo $table, ' ', implode( ' ', $wpdb->get_row( \"CHECKSUM TABLE $table\", ARRAY_N ) ), \"\\n\"; }")


def whole(site, server, tally, replies):
    """Every record of every status, once, and in its order."""
    told = {id: [TYPES[record["kind"]], record["status"], record["slug"], record["password"]] for id, record in records(replies).items()}
    wanted = {id: [*row[:3], row[3] != ""] for id, row in rows(site).items()}
    tally.check(told == wanted, f"{server}: {len(told)} records are named, {len(wanted)} are there")
    ids = [record["id"] for reply in replies for record in reply["names"]]
    tally.check(ids == sorted(set(ids)), f"{server}: they are named in their order")
    statuses = {record["status"] for record in records(replies).values() if record["kind"] == "event"}
    tally.check(statuses >= {"publish", "draft", "private", "pending", "future", "trash"}, f"{server}: of every status: {statuses}")
    events = [event["id"] for reply in replies for event in reply["events"]]
    tally.check(events and set(events) <= set(ids), f"{server}: the events of pages come with them")


def withheld(server, tally, replies):
    """Nothing that a record contains."""
    members = {member for record in records(replies).values() for member in record}
    tally.check(members == {"id", "kind", "status", "password", "slug", "sum"}, f"{server}: a name has {members}")
    told = json.dumps([reply["names"] for reply in replies])
    tally.check("told" not in told and "Secret" not in told, f"{server}: texts and titles are not in it")


def asked(site, server, tally, replies):
    """Records that are asked for by their numbers."""
    known = records(replies)
    some = sorted(known)[:60]
    reply = ask(site, "ids=" + ",".join(map(str, [*some, 999999])) + "&names=1")[1]
    tally.check([record["id"] for record in reply["names"]] == some and reply["next"] is None, f"{server}: those that are asked for are named, others are missing")
    tally.check(all(record == known[record["id"]] for record in reply["names"]), f"{server}: they are named alike")
    tally.check("names" not in ask(site, "after=0")[1], f"{server}: where names are not wanted there are none")


def sums(site, server, tally):
    """The sums that an edit changes are those of the records that show it."""
    event = int(site.php("echo tribe_events()->set_args( array( 'title' => 'Sums', 'status' => 'publish', 'start_date' => '2031-02-02 10:00:00', 'end_date' => '2031-02-02 11:00:00' ) )->create()->ID;"))
    venue, image = (int(site.php(f"echo wp_insert_post( array( 'post_type' => '{kind}', 'post_status' => '{status}', 'post_title' => 'V' ) );")) for kind, status in (("tribe_venue", "publish"), ("attachment", "inherit")))
    term = int(site.php(f"add_post_meta( {event}, '_EventVenueID', {venue} ); add_post_meta( {venue}, '_thumbnail_id', {image} ); $t = wp_insert_term( 'Summed', 'tribe_events_cat' ); wp_set_object_terms( {event}, array( $t['term_id'] ), 'tribe_events_cat' ); echo $t['term_id'];"))
    for what, code, wanted in (
        ("nothing", "wp_cache_flush();", set()),
        ("a title", f"wp_update_post( array( 'ID' => {event}, 'post_title' => 'Other' ) );", {event}),
        ("meta", f"update_post_meta( {event}, '_EventURL', 'https://example.org/' );", {event}),
        ("a venue", f"update_post_meta( {venue}, '_VenueCity', 'Ulm' );", {event, venue}),
        ("the image of a venue", f"update_post_meta( {image}, '_wp_attachment_image_alt', 'A hall' );", {event, venue}),
        ("a category", f"wp_update_term( {term}, 'tribe_events_cat', array( 'name' => 'Renamed' ) );", {event, ("term", term)}),
        ("a row past WordPress", f"global $wpdb; $wpdb->update( $wpdb->posts, array( 'post_content' => 'imported' ), array( 'ID' => {venue} ) );", {event, venue}),
    ):
        before = summed(site)
        site.php(code)
        now = summed(site)
        tally.check({id for id in now if now[id] != before.get(id)} == wanted, f"{server}: {what} changes the sums of {wanted}")
    before = walked(site)[0]["sums"]
    site.php(f"global $wpdb; $wpdb->update( $wpdb->posts, array( 'post_status' => 'private' ), array( 'ID' => {venue} ) );")
    tally.check(walked(site)[0]["sums"] != before, f"{server}: another status past WordPress changes the sums of all")


def summed(site):
    """By number, the sums of all posts, and by the name `term` and the number those of terms."""
    replies = walked(site)
    terms = {("term", term["id"]): term["sum"] for term in replies[0]["site"]["terms"]}
    return terms | {id: record["sum"] for id, record in records(replies).items()}


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
