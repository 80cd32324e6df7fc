"""What is rendered from elsewhere, what a page may cost, and who sees the count of changes."""

import json
import time

from attacks import get, upload
from checks import SECRET, log_in
from listening import Listening
from telling import CHANGES, Case
from wire import Request, mark, send

JSON = ("Content-Type", "application/json")
RESOLVER = r"""
namespace CalendarEdge;
// Stands before PHP's own function wherever the plugin asks for an address, and answers as slowly as a resolver that hangs.
function gethostbyname( $name ) {
	file_put_contents( CALENDAR_PROBE_LOG . '.asked', "$name\n", FILE_APPEND );
	sleep( 2 );
	return '127.0.0.1';
}
"""

ADDRESSES = r"""
namespace CalendarEdge;
// The addresses of every name are those in a file; without the file no name has one.
function gethostbynamel( $name ) {
	file_put_contents( CALENDAR_PROBE_LOG . '.asked', "$name\n", FILE_APPEND );
	return @file( CALENDAR_PROBE_LOG . '.addresses', FILE_IGNORE_NEW_LINES );
}
"""


def all_of(site, server, tally):
    """Every check of these, against one web server."""
    secret = site.scratch / "secret"
    secret.write_text(SECRET)
    site.guard(secret)
    edge = Listening(SECRET)
    site.report_to([edge.url])
    case = Case(site, server, tally, [edge])
    try:
        case.php("activate_plugin( 'calendar-kinds.php' );")
        blocks(case)
        images(case)
        options(case)
        hidden_count(case)
        resolver_that_hangs(case, edge)
        every_address(case, edge)
    finally:
        edge.close()
        site.must_use("a-resolver.php", None)
        site.php("deactivate_plugins( 'calendar-kinds.php' );")
        site.report_to([])
    empty_secret(case)
    errors = site.errors("calendar-edge.php")
    tally.check(not errors, f"{server}: PHP complains about the plugin: {errors[:3]}")


def blocks(case):
    """A reusable block is part of whatever shows it."""
    admin = case.admin
    made = admin.rest("POST", "/wp-json/wp/v2/blocks", {"title": "Doors", "content": "at 7", "status": "publish"})
    block = json.loads(made.body)["id"]
    time.sleep(0.3)
    edited = lambda: admin.rest("POST", f"/wp-json/wp/v2/blocks/{block}", {"content": "at 8"})
    case.tells("an edited reusable block", edited)
    case.tells("meta of a reusable block", lambda: case.php(f"update_post_meta( {block}, 'wp_pattern_sync_status', 'unsynced' );"))
    case.silent("an autosaved block", lambda: admin.rest("POST", f"/wp-json/wp/v2/blocks/{block}/autosaves", {"content": "at 9"}))
    case.tells("a reusable block in the trash", lambda: case.php(f"wp_trash_post( {block} );"))
    case.silent("an edited block in the trash", lambda: case.php(f"wp_update_post( array( 'ID' => {block}, 'post_title' => 'x' ) );"))
    draft = "'post_type' => 'wp_block', 'post_status' => 'draft', 'post_title' => 'Later'"
    made = int(case.silent("a drafted block", lambda: case.php(f"echo wp_insert_post( array( {draft} ) );")))
    case.tells("a published block", lambda: case.php(f"wp_publish_post( {made} );"))


