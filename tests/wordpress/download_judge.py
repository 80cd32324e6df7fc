#!/usr/bin/env python3
"""Compares the calendar files that a real site prints links to with what an edge with `downloads = true` gives there.

    download_judge.py FOLDER HOST EDGE

FOLDER is that of WordPress, HOST and EDGE are as in 127.0.0.1:8092; the edge enforces `[calendar_pages]`. It follows the links
to files on pages of the calendar, of categories, tags and events. Each event of the plugin's file must be in the edge's with the
same UID, start, end and title. What the edge has beyond that must not have ended before today, and is counted.
"""

import html
import json
import re
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

sys.dont_write_bytecode = True

from calendar_judge import SIGN, php
from wire import Request, send

STATE = r"""
global $wpdb;
$named = static function ( $taxonomy ) { return get_terms( array( 'taxonomy' => $taxonomy, 'hide_empty' => false, 'fields' => 'id=>slug' ) ); };
$events = $wpdb->get_results( "SELECT ID, post_name FROM $wpdb->posts WHERE post_type = 'tribe_events' AND post_status = 'publish'", ARRAY_N );
echo wp_json_encode( array( 'categories' => array_values( $named( 'tribe_events_cat' ) ), 'tags' => array_values( $named( 'post_tag' ) ),
	'events' => $events, 'utc' => $wpdb->get_results( "SELECT post_id, start_date_utc, end_date_utc FROM {$wpdb->prefix}tec_occurrences", ARRAY_N ) ) );
"""
LINK = re.compile(r'href="([^"]*ical[^"]*)"')
FIXED = re.compile(r"UTC([+-])(\d+)(?:[.:](\d+))?\Z")


def get(host, address):
    for _ in range(3):
        answer = send(host, Request("GET", address))
        if answer.status not in (301, 302):
            return answer
        parts = urlsplit(answer.headers["location"][0])
        address = f"{parts.path}?{parts.query}"
    return answer


def printed(page):
    """The addresses of files that a page links to; those of Google and Outlook are in a parameter."""
    for link in LINK.findall(page):
        link = html.unescape(link)
        parts = urlsplit(link)
        inner = [value for name in ("cid", "url") for value in parse_qs(parts.query).get(name, [])]
        parts = urlsplit(inner[0]) if inner else parts
        if "ical" in parts.path + parts.query:
            # As a client sends it: without what follows `#`.
            yield f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path


def zone(name):
    if fixed := FIXED.match(name):
        sign, hours, rest = fixed.groups()
        minutes = {"5": 30, "25": 15, "75": 45}.get(rest, int(rest or 0))
        return timezone((1 if sign == "+" else -1) * timedelta(hours=int(hours), minutes=minutes))
    return ZoneInfo(name)


def instant(line):
    """The instant of a time, or the date of a whole day."""
    name, value = line.split(":", 1)
    if "VALUE=DATE" in name and "T" not in value:
        return value
    if value.endswith("Z"):
        return datetime.strptime(value, "%Y%m%dT%H%M%SZ").replace(tzinfo=timezone.utc)
    tz = re.search("TZID=([^;:]+)", name)
    return datetime.strptime(value, "%Y%m%dT%H%M%S").replace(tzinfo=zone(tz[1] if tz else "UTC")).astimezone(timezone.utc)


def title(text):
    return html.unescape(re.sub(r"\\(.)", r"\1", text)).strip()


def events(body):
    """The events of a file: by UID the start, the end and the title."""
    found, event = {}, None
    for line in re.sub("\r?\n[ \t]", "", body.decode()).splitlines():
        name = re.split("[;:]", line)[0]
        if line == "BEGIN:VEVENT":
            event = {}
        elif line == "END:VEVENT":
            found[event["UID"]] = (event["DTSTART"], event.get("DTEND", event["DTSTART"]), event.get("SUMMARY", ""))
            event = None
        elif event is not None and name in ("DTSTART", "DTEND"):
            event[name] = instant(line)
        elif event is not None and name in ("UID", "SUMMARY"):
            event[name] = title(line.split(":", 1)[1])
    return found


