"""What edges must hear when somebody edits: within a second, about the right records, and about nothing that does not matter."""

import json
import threading
import time

from admin import Admin
from attacks import get, upload
from checks import SECRET, log_in
from listening import Listening
from wire import Request, mark, send

CHANGES = "x-calendar-edge-changes"
QUESTION = "/wp-json/calendar-edge/v1/changes?t=1"
LATEST = 1.0


class Case:
    """A site with its editor and one edge that listens."""

    def __init__(self, site, server, tally, edges):
        self.site, self.server, self.tally, self.edges = site, server, tally, edges
        self.admin = Admin(site, *log_in(site))
        self.longest = 0.0

    def check(self, holds, what):
        self.tally.check(holds, f"{self.server}: {what}")

    def tells(self, what, act, *tags):
        """Doing this tells the edge these tags (none: everything) in time; returns what doing it returned."""
        edge = self.edges[0]
        edge.take()
        done = act()
        ended = time.monotonic()
        wanted = [f"{tag}:{done}" if tag.islower() and tag in ("event", "venue", "organizer") else tag for tag in tags]
        holds = (lambda message: message.removes(*wanted)) if wanted else (lambda message: message.all)
        taken, _ = edge.wait(ended, holds)
        found = next((message for message in taken if holds(message)), None)
        self.check(found is not None, f"{what} tells {wanted or 'everything'}: {taken}")
        if found is not None:
            late = max(found.at - ended, 0.0)
            self.longest = max(self.longest, late)
            self.check(late < LATEST, f"{what} is told after {late:.2f} s")
            self.check(not wanted or not found.all, f"{what} tells too much: {found}")
        return done

    def silent(self, what, act):
        """Doing this tells nothing."""
        self.edges[0].take()
        done = act()
        time.sleep(0.25)
        taken = self.edges[0].take()
        self.check(not taken, f"{what} tells {taken}")
        return done

    def alone(self, what, act):
        """Doing this tells of one record that nobody may read, and of no list; returns what doing it returned."""
        self.edges[0].take()
        done = act()
        time.sleep(0.25)
        taken = self.edges[0].take()
        tags = frozenset().union(*(message.tags for message in taken))
        self.check(len(tags) == 1 and not any(message.all or message.tags != message.hidden for message in taken), f"{what} tells {taken}")
        return done

    def php(self, code):
        return self.site.php(code)

    def number(self):
        """The number of changes, as a REST answer shows it."""
        asked = get("/wp-json/tribe/events/v1/events")
        shown = send(self.site.host, asked.with_headers(mark(SECRET, asked))).headers.get(CHANGES, [])
        self.check(len(shown) == 1 and shown[0].isdigit(), f"REST answers to the edge show the number of changes: {shown}")
        return int(shown[0]) if shown else -1


def all_of(site, server, tally):
    """Every check of messages, against one web server."""
    secret = site.scratch / "secret"
    secret.write_text(SECRET)
    site.guard(secret)
    site.report_to([])
    quiet(site, server, tally)
    edges = [Listening(SECRET), Listening(SECRET)]
    site.report_to([edge.url for edge in edges])
    case = Case(site, server, tally, edges)
    try:
        case.php("activate_plugin( 'calendar-kinds.php' );")
        ids = posts(case)
        terms(case, ids)
        hidden(case, ids)
        images(case, ids)
        options(case)
        bulk(case, ids)
        programs(case, ids)
        nothing(case, ids)
        numbers(case, ids)
        question(case)
        troubles(case, ids)
    finally:
        for edge in edges:
            edge.close()
        site.php("deactivate_plugins( 'calendar-kinds.php' );")
        site.report_to([])
    faults = edges[0].faults + edges[1].faults
    tally.check(not faults, f"{server}: wrong seals: {faults[:2]}")
    errors = site.errors("calendar-edge.php")
    tally.check(not errors, f"{server}: PHP complains about the plugin: {errors[:3]}")
    print(f"{server}: the longest time from the end of an edit to its message: {case.longest * 1000:.0f} ms")


