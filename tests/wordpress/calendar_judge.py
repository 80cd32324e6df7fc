#!/usr/bin/env python3
"""Asks a real site for all of its calendar pages, and judges by them what others say about these pages.

    calendar_judge.py site  FOLDER HOST [options] > pages.tsv    walks the site: one line a page
    calendar_judge.py facts FOLDER HOST pages.tsv SECRET_FILE    the companion's facts must allow every event on every page
    calendar_judge.py edge  FOLDER HOST pages.tsv EDGE           a page that the edge answered itself must have no event

FOLDER is that of WordPress, HOST and EDGE are as in 127.0.0.1:8092. A line of pages.tsv has the address, the status, the
number of events, and their ids. The walk goes from a year before the first row to a year after the last: every day, every
month alone and with each category, tag and `featured`, pages of lists, and lists from a date. Options of the walk, which it
sets at the site first: --zone event|site, --cutoff 00:00, --week 0..6; and --near, which asks a tenth of the days that are
more than two days away from the edges of events, and a twelfth of such months of categories and tags; --every 3 asks a
third of all.

To know who answered, the walk gives the site a must-use plugin that says so in a header.
"""

import json
import re
import secrets
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

sys.dont_write_bytecode = True

from wire import Request, mark, send

SIGN = "<?php header( 'X-Calendar-Judge: the site' );\n"
ARTICLE = re.compile(rb'<article[^>]*class="[^"]*\bpost-(\d+)\b[^"]*\btype-tribe_events\b')
WITNESS = re.compile(rb'href="[^"?#]*/event/[^"/?#]+/|tribe-events-calendar-[a-z-]+__(?:[a-z]+-)?event\b')
TOLD = re.compile(rb'"@type":"Event".*?"startDate":"([^"]+)","endDate":"([^"]+)"')
STATE = r"""
global $wpdb;
$named = static function ( $taxonomy ) { return get_terms( array( 'taxonomy' => $taxonomy, 'hide_empty' => false, 'fields' => 'id=>slug' ) ); };
$all   = $wpdb->get_results( "SELECT start_date, end_date, start_date_utc, end_date_utc FROM {$wpdb->prefix}tec_occurrences", ARRAY_N );
echo wp_json_encode( array( 'rows' => $all, 'categories' => $named( 'tribe_events_cat' ), 'tags' => $named( 'post_tag' ),
	'cutoff' => tribe_get_option( 'multiDayCutoff', '00:00' ), 'week' => (int) get_option( 'start_of_week' ) ) );
"""
MARGIN = timedelta(hours=3)
# The zone of the site that is walked.
HERE = ZoneInfo("Europe/Berlin")


def php(folder, host, code):
    """What a program at the site prints."""
    program = f"$_SERVER['HTTP_HOST'] = '{host}'; require '{folder}/wp-load.php'; wp_set_current_user( 1 ); {code}"
    return subprocess.run(["php", "-r", program], capture_output=True, text=True, check=True, timeout=120).stdout


def options(arguments):
    found = {"--zone": "event", "--cutoff": "00:00", "--week": "1", "--every": "1"}
    for name, value in zip(arguments, arguments[1:]):
        if name in found:
            found[name] = value
    return found


def settle(folder, host, chosen):
    """Sets the options at the site. They are written twice, because an option of the same value is no change."""
    zone, cutoff, week = chosen["--zone"], chosen["--cutoff"], int(chosen["--week"])
    code = f"tribe_update_option( 'tribe_events_timezone_mode', '{zone}' ); tribe_update_option( 'multiDayCutoff', '{cutoff}' );"
    php(folder, host, f"{code} update_option( 'start_of_week', {week} );")
    sign = Path(folder) / "wp-content" / "mu-plugins" / "calendar-judge.php"
    sign.write_text(SIGN)


def months(first, last):
    year, month = first.year, first.month
    while (year, month) <= (last.year, last.month):
        yield f"{year:04}-{month:02}"
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)