def ends(event):
    end = event[1]
    return datetime.strptime(end, "%Y%m%d").replace(tzinfo=timezone.utc) if isinstance(end, str) else end


def addresses(host, state):
    pages = ["/events/", "/events/month/", "/events/today/", "/events/list/page/2/", "/events/month/2027-08/", "/events/featured/"]
    pages += [f"/events/category/{slug}/" for slug in state["categories"]] + [f"/events/tag/{slug}/" for slug in state["tags"]]
    pages += [f"/event/{slug}/" for _, slug in state["events"]]
    found = {}
    for page in pages:
        for address in printed(get(host, page).body.decode(errors="replace")):
            found.setdefault(address, page)
    for base in ["/events/", "/events/list/", "/sample-page/", "/event/no-such/"] + pages[5 : 6 + len(state["categories"]) + len(state["tags"])]:
        found.setdefault(f"{base}?ical=1", "")
        found.setdefault(f"{base}ical/", "") if base.startswith("/events/") else None
    return found


def judge(host, edge, address, utc, tally):
    theirs, ours = get(host, address), get(edge, address)
    if "x-calendar-judge" in ours.headers:
        tally["forwarded"].append(address)
        return
    tally["own"].append(address)
    if ours.status != 200 or not ours.headers.get("content-type", [""])[0].startswith("text/calendar"):
        tally["faults"].append(f"{address}: the edge responds with {ours.status} {ours.body[:80]}")
        return
    wanted, given = events(theirs.body), events(ours.body)
    # UIDs have the host by which the events were asked for.
    given = {uid.replace(edge, host): event for uid, event in given.items()}
    tally["compared"] += len(wanted)
    for uid, event in wanted.items():
        if uid not in given:
            tally["faults"].append(f"{address}: {uid} {event[2]!r} at {event[0]} is missing")
        elif given[uid] != event and list(given[uid][:2]) == utc[int(uid.split("-")[0])] and given[uid][2] == event[2]:
            tally["named"].add(f"{uid} {event[2]!r}: the edge gives the site's own time in UTC, {given[uid][0]}, and the plugin's file is read as {event[0]}")
        elif given[uid] != event:
            tally["faults"].append(f"{address}: {uid} is {given[uid]}, and {event} at the site")
    today = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
    more = [given[uid] for uid in given if uid not in wanted]
    tally["more"] += len(more)
    if any(ends(event) < today - timedelta(hours=14) for event in more):
        tally["faults"].append(f"{address}: events of earlier days")
    if more and len(wanted) != 30 and theirs.body:
        now = datetime.now(timezone.utc)
        later = [event for event in more if ends(event) > now]
        tally["faults"] += [f"{address}: {event} is at the edge alone" for event in later]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    folder, host, edge = sys.argv[1:]
    (Path(folder) / "wp-content" / "mu-plugins" / "calendar-judge.php").write_text(SIGN)
    state = json.loads(php(folder, host, STATE))
    tally = {"own": [], "forwarded": [], "faults": [], "named": set(), "compared": 0, "more": 0}
    # In the hour that comes twice, a time of the zone has two instants.
    utc = {int(id): [datetime.fromisoformat(time).replace(tzinfo=timezone.utc) for time in times] for id, *times in state["utc"]}
    for address in addresses(host, state):
        judge(host, edge, address, utc, tally)
    for fault in dict.fromkeys(tally["faults"]):
        print(f"DIFFERS: {fault}")
    for difference in sorted(tally["named"]):
        print(f"named: {difference}")
    for address in tally["forwarded"]:
        print(f"forwarded: {address}")
    print(f"{len(tally['own'])} files by the edge, {len(tally['forwarded'])} by the site, {tally['compared']} events compared, {tally['more']} more than the plugin gives, {len(tally['faults'])} differences")
    return 1 if tally["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
