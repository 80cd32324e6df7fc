"""The answers of the origin, made from recorded ones in the sizes that the cases ask for."""

import json
from pathlib import Path

RECORDED = Path(__file__).resolve().parents[2] / "fixtures" / "backend"
SIZES = {"1k": 1024, "8k": 8 * 1024, "64k": 64 * 1024, "1m": 1024 * 1024}


def write_all(folder, origin_port):
    """Writes list-SIZE.json and item.json; their URLs name the origin, so that a proxy has what to rewrite."""
    origin = f"http://127.0.0.1:{origin_port}"
    for name, size in SIZES.items():
        (folder / f"list-{name}.json").write_text(list_of(size).replace("http:\\/\\/origin.example", origin.replace("/", "\\/")))
    item = as_php(json.loads((RECORDED / "event-created.json").read_text()))
    (folder / "item.json").write_text(item.replace("http:\\/\\/origin.example", origin.replace("/", "\\/")))


def list_of(size):
    """A list of events of about this size: recorded events, the last one's description cut or filled up."""
    page = json.loads((RECORDED / "event-list-page1.json").read_text())
    pool = [fitting(event, size) for event in page["events"]]
    page["events"] = []
    while len(as_php(page)) < size:
        page["events"].append(pool[len(page["events"]) % len(pool)])
    if len(page["events"]) > 1:
        page["events"].pop()
    page["total"] = len(page["events"])
    missing = size - len(as_php(page))
    if missing > 0:
        last = dict(page["events"][-1])
        last["description"] += "<p>" + "a line of text " * (missing // 15) + "</p>"
        page["events"][-1] = last
    return as_php(page)


def fitting(event, size):
    """An event as it is in large lists, without its nested records in small ones, and short in the smallest."""
    if size > 32 * 1024:
        return event
    if size > 2 * 1024:
        return {key: value for key, value in event.items() if not isinstance(value, (dict, list))}
    return {key: event[key] for key in ("id", "status", "date", "url", "rest_url", "title", "description", "slug")}


def as_php(value):
    """JSON as WordPress writes it: no blanks, escaped slashes, ASCII."""
    return json.dumps(value, separators=(",", ":")).replace("/", "\\/")