def addresses(state, near, margin=365, lists=22):
    """Every page that is asked for: some days around the rows, and the first pages of lists."""
    times = [datetime.fromisoformat(text).date() for row in state["rows"] for text in row]
    first, last = min(times) - timedelta(days=margin), max(times) + timedelta(days=margin)
    close = {edge + timedelta(days=n) for edge in times for n in range(-2, 3)}
    close_months = {f"{edge + timedelta(days=n):%Y-%m}" for edge in times for n in (-31, 0, 31)}
    below = ["", "featured/"] + [f"category/{slug}/" for slug in state["categories"].values()] + [f"tag/{slug}/" for slug in state["tags"].values()]
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        if not near or day in close or number % 10 == 0:
            yield f"/events/{day}/"
    for base in below:
        for month in months(first, last):
            if base and near and month not in close_months and not month.endswith("-01"):
                continue
            # These are all forms: category/x/month/2027-04 is none.
            yield f"/events/month/{month}/" if base == "" else f"/events/{month}/featured/" if base == "featured/" else f"/events/{base}{month}/"
        for day in sorted(close)[below.index(base) % 8 :: 8] if base else ():
            yield f"/events/{day}/featured/" if base == "featured/" else f"/events/{base}{day}/"
        for page in range(1, lists + 1):
            yield f"/events/{base}page/{page}/" if base != "featured/" else f"/events/featured/page/{page}/"
            yield f"/events/{base}list/page/{page}/" if base != "featured/" else f"/events/list/featured/page/{page}/"
        for month in months(first, last):
            if base == "" or month.endswith(("-01", "-06")):
                yield f"/events/{base}list/?tribe-bar-date={month}-01" if base != "featured/" else f"/events/list/featured/?tribe-bar-date={month}-01"
    for page in range(1, lists + 1):
        yield f"/events/list/page/{page}/?eventDisplay=past"
    yield from ("/events/", "/events/list/", "/events/month/", "/events/today/", "/event/", "/events/list/?eventDisplay=past&tribe-bar-date=2127-01-01")


def ask(host, address):
    return send(host, Request("GET", address))


def events(answer, address=""):
    """The ids of the events on a page. Where articles name none, other signs of an event must be missing too."""
    ids = sorted({int(found) for found in ARTICLE.findall(answer.body)})
    return ids if ids or not (WITNESS.search(answer.body) or is_told(answer.body, address)) else [0]


def is_told(body, address):
    """Whether structured data tell of an event of the page. The plugin's cache gives a day without events those of the list
    from this day (seen with 6.10.0), so that those of other days do not count."""
    page = re.search(r"/([0-9]{4}-[0-9]{2}(?:-[0-9]{2})?)/(?:featured/)?$", address)
    for times in TOLD.findall(body):
        times = [datetime.fromisoformat(time.decode()) for time in times]
        spans = [[time.astimezone(zone).isoformat()[: len(page[1])] for time in times] for zone in (times[0].tzinfo, HERE)] if page else []
        if not page or any(first <= page[1] <= last for first, last in spans):
            return True
    return False


def walk(folder, host, arguments):
    settle(folder, host, options(arguments))
    state = json.loads(php(folder, host, STATE))
    wanted = list(dict.fromkeys(addresses(state, "--near" in arguments)))[:: int(options(arguments)["--every"])]
    with ThreadPoolExecutor(3) as pool:
        for number, (address, answer) in enumerate(zip(wanted, pool.map(lambda address: ask(host, address), wanted))):
            ids = events(answer)
            if answer.status not in (200, 404) or "x-calendar-judge" not in answer.headers:
                sys.exit(f"{address}: {answer.status} {answer.headers}")
            print(f"{address}\t{answer.status}\t{len(ids)}\t{','.join(map(str, ids))}")
            if number % 1000 == 0:
                print(f"{number} of {len(wanted)} pages", file=sys.stderr, flush=True)
    return 0


def read(path):
    for line in Path(path).read_text().splitlines():
        address, status, count, ids = line.split("\t")
        yield address, int(status), int(count), [int(one) for one in ids.split(",") if one]