def hidden(case, ids):
    """A record is said to be hidden only if nobody could read it, neither before nor after."""
    edge = case.edges[0]

    def says(what, code, is_hidden, kind):
        edge.take()
        number = case.php(code).strip()
        taken, _ = edge.wait(time.monotonic(), lambda message: f"{kind}:{number}" in message.tags)
        said = [message for message in taken if f"{kind}:{number}" in message.tags]
        case.check(said and all((f"{kind}:{number}" in message.hidden) == is_hidden for message in said), f"{what}: {said}")
        return number

    def insert(fields):
        return f"$id = wp_insert_post( array( {fields}, 'post_title' => 'H' ) ); echo $id;"

    def update(number, fields):
        return f"wp_update_post( array( 'ID' => {number}, {fields} ) ); echo {number};"

    venue = says("a draft venue", insert("'post_type' => 'tribe_venue', 'post_status' => 'draft'"), True, "venue")
    says("its meta", f"update_post_meta( {venue}, '_VenueCity', 'Oslo' ); echo {venue};", True, "venue")
    says("a venue that is published", f"wp_publish_post( {venue} ); echo {venue};", False, "venue")
    says("a venue that becomes private", update(venue, "'post_status' => 'private'"), False, "venue")
    says("a private venue that is deleted", f"wp_delete_post( {venue}, true ); echo {venue};", True, "venue")
    event = says("a protected event", insert("'post_type' => 'tribe_events', 'post_status' => 'publish', 'post_password' => 'p'"), True, "event")
    says("its title", update(event, "'post_title' => 'Other'"), True, "event")
    says("an event without its password", update(event, "'post_password' => ''"), False, "event")
    says("an event that gets a password", update(event, "'post_password' => 'p'"), False, "event")
    both = f"wp_update_post( array( 'ID' => {event}, 'post_password' => '' ) ); wp_update_post( array( 'ID' => {event}, 'post_password' => 'p' ) ); echo {event};"
    says("an event that was readable for a moment", both, False, "event")
    case.alone("a category of a draft", lambda: case.php("wp_set_object_terms( wp_insert_post( array( 'post_type' => 'tribe_events', 'post_title' => 'D' ) ), wp_list_pluck( get_terms( array( 'taxonomy' => 'tribe_events_cat', 'hide_empty' => false, 'number' => 1 ) ), 'term_id' ), 'tribe_events_cat' );"))


def quiet(site, server, tally):
    """Without edges nothing is counted or shown."""
    answer = send(site.host, get("/wp-json/wp/v2/types"))
    tally.check(CHANGES not in answer.headers, f"{server}: a number of changes is shown without edges")
    asked = get(QUESTION)
    answer = send(site.host, asked.with_headers(mark(SECRET, asked)))
    tally.check(answer.status == 404, f"{server}: the question is answered without edges: {answer}")


def posts(case):
    """Events, venues and organizers are written, changed, trashed, restored, deleted and published on time."""
    admin, edit = case.admin, case.admin.edit
    create = admin.create
    event = case.tells("a new event", lambda: create("tribe_events", post_title="One"), "event", "events")
    venue = case.tells("a new venue", lambda: create("tribe_venue", post_title="Hall"), "venue", "venues")
    organizer = case.tells("a new organizer", lambda: create("tribe_organizer", post_title="Club"), "organizer", "organizers")
    own = (f"event:{event}", "events")
    case.tells("a new title", lambda: edit(event, post_title="Two"), *own)
    case.tells("a new date", lambda: edit(event, EventStartDate="2030-01-01 10:00:00"), *own)
    case.tells("another venue", lambda: edit(event, EventVenueID=venue), *own)
    case.tells("a new city", lambda: edit(venue, VenueCity="Rome"), f"venue:{venue}", "venues")
    case.tells("a new address", lambda: edit(organizer, OrganizerEmail="a@b.c"), f"organizer:{organizer}", "organizers")
    case.tells("meta of a program", lambda: case.php(f"update_post_meta( {venue}, '_VenueCity', 'Oslo' );"), f"venue:{venue}")
    case.tells("meta that goes", lambda: case.php(f"delete_post_meta( {venue}, '_VenueCity' );"), f"venue:{venue}")
    listed = "/wp-admin/edit.php?post_type=tribe_events"
    quick = admin.form(listed, "posts-filter") | {"action": "inline-save", "post_ID": event, "post_title": "Quick", "post_type": "tribe_events"}
    page = admin.get(listed).body.decode()
    quick["_inline_edit"] = page.split('id="_inline_edit" name="_inline_edit" value="')[1].split('"')[0]
    quick |= {"_status": "publish", "post_view": "list", "screen": "edit-tribe_events", "post_name": "quick"}
    case.tells("a quick edit", lambda: admin.post("/wp-admin/admin-ajax.php", quick), *own)
    case.tells("the trash", lambda: admin.follow(f"/wp-admin/post.php?post={event}&action=edit", "action=trash"), *own)
    case.tells("a restored event", lambda: admin.follow(f"{listed}&post_status=trash", "action=untrash") and edit(event), *own)
    case.tells("a hidden venue", lambda: case.php(f"wp_trash_post( {venue} );"), f"venue:{venue}", "relations")
    case.tells("a venue that is back", lambda: case.php(f"wp_untrash_post( {venue} ); wp_publish_post( {venue} );"), "venues", "relations")
    gone = int(case.php("echo wp_insert_post( array( 'post_type' => 'tribe_events', 'post_status' => 'publish', 'post_title' => 'Gone' ) );"))
    case.tells("a deleted event", lambda: case.php(f"wp_delete_post( {gone}, true );"), f"event:{gone}", "events")
    case.tells("a draft again", lambda: edit(event, post_status="draft"), *own)
    case.tells("published again", lambda: edit(event, post_status="publish"), *own)
    return {"event": event, "venue": venue, "organizer": organizer, "later": scheduled(case)}


