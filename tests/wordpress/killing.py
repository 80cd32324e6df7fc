"""Runs of PHP that are killed while they change something: edges find out, and a real one shows nothing that is hidden."""

import json
import threading
import time

from admin import Admin
from attacks import get
from checks import SECRET, log_in
from edge_under_test import Edge, built
from listening import Listening
from wire import mark, send

CHANGES, BEGUN = "x-calendar-edge-changes", "x-calendar-edge-begun"
QUESTION = "/wp-json/calendar-edge/v1/changes?t=1"
RECONCILE = 4


def all_of(site, server, tally):
    """Every check of killed runs, against one web server."""
    secret = site.scratch / "secret"
    secret.write_text(SECRET)
    site.guard(secret)
    edge = Listening(SECRET)
    site.report_to([edge.url])
    try:
        site.php("activate_plugin( 'calendar-kinds.php' );")
        begun_and_finished(site, server, tally, edge)
        places(site, server, tally, edge)
        counted_at_last(site, server, tally)
        hidden_by_a_real_edge(site, server, tally)
    finally:
        edge.close()
        forget(site)
        # In another zone the events of the checks that follow would be published in the future.
        site.php("update_option( 'gmt_offset', '0' );")
        site.php("deactivate_plugins( 'calendar-kinds.php' );")
        site.report_to([])
    errors = site.errors("calendar-edge.php")
    tally.check(not errors, f"{server}: PHP complains about the plugin: {errors[:3]}")


def shown(site):
    """The number of changes, and the age of the oldest one that is not finished or None."""
    asked = get(QUESTION)
    headers = send(site.host, asked.with_headers(mark(SECRET, asked))).headers
    age = headers.get(BEGUN)
    return int(headers[CHANGES][0]), None if age is None else int(age[0])


def new_event(site, title="Secret"):
    code = f"echo wp_insert_post( array( 'post_type' => 'tribe_events', 'post_status' => 'publish', 'post_title' => '{title}' ) );"
    return int(site.php(code))


def private(event):
    return f"wp_update_post( array( 'ID' => {event}, 'post_status' => 'private' ) );"


def status_of(site, event):
    return site.php(f"global $wpdb; echo $wpdb->get_var( 'SELECT post_status FROM ' . $wpdb->posts . ' WHERE ID = {event}' );")


def rows(site):
    return int(site.php("global $wpdb; echo $wpdb->get_var( \"SELECT COUNT(*) FROM $wpdb->options WHERE option_name LIKE 'calendar\\_edge\\_begun\\_%'\" );"))


def begun_and_finished(site, server, tally, edge):
    """A change is shown from its beginning to its end, and no longer."""
    event = new_event(site)
    tally.check(shown(site)[1] is None, f"{server}: a finished change is still shown")
    kinds = {
        "meta": f"update_post_meta( {event}, '_EventStartDate', (string) time() ); sleep( 2 );",
        "terms": f"wp_set_object_terms( {event}, array( 'killed' ), 'post_tag' ); sleep( 2 );",
        "an edit": f"{private(event)} sleep( 2 );",
        "an option": "update_option( 'gmt_offset', (string) ( ( (int) get_option( 'gmt_offset' ) + 1 ) % 9 ) ); sleep( 2 );",
    }
    for name, code in kinds.items():
        number = shown(site)[0]
        run = threading.Thread(target=site.php, args=(code,))
        run.start()
        seen = []
        while run.is_alive():
            seen.append(shown(site))
            time.sleep(0.1)
        run.join()
        young = [age for at, age in seen if at == number and age is not None]
        tally.check(young and young[0] <= 1, f"{server}: {name} is not shown from its beginning: {number} {seen}")
        tally.check(shown(site) == (number + 1, None), f"{server}: {name} is not finished: {shown(site)}")
    draft = "wp_insert_post( array( 'post_type' => 'tribe_events', 'post_title' => 'Draft' ) );"
    site.php(draft)
    tally.check(shown(site)[1] is None and rows(site) == 0, f"{server}: rows are left of runs that came to their end")
    edge.take()