def facts_of(host, secret):
    """Every event that the companion tells of, by id, and the facts about the site."""
    known, after, site = {}, 0, None
    while after is not None:
        request = Request("GET", f"/wp-json/calendar-edge/v1/facts?after={after}&site=1&nonce={secrets.token_hex(16)}")
        reply = json.loads(send(host, request.with_headers(mark(secret, request))).body)
        known.update({event["id"]: event for event in reply["events"]})
        after, site = reply["next"], reply["site"]
    return known, site


def bounds(address, state):
    """From when to when a page can show events, as text of a wall clock; None when it has no date."""
    cutoff = timedelta(hours=int(state["cutoff"][:2]), minutes=int(state["cutoff"][3:5]))
    if found := re.search(r"/(\d{4}-\d\d-\d\d)/", address):
        first = last = date.fromisoformat(found[1])
    elif found := re.search(r"/(\d{4}-\d\d)/", address):
        first = date.fromisoformat(found[1] + "-01")
        last = (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
        first -= timedelta(days=(first.isoweekday() - state["week"]) % 7)
        last += timedelta(days=6 - (last.isoweekday() - state["week"]) % 7 + 1)
    elif found := re.search(r"tribe-bar-date=(\d{4}-\d\d-\d\d)\Z", address):
        return (datetime.fromisoformat(found[1]) - MARGIN).isoformat(" "), "9999"
    else:
        return None
    begin = datetime(first.year, first.month, first.day) + cutoff - MARGIN
    end = datetime(last.year, last.month, last.day) + cutoff + timedelta(days=1) + MARGIN
    return begin.isoformat(" "), end.isoformat(" ")


def may_have(address, state, known, site):
    """The events that a page may have by the facts."""
    span, kind = bounds(address, state), re.search(r"/(category|tag)/([^/]+)/", address)
    wanted = {term["id"] for term in site["terms"] if kind and term["slug"] == kind[2] and (kind[1] == "tag") == (term["taxonomy"] == "post_tag")}
    while more := {term["id"] for term in site["terms"] if term["parent"] in wanted} - wanted:
        wanted |= more
    return {
        id
        for id, event in known.items()
        if (span is None or any(start <= span[1] and end >= span[0] for start, end in event["times"]))
        and (not kind or wanted & set(event["terms"]))
        and ("/featured/" not in address or event["featured"])
    }


def judge_facts(folder, host, path, secret_file):
    state = json.loads(php(folder, host, STATE))
    known, site = facts_of(host, Path(secret_file).read_text().strip())
    faults = pages = exact = empty = 0
    for address, _status, count, ids in read(path):
        may = may_have(address, state, known, site)
        pages, exact, empty = pages + 1, exact + (bool(may) == bool(count)), empty + (not may)
        if not set(ids) <= may:
            faults += 1
            print(f"FAILED: {address} shows {sorted(set(ids) - may)}, which the facts do not allow")
    print(f"{pages} pages, {empty} empty by the facts, {pages - exact} of the others without an event, {faults} faults")
    return 1 if faults else 0


def judge_edge(folder, host, path, edge):
    own = faults = asked = 0
    pages = list(read(path))
    with ThreadPoolExecutor(3) as pool:
        for (address, status, count, _), answer in zip(pages, pool.map(lambda page: ask(edge, page[0]), pages)):
            asked += 1
            if "x-calendar-judge" in answer.headers:
                continue
            own += 1
            # The walk may be old: the site has the last word.
            now = ask(host, address) if count else None
            if now is not None and events(now):
                faults += 1
                print(f"FAILED: {address} has {len(events(now))} events, and the edge answered {answer.status} itself")
    print(f"{asked} pages, {own} answered by the edge itself, {faults} of them have an event")
    return 1 if faults else 0


def main():
    kind, folder, host, *rest = sys.argv[1:] if len(sys.argv) > 3 else ["", "", ""]
    if kind == "site":
        return walk(folder, host, rest)
    if kind in ("facts", "edge") and len(rest) == 2:
        return (judge_facts if kind == "facts" else judge_edge)(folder, host, *rest)
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