def scheduled(case):
    """An event that WordPress publishes on its own, from a visit."""
    new = "'post_type' => 'tribe_events', 'post_title' => 'Later', 'post_status' => 'future', 'post_date' => '2040-01-01 00:00:00'"
    later = int(case.alone("a scheduled event", lambda: case.php(f"echo wp_insert_post( array( {new} ) );")))
    due = "array( 'post_date' => '2020-01-01 00:00:00', 'post_date_gmt' => '2020-01-01 00:00:00' )"
    case.php(f"global $wpdb; $wpdb->update( $wpdb->posts, {due}, array( 'ID' => {later} ) ); wp_clear_scheduled_hook( 'publish_future_post', array( {later} ) ); wp_schedule_single_event( time() - 99999, 'publish_future_post', array( {later} ) );")
    visit = threading.Thread(target=send, args=(case.site.host, get("/wp-cron.php?doing_wp_cron")))
    case.tells("its publication", visit.start, f"event:{later}", "events")
    visit.join()
    return later



def terms(case, ids):
    """Categories and tags, and what they are attached to."""
    admin, event = case.admin, ids["event"]

    def add(taxonomy, name, **more):
        shown = admin.form(f"/wp-admin/edit-tags.php?taxonomy={taxonomy}&post_type=tribe_events", "addtag")
        admin.post("/wp-admin/edit-tags.php", {**shown, "tag-name": name, "action": "add-tag", "slug": name.lower(), **more})
        return int(case.php(f"echo get_term_by( 'name', '{name}', '{taxonomy}' )->term_id;"))

    names = [f"{name}{event}" for name in ("Music", "Jazz", "Free")]
    music = case.tells("a new category", lambda: add("tribe_events_cat", names[0]), "categories")
    jazz = case.tells("a category below", lambda: add("tribe_events_cat", names[1], parent=music), "categories")
    free = case.tells("a new tag", lambda: add("post_tag", names[2]), "tags")
    field = "tax_input[tribe_events_cat][]"
    both = {field: [music, jazz], "tax_input[post_tag]": names[2]}
    own = (f"event:{event}", "events")
    case.tells("terms of an event", lambda: admin.edit(event, **both), *own, f"category:{music}", f"category:{jazz}", f"tag:{free}", "tags")
    case.tells("no terms", lambda: admin.edit(event, **{field: ["0"], "tax_input[post_tag]": ""}), *own, f"category:{jazz}", f"tag:{free}")
    case.tells("terms again", lambda: admin.edit(event, **both), *own)

    def rename():
        page = f"/wp-admin/term.php?taxonomy=tribe_events_cat&tag_ID={jazz}&post_type=tribe_events"
        return admin.post("/wp-admin/edit-tags.php", {**admin.form(page, "edittag"), "name": "Swing", "action": "editedtag"})

    case.tells("a renamed category", rename, f"category:{jazz}", "categories")
    case.tells("meta of a category", lambda: case.php(f"update_term_meta( {jazz}, 'color', 'red' );"), f"category:{jazz}")
    link = "/wp-admin/edit-tags.php?taxonomy=tribe_events_cat&post_type=tribe_events"
    erase = f"action=delete&taxonomy=tribe_events_cat&tag_ID={music}"
    case.tells("a deleted category", lambda: admin.follow(link, erase), *own, f"category:{music}", f"category:{jazz}", "categories")
    ordinary = "'post_status' => 'publish', 'post_title' => 'Post'"
    case.tells("a post with a tag", lambda: case.php(f"wp_insert_post( array( {ordinary}, 'tags_input' => array( '{names[2]}' ) ) );"), f"tag:{free}", "tags")