def places(site, server, tally, edge):
    """Wherever a run is killed behind the first thing that it stores, the change is shown as begun."""
    for place in ("stored", "saved", "at-the-end"):
        event = new_event(site)
        forget(site)
        edge.take()
        (site.scratch / f"reached.log.{place}").write_text("")
        killed = site.killed_php(private(event))
        tally.check(killed and status_of(site, event) == "private", f"{server}: {place}: the run is killed behind what it stores")
        tally.check(not edge.take(), f"{server}: {place}: the run was killed before it told anybody")
        tally.check(shown(site)[1] is not None, f"{server}: {place}: nothing shows that a change was begun: {shown(site)}")
    forget(site)
    if "fpm" in server:
        event = new_event(site)
        (site.scratch / "reached.log.stored").write_text("")
        editor = Admin(site, *log_in(site))
        fields = editor.form(f"/wp-admin/post.php?post={event}&action=edit", "post")
        fields |= {"visibility": "private", "post_status": "publish", "save": "Update"}
        try:
            editor.post("/wp-admin/post.php", fields)
        except RuntimeError:
            pass
        tally.check(status_of(site, event) == "private", f"{server}: the editor's run is killed behind what it stores")
        tally.check(shown(site)[1] is not None, f"{server}: the editor's change is not shown as begun")
    deleted = new_event(site)
    forget(site)
    killer = "add_action( 'deleted_post', function () { posix_kill( getmypid(), 9 ); }, -PHP_INT_MAX );"
    tally.check(site.killed_php(f"{killer} wp_delete_post( {deleted}, true );"), f"{server}: a deletion is killed")
    tally.check(shown(site)[1] is not None, f"{server}: a killed deletion is not shown as begun")


def forget(site):
    """Takes away what killed runs have left."""
    site.php("global $wpdb; $wpdb->query( \"DELETE FROM $wpdb->options WHERE option_name LIKE 'calendar\\_edge\\_begun\\_%'\" );")


def counted_at_last(site, server, tally):
    """What nobody finishes gets a number after a minute, so that edges of older versions notice as well."""
    forget(site)
    event = new_event(site)
    (site.scratch / "reached.log.stored").write_text("")
    site.killed_php(private(event))
    number, age = shown(site)
    tally.check(age is not None, f"{server}: the change is begun")
    site.php("global $wpdb; $wpdb->query( \"UPDATE $wpdb->options SET option_value = option_value - 60 WHERE option_name LIKE 'calendar\\_edge\\_begun\\_%'\" );")
    tally.check(shown(site) == (number + 1, None), f"{server}: an old beginning counts as a change: {number}, {shown(site)}")
    tally.check(shown(site) == (number + 1, None) and rows(site) == 0, f"{server}: it counts once")


def hidden_by_a_real_edge(site, server, tally):
    """The edge itself no longer shows an event whose run was killed when it had become private."""
    if built() is None:
        print(f"SKIPPED: {server}: the edge is not built")
        return
    event = new_event(site, "Known to all")
    forget(site)
    with Edge(site, SECRET, RECONCILE) as edge:
        target = f"/wp-json/tribe/events/v1/events/{event}"
        begun = time.monotonic()
        while "hit" not in (kept := edge.get(target)).headers.get("cache-status", [""])[0]:
            if time.monotonic() - begun > 20:
                tally.check(False, f"{server}: the edge keeps no answer: {kept}")
                return
            time.sleep(0.1)
        title = json.loads(kept.body)["title"]
        (site.scratch / "reached.log.stored").write_text("")
        site.killed_php(private(event))
        killed = time.monotonic()
        while (answer := edge.get(target)).status == 200 and time.monotonic() - killed < 3 * RECONCILE:
            time.sleep(0.05)
        took = time.monotonic() - killed
        print(f"{server}: '{title}' is answered {answer.status} {took:.1f} s after the killed run hid it (reconcile {RECONCILE} s)")
        tally.check(answer.status == 404 and took < RECONCILE + 1, f"{server}: a killed run leaves a private event public: {answer}")
