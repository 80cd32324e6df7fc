"""Walks through all records beside random edits, and says what is missing or comes twice after the feed was read.

    records_walk.py SITE PORT EDGE_PORT EDITS TIES [SEED]

SITE is a directory as `copy_storm.py` has it, with the socket `db.sock` of its database. The edge at EDGE_PORT has feed
and copy on. TIES events of one date are made first, past WordPress. What the site shows is read from its facts.
"""

import collections
import json
import pathlib
import random
import subprocess
import sys
import threading
import time

import copy_storm
import copy_study
from copy_study import API

FEED = "/wp-json/calendar-edge/v1/"
KINDS = {"event": "events", "venue": "venues", "organizer": "organizers", "category": "categories", "tag": "tags"}
TIES = """
SET @from := {id}; SET @last := (SELECT MAX(ID) FROM wp_posts);
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_title, post_content,
    post_excerpt, to_ping, pinged, post_content_filtered, post_status, post_type, post_name)
  SELECT @last + seq, 1, post_date, post_date_gmt, post_date, post_date_gmt, CONCAT('Tie ', seq), '', '', '', '', '', 'publish',
    'tribe_events', CONCAT('tie-', seq) FROM wp_posts JOIN seq_1_to_{ties} WHERE ID = @from;
INSERT INTO wp_postmeta (post_id, meta_key, meta_value)
  SELECT @last + seq, meta_key, meta_value FROM wp_postmeta JOIN seq_1_to_{ties} WHERE post_id = @from;
INSERT INTO wp_tec_events (post_id, start_date, end_date, timezone, start_date_utc, end_date_utc, duration, hash)
  SELECT @last + seq, start_date, end_date, timezone, start_date_utc, end_date_utc, duration, SHA1(CONCAT('e', seq, @last))
  FROM wp_tec_events JOIN seq_1_to_{ties} WHERE post_id = @from;
INSERT INTO wp_tec_occurrences (event_id, post_id, start_date, start_date_utc, end_date, end_date_utc, duration, hash)
  SELECT event_id, post_id, start_date, start_date_utc, end_date, end_date_utc, duration, SHA1(CONCAT('o', post_id))
  FROM wp_tec_events WHERE post_id > @last;
"""


def get(edge, target):
    """The JSON of a target; waits where the edge asks for that."""
    while True:
        status, _, body = edge.ask("GET", target)
        if status == 200:
            return json.loads(body)
        assert status in (429, 503), (status, body)
        time.sleep(1)


class Copied:
    """What a reader has by walks and by the feed."""

    def __init__(self, edge):
        self.edge, self.records, self.walks, self.twice = edge, {}, 0, 0

    def walk(self):
        self.records, after, self.walks = {}, "", self.walks + 1
        while after is not None:
            chunk = get(self.edge, f"{FEED}records?after={after}")
            for record in chunk["records"]:
                name = record["kind"], record["id"]
                self.twice += name in self.records
                self.records[name] = record.get("record") or self.read(name)
            after = chunk["next"]
        return chunk["changes"]

    def read(self, name):
        return get(self.edge, f"{API}{KINDS[name[0]]}/{name[1]}")

    def follow(self, token):
        """Reads the feed until it tells nothing more; walks again where it does not lead on."""
        while True:
            page = get(self.edge, f"{FEED}changes?since={token}&include=records&wait=3")
            if not page["complete"]:
                token = self.walk()
                continue
            for change in page["changes"]:
                name = change["kind"], change["id"]
                if change["what"] == "gone":
                    self.records.pop(name, None)
                else:
                    self.records[name] = change.get("record") or self.read(name)
            token = page["next"]
            if not page["changes"]:
                return


def shown(site):
    """The names of what everybody may read, and what they are called."""
    replies = [json.loads(reply) for reply in site.replies()]
    posts = [record for reply in replies for record in reply["records"] if record["status"] == "publish"]
    names = {(post["kind"], post["id"]) for post in posts if post["kind"] != "event" or not post.get("password")}
    terms = replies[0]["copy"]["terms"]
    return names | {("tag" if term["taxonomy"] == "post_tag" else "category", term["id"]) for term in terms}


def by_pages(site):
    """The events that pages of the list have, and how many of them are different ones."""
    page, ids = 1, []
    while True:
        status, _, body = site.get(f"{API}events?start_date=1000-01-01&end_date=9999-12-31&per_page=50&page={page}")
        if status != 200:
            return len(ids), len(set(ids))
        ids += [event["id"] for event in json.loads(body)["events"]]
        page += 1


def main(directory, port, edge_port, edits, ties, seed=1):
    site, chance = copy_study.Site(directory, int(port)), random.Random(int(seed))
    password = pathlib.Path(directory, "app-password").read_text().strip()
    edges = [copy_storm.Edge(int(edge_port), password) for _ in range(2)]
    if int(ties):
        new = {"title": "Tie", "start_date": "2027-05-05 10:00:00", "end_date": "2027-05-05 11:00:00", "status": "publish"}
        made = json.loads(edges[0].ask("POST", API + "events", new)[2])["id"]
        sql = TIES.format(id=made, ties=int(ties))
        subprocess.run(["mariadb", "-S", f"{directory}/db.sock", "-uroot", "wordpress"], input=sql.encode(), check=True)
    copied, done = Copied(edges[1]), collections.Counter()
    reads = copy_study.Reads(site.replies(), chance)

    def edit():
        for number in range(int(edits)):
            what, status, _ = copy_storm.edit(edges[0], reads, chance, number)
            done[what, status] += 1

    editing = threading.Thread(target=edit)
    begun = time.monotonic()
    editing.start()
    tokens = [copied.walk()]
    print(f"the first walk: {len(copied.records)} records in {time.monotonic() - begun:.0f} s, {sum(done.values())} edits beside it")
    while editing.is_alive():
        tokens.append(copied.walk())
    copied.follow(tokens[-1])
    expected = shown(site)
    missing, further = expected - copied.records.keys(), copied.records.keys() - expected
    old = [name for name, record in copied.records.items() if name[0] == "event" and name not in further and differs(site, name, record)]
    print(f"{sum(done.values())} edits {dict(done)}, {copied.walks} walks")
    print(f"{len(expected)} records: {len(missing)} missing {sorted(missing)[:9]}, {copied.twice} twice, {len(further)} further {sorted(further)[:9]}, {len(old)} old {old[:9]}")
    print("pages of the list: {} events, {} different ones".format(*by_pages(site)))
    return bool(missing or further or old or copied.twice)


def differs(site, name, record):
    """Whether an edited event has another title now, as the site gives it."""
    if "Storm" not in record["title"]:
        return False
    status, _, body = site.get(f"{API}events/{name[1]}")
    return status != 200 or json.loads(body)["title"] != record["title"]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
