"""Reads `events.ics` of an edge with two parsers, and compares what they find with the API. README.md says how to run it."""

import asyncio
import json
import subprocess
import sys
import tempfile
import urllib.request
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import icalendar

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "soak"))
from processes import Edge, settings, start_site  # noqa: E402

FIELDS = ("start", "end", "summary", "description", "location", "categories")


def event(number, title, zone, local, utc, **more):
    """A record as the API prints it."""
    times = dict(zip(("start_date", "end_date", "utc_start_date", "utc_end_date"), (*local, *utc)))
    fixed = {"id": number, "title": title, "timezone": zone, "all_day": False, "url": f"https://a.example/event/{number}/"}
    return {**fixed, **times, "date_utc": "2026-01-01 00:00:00", "modified_utc": "2026-02-01 00:00:00", **more}


HARD = [
    event(901, "Second 2:30", "Europe/Berlin", ("2026-10-25 02:30:00", "2026-10-25 03:30:00"), ("2026-10-25 01:30:00", "2026-10-25 02:30:00")),
    event(902, "First 2:30", "Europe/Berlin", ("2026-10-25 02:30:00", "2026-10-25 03:30:00"), ("2026-10-25 00:30:00", "2026-10-25 02:30:00")),
    event(903, "Over the change", "America/New_York", ("2027-03-13 22:00:00", "2027-03-14 06:00:00"), ("2027-03-14 03:00:00", "2027-03-14 10:00:00")),
    event(904, "Fixed", "UTC+5.5", ("2027-07-01 10:00:00", "2027-07-01 11:00:00"), ("2027-07-01 04:30:00", "2027-07-01 05:30:00")),
    event(905, "Unknown zone", "Mars/Base", ("2027-07-01 10:00:00", "2027-07-01 11:00:00"), ("2027-07-01 08:00:00", "2027-07-01 09:00:00")),
    event(906, "Half an hour of summer", "Australia/Lord_Howe", ("2027-01-10 10:00:00", "2027-07-02 10:00:00"), ("2027-01-09 23:00:00", "2027-07-01 23:30:00")),
    event(907, "No length", "Asia/Tokyo", ("2027-07-01 10:00:00", "2027-07-01 10:00:00"), ("2027-07-01 01:00:00", "2027-07-01 01:00:00")),
    event(908, "Days", "Asia/Tokyo", ("2027-12-30 00:00:00", "2028-01-01 23:59:59"), ("2027-12-29 15:00:00", "2028-01-01 14:59:59"), all_day=True),
    event(909, "Tom &amp; J&#246;rg, <i>part</i>; 2 \\ 3\r\nBEGIN:VALARM" + "\u6771\u4eac" * 60, "Europe/Berlin", ("2027-07-01 10:00:00", "2027-07-01 11:00:00"),
          ("2027-07-01 08:00:00", "2027-07-01 09:00:00"), description="<p>One, two</p><ul><li>a;b</li></ul>" + "<p>\u00e4\u00f6\u00fc</p>" * 200,
          categories=[{"name": "Rock, Pop &amp; Jazz"}, {"name": "Kids"}]),
]


def recorded():
    """The events of the recorded answers, each number once."""
    found = {}
    for path in sorted((ROOT / "fixtures" / "backend").glob("event-*.json")):
        answer = json.loads(path.read_text())
        records = answer.get("events", [answer]) if isinstance(answer, dict) else []
        for record in records:
            if isinstance(record, dict) and record.get("utc_start_date") and "id" in record:
                found.setdefault(record["id"], record)
    return list(found.values())