def images(case, ids):
    """Attachments, and what shows them."""
    admin, event = case.admin, ids["event"]
    answer = send(case.site.host, upload([admin.cookie, admin.nonce]))
    image = json.loads(answer.body)["id"]
    own = (f"event:{event}", "events")
    case.tells("a featured image", lambda: admin.edit(event, _thumbnail_id=image), *own)
    case.tells("an image's title", lambda: admin.edit(image, post_title="Pixel"))
    case.tells("no featured image", lambda: case.php(f"delete_post_thumbnail( {event} );"), *own)
    case.php(f"set_post_thumbnail( {event}, {image} );")
    case.tells("a deleted image", lambda: case.php(f"wp_delete_attachment( {image}, true );"))


def options(case):
    """Settings that may change every answer, and switches of plugins."""
    admin = case.admin

    def general(**fields):
        return admin.post("/wp-admin/options.php", {**admin.form("/wp-admin/options-general.php", "options.php"), **fields})

    case.tells("another zone", lambda: general(timezone_string="Europe/Rome"))
    case.tells("the old zone", lambda: general(timezone_string="UTC+0"))
    page = "/wp-admin/options-permalink.php"
    form = admin.form(page, "form")
    case.tells("permalinks", lambda: admin.post(page, {**form, "selection": "custom", "permalink_structure": "/x/%postname%/"}))
    case.tells("permalinks again", lambda: admin.post(page, {**form, "selection": "custom", "permalink_structure": "/%postname%/"}))
    plugins, own = "/wp-admin/plugins.php", "plugin=calendar-kinds.php"
    case.tells("a plugin off", lambda: admin.follow(plugins, f"action=deactivate&{own}"))
    case.tells("a plugin on", lambda: admin.follow(plugins, f"action=activate&{own}"))
    case.tells("the calendar's options", lambda: case.php("update_option( 'tribe_events_calendar_options', array( 'a' => 1 ) );"))
    case.tells("one of them", lambda: case.php("update_option( 'tribe_events_calendar_options', array( 'a' => 2 ) );"))
    books = "update_option( 'tribe_events_calendar_options', array( 'a' => 2, 'earliest_date' => '2020-01-01' ) );"
    case.silent("the calendar's books", lambda: case.php(books))
    case.tells("code of the site", lambda: case.php("do_action( 'calendar_edge_changed', array( 'event:5', 'events' ) );"), "event:5", "events")
    case.tells("code that changes everything", lambda: case.php("do_action( 'calendar_edge_changed' );"))


def bulk(case, ids):
    """Bulk edits: some are named, very many are everything."""
    admin = case.admin
    some = [ids["event"], ids["later"]]
    listed = "/wp-admin/edit.php"
    form = admin.form(f"{listed}?post_type=tribe_events", "posts-filter")
    fields = {**form, "action": "edit", "bulk_edit": "Update", "post[]": some, "comment_status": "closed", "_status": "-1"}
    fields |= {"post_type": "tribe_events", "post_author": "-1", "post_view": "list", "screen": "edit-tribe_events"}
    query = "&".join(f"{name}={value}" for name, value in fields.items() if name != "post[]" and " " not in str(value))
    query += "".join(f"&post%5B%5D={post}" for post in some)
    case.tells("a bulk edit", lambda: admin.get(f"{listed}?{query}"), *[f"event:{post}" for post in some], "events")
    many = "for ( $i = 0; $i < 501; $i++ ) { do_action( 'clean_post_cache', 900000 + $i, new WP_Post( (object) array( 'ID' => 900000 + $i, "
    many += "'post_type' => 'tribe_events', 'post_status' => 'publish' ) ) ); }"
    case.tells("a very large bulk edit", lambda: case.php(many))