def images(case):
    """Galleries show captions and texts of images; a new file is nowhere yet, but in the gallery of its own post."""
    admin = case.admin
    event = int(case.php("echo wp_insert_post( array( 'post_type' => 'tribe_events', 'post_status' => 'publish', 'post_title' => 'Gallery' ) );"))
    time.sleep(0.3)
    edge = case.edges[0]
    edge.take()
    image = json.loads(send(case.site.host, upload([admin.cookie, admin.nonce])).body)["id"]
    taken, _ = edge.wait(time.monotonic(), lambda message: message.removes(f"image:{image}"))
    case.check(taken and not any(message.all for message in taken), f"an upload tells about its image alone: {taken}")
    case.tells("a caption", lambda: admin.rest("POST", f"/wp-json/wp/v2/media/{image}", {"caption": "A hall"}))
    case.tells("an alternative text", lambda: admin.rest("POST", f"/wp-json/wp/v2/media/{image}", {"alt_text": "A hall"}))
    sizes = f"wp_update_attachment_metadata( {image}, array( 'width' => 9, 'height' => 9, 'file' => 'x.gif' ) );"
    case.tells("an image's sizes", lambda: case.php(sizes))
    case.tells("other meta of an image", lambda: case.php(f"update_post_meta( {image}, 'optimized', 'yes' );"), f"image:{image}")
    own = f"'post_parent' => {event}, 'post_mime_type' => 'image/gif', 'post_title' => 'New'"
    made = f"wp_insert_attachment( array( {own} ), 'new.gif' );"
    case.tells("a file for a gallery", lambda: case.php(made), f"event:{event}", "events")
    case.tells("a deleted image", lambda: case.php(f"wp_delete_attachment( {image}, true );"))


def options(case):
    """Settings that rendered content depends on."""
    for name, value in {"use_smilies": "0", "large_size_w": "900", "thumbnail_crop": "0"}.items():
        before = case.php(f"echo get_option( '{name}' );")
        case.tells(f"the option {name}", lambda: case.php(f"update_option( '{name}', '{value}' );"))
        case.php(f"update_option( '{name}', '{before}' );")
    time.sleep(0.3)


def hidden_count(case):
    """The count is shown in answers to marked requests, and in no body."""
    host, read = case.site.host, get("/wp-json/tribe/events/v1/events")
    shown = send(host, read.with_headers(mark(SECRET, read))).headers.get(CHANGES, [])
    case.check(len(shown) == 1 and shown[0].isdigit(), f"a marked request sees the count: {shown}")
    forged = mark(SECRET + "x", read)
    quiet = {
        "no mark": read,
        "a forged mark": read.with_headers(forged),
        "another namespace": get("/wp-json/wp/v2/types"),
        "the root index": get("/wp-json/"),
        "another namespace with a forged mark": get("/wp-json/wp/v2/types").with_headers(mark(SECRET + "x", get("/wp-json/wp/v2/types"))),
        "an envelope": get("/wp-json/wp/v2/types?_envelope=1"),
    }
    for name, request in quiet.items():
        answer = send(host, request)
        found = CHANGES in answer.headers or b"X-Calendar-Edge" in answer.body
        case.check(not found, f"the count is shown with {name}: {answer}")
    enveloped = get("/wp-json/tribe/events/v1/events?_envelope=1")
    answer = send(host, enveloped.with_headers(mark(SECRET, enveloped)))
    case.check(answer.status == 200 and CHANGES in answer.headers, f"an envelope for the edge has the count: {answer}")
    case.check(b"X-Calendar-Edge" not in answer.body, f"an envelope holds the count: {answer.body[-300:]}")
    batch = {"requests": [{"path": "/wp/v2/posts", "method": "POST", "body": {"title": "b"}}]}
    answer = send(host, Request("POST", "/wp-json/batch/v1", [JSON, case.admin.cookie, case.admin.nonce], json.dumps(batch).encode()))
    case.check(answer.status == 207 and b"X-Calendar-Edge" not in answer.body, f"a batch holds the count: {answer.body[-300:]}")


def resolver_that_hangs(case, edge):
    """Pages, reads and the command line ask no resolver; only a message does, once."""
    asked = case.site.scratch / "reached.log.asked"
    case.site.report_to([edge.url.replace("127.0.0.1", "localhost")])
    case.site.must_use("a-resolver.php", RESOLVER)
    asked.unlink(missing_ok=True)
    begun = time.monotonic()
    for target in ("/", "/wp-json/", "/wp-json/tribe/events/v1/events", "/wp-login.php"):
        send(case.site.host, get(target))
    case.php("echo 1;")
    took = time.monotonic() - begun
    count = len(asked.read_text().split()) if asked.exists() else 0
    print(f"{case.server}: four pages and a program ask for {count} addresses and take {took:.2f} s while the resolver hangs")
    case.check(count == 0 and took < 4, f"pages ask for {count} addresses, in {took:.2f} s")
    asked.unlink(missing_ok=True)
    edge.take()
    case.php("do_action( 'calendar_edge_changed', array( 'event:5' ) );")
    taken, _ = edge.wait(time.monotonic(), lambda message: message.removes("event:5"))
    case.check(any(message.removes("event:5") for message in taken), f"a message finds an edge by its name: {taken}")
    case.check(asked.exists() and asked.read_text().split() == ["localhost"], "a message asks for the address once")
    case.site.must_use("a-resolver.php", None)