class Site(asyncio.Protocol):
    """Answers every question with a page of the list."""

    events = []

    def connection_made(self, transport):
        self.transport, self.unread = transport, b""

    def data_received(self, data):
        self.unread += data
        while (end := self.unread.find(b"\r\n\r\n")) >= 0:
            target, self.unread = self.unread.split(b" ")[1].decode(), self.unread[end + 4 :]
            pairs = dict(pair.split("=", 1) for pair in target.partition("?")[2].split("&") if "=" in pair)
            page, size = int(pairs.get("page", 1)), int(pairs.get("per_page", 10))
            shown = self.events[(page - 1) * size : page * size]
            body = json.dumps({"events": shown, "total": len(self.events), "total_pages": -(-len(self.events) // size)}).encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\nContent-Length: {len(body)}\r\n\r\n"
            self.transport.write(head.encode() + body)


def calendar_of(program, events):
    """The calendar that an edge makes of these events."""
    Site.events = events
    site, port = start_site(Site)
    edge = Edge(program, settings(port) + "[forms]\ncalendar = true\n")
    try:
        url = f"http://127.0.0.1:{edge.port}/wp-json/tribe/events/v1/events.ics"
        with urllib.request.urlopen(url, timeout=20) as answer:
            return answer.read()
    finally:
        edge.end()
        site.terminate()


def moment(time):
    if isinstance(time, datetime):
        return int(time.timestamp())
    return time.isoformat() if isinstance(time, date) else None


def second(time):
    """The second moment of a time that the clock shows twice; else the only one."""
    return moment(time.replace(fold=1) if isinstance(time, datetime) else time)


def by_icalendar(calendar, moment=moment):
    """What Python's `icalendar` finds."""
    for component in icalendar.Calendar.from_ical(calendar).walk("VEVENT"):
        categories = component.get("CATEGORIES")
        yield {
            "uid": str(component["UID"]),
            "start": moment(component["DTSTART"].dt),
            "end": moment(component["DTEND"].dt) if "DTEND" in component else None,
            "summary": str(component.get("SUMMARY", "")),
            "description": str(component.get("DESCRIPTION", "")),
            "location": str(component.get("LOCATION", "")),
            "categories": [str(name) for name in categories.cats] if categories else [],
        }


def by_ical_js(calendar, tools):
    """What `ical.js` finds; None where it is not installed."""
    if not (tools / "node_modules" / "ical.js").is_dir():
        return None
    with tempfile.NamedTemporaryFile(suffix=".ics") as file:
        file.write(calendar)
        file.flush()
        command = ["node", Path(__file__).parent / "read.mjs", tools.resolve(), file.name]
        return json.loads(subprocess.run(command, capture_output=True, check=True, timeout=30).stdout)


def at(text):
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def expected(record):
    """Start and end as the API tells them."""
    if record["all_day"]:
        first, last = (datetime.fromisoformat(record[name]).date() for name in ("start_date", "end_date"))
        return first.isoformat(), (last + timedelta(days=1)).isoformat()
    start, end = at(record["utc_start_date"]), at(record["utc_end_date"])
    return start, end if end > start else None


def check(program, tools):
    events = recorded() + HARD
    calendar = calendar_of(program, events)
    lines = calendar.split(b"\r\n")
    assert max(map(len, lines)) <= 75, "a line is too long"
    assert b"\n" not in b"".join(lines) and b"\r" not in b"".join(lines), "a line ends in something else"
    found = list(by_icalendar(calendar))
    times = {one["uid"].split("-")[0]: (one["start"], one["end"]) for one in found}
    wrong = [(record["title"], times.get(str(record["id"])), expected(record)) for record in events if times.get(str(record["id"])) != expected(record)]
    assert not wrong and len(found) == len(events), wrong
    other = by_ical_js(calendar, tools)
    for one, two in zip(found, other or found, strict=True):
        differs = [name for name in FIELDS if one[name] != two[name]]
        assert not differs, [(name, one[name], two[name]) for name in differs]
    odd = next(one for one in found if one["uid"].startswith("909-"))
    assert odd["summary"].startswith("Tom & J\u00f6rg, part; 2 \\ 3 BEGIN:VALARM\u6771\u4eac"), odd
    assert odd["description"].startswith("One, two\na;b\n\u00e4\u00f6\u00fc\n") and odd["categories"] == ["Rock, Pop & Jazz", "Kids"], odd
    readers = "icalendar and ical.js" if other else "icalendar alone"
    print(f"{len(found)} events, read by {readers}: same moments as the API, same texts")


def against(program, pages, calendar):
    """Compares the plugin's own calendar with that of an edge, for the same events."""
    events = [event for page in json.loads(Path(pages).read_text()) for event in page["events"]]
    text = Path(calendar).read_bytes()
    own = {one["uid"]: one for one in by_icalendar(text)}
    later = {one["uid"]: one for one in by_icalendar(text, second)}
    ours = {one["uid"]: one for one in by_icalendar(calendar_of(program, events))}
    print(f"{len(own)} events of the plugin, {len(ours)} of the edge, {len(own.keys() & ours.keys())} with the same identity")
    differs, shown = Counter(), {}
    for uid in own.keys() & ours.keys():
        one, two = own[uid], ours[uid]
        for name in FIELDS:
            if name in ("start", "end") and one[name] != two[name] == later[uid][name]:
                differs["(clock shows it twice)"] += 1
                shown.setdefault("(clock shows it twice)", (uid, name, one[name], two[name]))
            # An end that is the start is no end (RFC 5545 section 3.8.2.2).
            elif one[name] != (one["start"] if name == "end" and two[name] is None else two[name]):
                differs[name] += 1
                shown.setdefault(name, (uid, one[name], two[name]))
    for name, number in sorted(differs.items()):
        print(f"{name}: {number} differ, such as {shown[name]}")
    same = own.keys() == ours.keys() and not differs["start"] and not differs["end"]
    print("identity, start and end are equal" if same else "FAIL see above")
    sys.exit(0 if same else 1)


def main():
    program, tools, rest = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    if rest[:1] == ["--against"]:
        against(program, *rest[1:])
    else:
        check(program, tools)


if __name__ == "__main__":
    main()