def programs(case, ids):
    """Programs on the command line; those that take long tell what they did so far."""
    event = ids["event"]
    title = f"wp_update_post( array( 'ID' => {event}, 'post_title' => 'CLI' ) );"
    case.tells("a program", lambda: case.php(title), f"event:{event}", "events")
    edge = case.edges[0]
    edge.take()
    begun = time.monotonic()
    case.php(f"for ( $i = 0; $i < 6; $i++ ) {{ update_post_meta( {event}, '_EventStartDate', \"$i\" ); usleep( 500000 ); }}")
    ended = time.monotonic()
    early = [message for message in edge.take() if message.at < ended - 0.5]
    case.check(early and early[0].removes(f"event:{event}"), f"a long program tells early: {early}, {ended - begun:.1f} s")
    fatal = f"update_post_meta( {event}, '_EventStartDate', 'fatal' ); register_shutdown_function( function () {{ exit( 0 ); }} ); none();"
    case.tells("a program that dies", lambda: case.php(fatal), f"event:{event}", "events")
    late = f"register_shutdown_function( function () {{ update_post_meta( {event}, '_EventStartDate', 'late' ); }} );"
    case.tells("a change behind the end", lambda: case.php(late), f"event:{event}", "events")


def nothing(case, ids):
    """What no anonymous reader sees, tells nothing, but for numbers that are taken."""
    admin, event = case.admin, ids["event"]
    case.silent("a page", lambda: admin.get("/"))
    case.silent("a read", lambda: send(case.site.host, get("/wp-json/wp/v2/posts")))
    case.alone("an opened form", lambda: admin.get("/wp-admin/post-new.php?post_type=tribe_events"))
    case.silent("a form that locks", lambda: admin.get(f"/wp-admin/post.php?post={event}&action=edit"))
    draft = "'post_type' => 'tribe_events', 'post_status' => 'draft', 'post_title' => 'Draft'"
    made = int(case.alone("a draft", lambda: case.php(f"echo wp_insert_post( array( {draft} ) );")))
    case.alone("an edited draft", lambda: case.php(f"wp_update_post( array( 'ID' => {made}, 'post_title' => 'D' ) );"))
    case.alone("meta of a draft", lambda: case.php(f"update_post_meta( {made}, '_EventStartDate', '2030' );"))
    case.silent("a counted view", lambda: case.php(f"update_post_meta( {event}, 'post_views_count', time() );"))
    case.silent("an ordinary post", lambda: case.php("wp_insert_post( array( 'post_status' => 'publish', 'post_title' => 'P' ) );"))
    case.silent("an ordinary option", lambda: case.php("update_option( 'blogdescription', (string) time() );"))
    case.silent("an ordinary category", lambda: case.php("wp_insert_term( 'C' . time(), 'category' );"))