def every_address(case, near):
    """One URL stands for an edge at each address of a name; what one of them misses is kept for that one."""
    addresses = case.site.scratch / "reached.log.addresses"
    asked = case.site.scratch / "reached.log.asked"
    far = Listening(SECRET, "127.0.0.2", near.port)
    case.site.must_use("a-resolver.php", ADDRESSES)
    case.site.report_to(["all:" + near.url.replace("127.0.0.1", "edges.test")])
    addresses.write_text("127.0.0.1\n127.0.0.2\n")
    asked.unlink(missing_ok=True)
    change = lambda number: case.php(f"do_action( 'calendar_edge_changed', array( 'event:{number}' ) );")
    kept = lambda: json.loads(case.php("echo get_option( 'calendar_edge_unsent', '{}' );"))
    told = lambda edge, number: edge.wait(time.monotonic(), lambda message: message.removes(f"event:{number}"))[0]
    near.take()
    try:
        send(case.site.host, get("/"))
        case.check(not asked.exists(), "a page asks for the addresses of a name")
        change(1)
        for edge in (near, far):
            case.check(any(message.tags == {"event:1"} for message in told(edge, 1)), f"{edge.address} is not told")
        case.check(asked.read_text().split() == ["edges.test"], f"a message asks for addresses more than once: {asked.read_text()}")
        far.close()
        change(2)
        case.check([url.split()[1:] for url in kept()] == [["127.0.0.2"]], f"kept for the wrong edge: {kept()}")
        health = case.admin.get("/wp-admin/site-health.php").body.decode()
        case.check("calendar-edge does not hear of changes" in health, "Site Health does not say that one of several edges is away")
        # A name without addresses must lose nothing that was kept for one of them.
        addresses.unlink()
        change(3)
        far.open()
        near.take()
        addresses.write_text("127.0.0.1\n127.0.0.2\n")
        change(4)
        heard = told(far, 4)
        case.check(any(message.removes("event:2", "event:3", "event:4") for message in heard), f"an edge that was away misses: {heard}")
        heard = told(near, 4)
        case.check(any(message.tags == {"event:3", "event:4"} for message in heard), f"an edge that was there hears: {heard}")
        case.check(kept() == {}, f"kept for edges that heard: {kept()}")
        far.close()
        change(5)
        addresses.write_text("127.0.0.1\n")
        change(6)
        case.check(told(near, 6) and kept() == {}, f"kept for an address that is gone: {kept()}")
    finally:
        far.server.server_close()
        addresses.unlink(missing_ok=True)
        case.site.must_use("a-resolver.php", None)


def empty_secret(case):
    """An empty variable is a secret that cannot be used, as an empty constant is: the calendar is closed."""
    case.site.guard(None)
    read = get("/wp-json/tribe/events/v1/events")
    answer = send(case.site.host, read)
    case.check(answer.status == 200, f"without a secret the calendar is open: {answer}")
    for name in ("CALENDAR_EDGE_SECRET", "CALENDAR_EDGE_SECRET_FILE"):
        ways = {"variable": f"putenv( '{name}=' );", "constant": f"define( '{name}', '' );"}
        for way, code in ways.items():
            case.site.must_use("a-secret.php", code)
            answer = send(case.site.host, read)
            case.check((answer.status, answer.code()) == (403, "calendar_edge_secret_unusable"), f"an empty {way} {name}: {answer}")
    # The environment of a process outlives a request in some servers.
    case.site.must_use("a-secret.php", "putenv( 'CALENDAR_EDGE_SECRET' ); putenv( 'CALENDAR_EDGE_SECRET_FILE' );")
    case.check(send(case.site.host, read).status == 200, "without both the calendar is open again")
    case.site.must_use("a-secret.php", None)
