"""The calendar pages that an edge answers itself: none of them has an event, in both modes of time zones."""

import json
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from attacks import get
from calendar_judge import SIGN, STATE, addresses, events
from checks import SECRET
from edge_under_test import Edge, built
from facts import PHP_KEEPS_FILES
from site_under_test import CALENDAR, HERE, fpm_program, program
from wire import send

# Events of these days, with the hours that Berlin and Lord Howe leave out or have twice, and the first and the last second.
SOME = ("2027-09-15", "2028-06-01")
PAGES = '[calendar_pages]\nmode = "enforce"\n'
FAR = "/events/month/2127-04/"


def all_of(site, server, tally):
    """Every day and month from ten weeks before the first to ten weeks after the last of some events."""
    walk(site, server, tally, SOME, 70, 5)


def whole(site, server, tally):
    """The same from a year before to a year after all events of the seed, in an hour and more."""
    walk(site, server, tally, (), 365, 22)


def walk(site, server, tally, span, margin, lists):
    if CALENDAR is None or built() is None:
        print("SKIPPED: CALENDAR_EDGE_CALENDAR names no folder of The Events Calendar, or the edge is not built")
        return
    # Servers make the same pages, and this one makes one after the other.
    if server == "built-in server" and program("nginx") and fpm_program():
        return
    begun = time.monotonic()
    secret = site.scratch / "secret"
    secret.write_text(SECRET)
    site.guard(secret)
    site.use_calendar()
    try:
        site.must_use("calendar-judge.php", SIGN.removeprefix("<?php"))
        seed = ["php", str(HERE / "calendar_seed.php"), str(site.root), site.host, *span]
        subprocess.run(seed, check=True, stdout=subprocess.DEVNULL, timeout=300)
        site.php("update_option( 'timezone_string', 'Europe/Berlin' );")
        time.sleep(PHP_KEEPS_FILES)
        wanted = list(dict.fromkeys(addresses(json.loads(site.php(STATE)), False, margin, lists)))
        wanted += [f"{page}?ical=1" for page in wanted if re.fullmatch(r"/events/[0-9-]{10}/", page)]
        with Edge(site, SECRET, 30, PAGES, 'other = "forward"') as edge:
            for zone in ("event", "site"):
                site.php(f"tribe_update_option( 'tribe_events_timezone_mode', '{zone}' );")
                judged(site, edge, f"{server}, zone mode {zone}", tally, wanted)
            tally.check(edge.metrics("edge_calendar_pages_failed") == {(): 0.0}, f"{server}: the edge found a fault itself")
    finally:
        site.must_use("calendar-judge.php", None)
        site.php("delete_option( 'timezone_string' );")
        site.drop_calendar()
    print(f"{server}: {len(wanted)} calendar pages in both zone modes, {time.monotonic() - begun:.0f} s", flush=True)


def judged(site, edge, name, tally, wanted):
    """Asks the edge for each page, and the site for each that the edge answered."""
    until_closed(edge, name, tally)
    # WordPress prints what it is asked for; the edge's checks ask at an address of their own.
    for _ in range(12):
        edge.get(f"{FAR}?fbclid=type-tribe_events")

    def ask(address):
        answer = edge.get(address)
        is_own = "x-calendar-judge" not in answer.headers
        return is_own, send(site.host, get(address)) if is_own else answer

    seen = {"own": 0, "own files": 0, "with events": 0}
    with ThreadPoolExecutor(4) as pool:
        for address, (is_own, of_site) in zip(wanted, pool.map(ask, wanted)):
            has_events = bool(events(of_site, address)) or b"BEGIN:VEVENT" in of_site.body
            tally.check(of_site.status in (200, 404), f"{name}: {address}: the site says {of_site.status}")
            tally.check(not (is_own and has_events), f"{name}: {address} has events, and the edge answered it itself")
            seen["own files" if "ical" in address else "own"] += is_own
            seen["with events"] += has_events
    # Ten weeks have 140 days at both ends, of which hours and today's neighbours are forwarded.
    tally.check(seen["own"] > 120 and seen["own files"] > 200 and seen["with events"] > 60, f"{name}: too little was seen: {seen}")
    tally.check(edge.get(FAR).status == 404, f"{name}: the edge still answers pages at the end")


def until_closed(edge, name, tally):
    """Waits until the edge knows the facts after the last change."""
    end = time.monotonic() + 30
    while time.monotonic() < end and "x-calendar-judge" in edge.get(FAR).headers:
        time.sleep(0.3)
    tally.check("x-calendar-judge" not in edge.get(FAR).headers, f"{name}: the edge answers no pages: {edge.metrics('edge_calendar_pages_total')}")