def numbers(case, ids):
    """Every change has its own number, which REST answers show, also when many come at once."""
    before = case.number()
    case.php(f"update_post_meta( {ids['event']}, '_EventStartDate', 'n' ); update_post_meta( {ids['venue']}, '_VenueCity', 'n' );")
    case.check(case.number() == before + 1, "one run of PHP is one change")
    for edge in case.edges:
        edge.take()
    threads = [threading.Thread(target=case.admin.rest, args=write) for write in tag_writes(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(0.5)
    told = sorted(number for message in case.edges[0].take() for number in message.changes)
    case.check(told == list(range(before + 2, before + 10)), f"changes at once have one number each: {told} behind {before}")
    case.check(case.number() == before + 9, "the last number is shown")
    refused = send(case.site.host, get("/wp-json/tribe/events/v1/events"))
    case.check(refused.status == 403 and CHANGES not in refused.headers, f"refusals show no number: {refused}")
    page = send(case.site.host, get("/"))
    case.check(CHANGES not in page.headers, "pages do not show the number")


def tag_writes(count):
    stamp = time.monotonic_ns()
    return [("POST", "/wp-json/wp/v2/tags", {"name": f"tag {stamp} {number}"}) for number in range(count)]


def question(case):
    """The number is told to an edge that asks with a mark, and to nobody else."""
    asked, now = get(QUESTION), int(time.time())
    plain = get("/?rest_route=/calendar-edge/v1/changes&t=1")
    for request in (asked, plain):
        answer = send(case.site.host, request.with_headers(mark(SECRET, request)))
        told = json.loads(answer.body) if answer.status == 200 else {}
        case.check(told == {"changes": case.number()}, f"{request.target}: {answer}")
        case.check(answer.headers.get(CHANGES) == [str(told.get("changes"))], f"the question's header: {answer}")
        case.check("no-store" in answer.headers.get("cache-control", [""])[0], f"the question is not stored: {answer}")
    refused = {
        "no mark": (asked, [], 404),
        "another secret": (asked, [mark(SECRET + "x", asked)], 403),
        "an old mark": (asked, [mark(SECRET, asked, at=now - 75)], 403),
        "another query": (get(QUESTION + "2"), [mark(SECRET, asked)], 403),
        "another method": (Request("POST", QUESTION), [mark(SECRET, asked)], 403),
        "another route": (get("/wp-json/wp/v2/types"), [mark(SECRET, asked)], 200),
    }
    for name, (request, headers, status) in refused.items():
        answer = send(case.site.host, request.with_headers(*headers))
        case.check(answer.status == status, f"the question with {name}: {answer}")
        case.check(status == 200 or CHANGES not in answer.headers or not headers, f"the question with {name} is answered: {answer}")


def troubles(case, ids):
    """Edges that are away, fail or hang hear everything with the next change, and nobody waits for them long."""
    near, far = case.edges
    event, venue = ids["event"], ids["venue"]
    for edge in case.edges:
        edge.take()
    far.close()
    missed = case.number() + 1
    case.tells("an edit while an edge is away", lambda: case.admin.edit(event, post_title="Away"), f"event:{event}")
    case.check(case.php(f"echo get_post_status( {event} );") == "publish", "the event that is edited is no longer public")
    health = case.admin.get("/wp-admin/site-health.php").body.decode()
    case.check("calendar-edge does not hear of changes" in health, "Site Health does not say that an edge is away")
    far.open()
    case.tells("the next edit", lambda: case.admin.edit(venue, VenueCity="Back"), f"venue:{venue}")
    taken, _ = far.wait(time.monotonic(), lambda message: message.removes(f"event:{event}", f"venue:{venue}"))
    case.check(any(missed in message.changes for message in taken), f"an edge that comes back hears what it missed: {taken}")
    far.mood = "failing"
    case.php(f"update_post_meta( {event}, '_EventStartDate', 'failing' );")
    far.mood = "well"
    case.php(f"update_post_meta( {venue}, '_VenueCity', 'well' );")
    taken, _ = far.wait(time.monotonic(), lambda message: message.removes(f"event:{event}", f"venue:{venue}"))
    case.check(any(len(message.changes) == 2 for message in taken), f"an edge that failed hears what it missed: {taken}")
    hanging(case, ids)


def hanging(case, ids):
    near, far = case.edges
    far.mood = "hanging"
    waits = []
    for number in range(3):
        shown = case.admin.form(f"/wp-admin/post.php?post={ids['event']}&action=edit", "post")
        begun = time.monotonic()
        case.admin.post("/wp-admin/post.php", {**shown, "post_status": "publish", "save": "Update", "post_title": f"H{number}"})
        waits.append(time.monotonic() - begun)
    print(f"{case.server}: saving takes {', '.join(f'{wait:.2f}' for wait in waits)} s while an edge hangs")
    case.check(waits[0] < 2.0 and max(waits[1:]) < 1.0, f"an editor waits for an edge that hangs: {waits}")
    far.mood = "well"
    # Where clients wait for messages, an edge that hung is left alone for ten seconds.
    time.sleep(11)
    case.php(f"update_post_meta( {ids['venue']}, '_VenueCity', 'answering' );")
    taken, _ = far.wait(time.monotonic(), lambda message: message.removes(f"event:{ids['event']}", f"venue:{ids['venue']}"), 6)
    heard = {number for message in taken for number in message.changes}
    case.check(len(heard) == 4, f"an edge that hung hears what it missed: {taken}")
    far.take()
    beyond(case, ids, near, far)


def beyond(case, ids, near, far):
    """What is kept for an edge is bounded: beyond the bound it hears that everything changed."""
    far.close()
    many = "for ( $i = 1; $i < 400; $i++ ) { do_action( 'calendar_edge_changed', array( 'event:' . ( @ + $i ) ) ); }"
    case.php(many.replace("@", "1000"))
    case.php(many.replace("@", "2000"))
    kept = int(case.php("echo strlen( (string) get_option( 'calendar_edge_unsent' ) );"))
    case.check(0 < kept < 20000, f"what is kept is bounded: {kept} bytes")
    far.open()
    case.php(f"update_post_meta( {ids['venue']}, '_VenueCity', 'end' );")
    taken, _ = far.wait(time.monotonic(), lambda message: message.all)
    case.check(any(message.all for message in taken), f"beyond the bound everything is told: {taken}")
    case.check(case.php("echo get_option( 'calendar_edge_unsent', 'none' );") == "none", "nothing is kept for edges that heard")
