"""Asks a site and the copy the same random reads of everybody, and says where they differ.

    copy_study.py SITE PORT COUNT [SEED [WORKERS [RECORDED]]]

SITE is a directory with the file `secret`; RECORDED a file with further targets, one a line. The program `copy_answer`
has to be built before: `cargo build -p calendar-edge-core --example copy_answer`.
"""

import collections
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import random
import re
import secrets
import subprocess
import sys
import tempfile
import threading
import time
import unicodedata
import urllib.parse

API = "/wp-json/tribe/events/v1/"
PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "target/debug/examples/copy_answer"


class Site:
    def __init__(self, directory, port):
        self.secret = pathlib.Path(directory, "secret").read_bytes().strip()
        self.port = port

    def get(self, target):
        now, digest = int(time.time()), hashlib.sha256(b"").hexdigest()
        signed = f"calendar-edge mark v1\n{now}\nGET\n{target}\n{digest}".encode()
        mark = f"v1 t={now},s={hmac.new(self.secret, signed, hashlib.sha256).hexdigest()}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("GET", target, headers={"Host": f"127.0.0.1:{self.port}", "X-Calendar-Edge-Mark": mark})
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()

    def replies(self):
        after, found = 0, []
        while after is not None:
            more = "" if found else "&site=1"
            query = f"after={after}&records=1{more}&nonce={secrets.token_hex(16)}"
            status, _, body = self.get("/wp-json/calendar-edge/v1/facts?" + query)
            assert status == 200, body[:300]
            found.append(body)
            after = json.loads(body)["next"]
        return found


class Copy:
    def __init__(self, replies):
        self.file = tempfile.NamedTemporaryFile(suffix=".json")
        self.file.write(b"[" + b",".join(replies) + b"]")
        self.file.flush()
        self.body = tempfile.NamedTemporaryFile()
        self.process = subprocess.Popen([PROGRAM, self.file.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def answer(self, target, site_body):
        """The first line of the answer, and its body."""
        pathlib.Path(self.body.name).write_bytes(site_body)
        self.process.stdin.write(f"{target}\t{self.body.name}\n".encode())
        self.process.stdin.flush()
        head = self.process.stdout.readline().decode().split()
        body = self.process.stdout.readline().rstrip(b"\n") if head and head[0].isdigit() else b""
        return head, body


class Reads:
    """Random targets out of what a site has."""

    def __init__(self, replies, chance):
        self.chance = chance
        replies = [json.loads(reply) for reply in replies]
        records = [record for reply in replies for record in reply["records"]]
        self.site = replies[0]["copy"]
        self.records = {kind: [r for r in records if r["kind"] == kind] for kind in ("event", "venue", "organizer")}
        self.terms = {
            name: [term for term in self.site["terms"] if term["taxonomy"] == taxonomy]
            for name, taxonomy in (("categories", "tribe_events_cat"), ("tags", "post_tag"))
        }
        texts = [json.dumps(r.get("body"), ensure_ascii=False) for r in records if r.get("body")]
        texts = [re.sub(r"<[^>]*>|\\[nrt\"]", " ", text) for text in texts]
        self.words = sorted({word for text in texts for word in re.findall(r"[^\W\d_]{2,}|\d+", text)})
        self.days = sorted({o[1][:10] for r in self.records["event"] for o in r.get("occurrences", [])})

    def word(self):
        chance = self.chance
        word = chance.choice(self.words)
        change = chance.randrange(9)
        if change == 0:
            word = word.upper()
        elif change == 1:
            word = word.swapcase()
        elif change == 2:
            word = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
        elif change == 3:
            word = word.replace("a", "ä").replace("e", "é").replace("o", "Ö")
        elif change == 4 and len(word) > 3:
            word = word[1:-1]
        elif change == 5:
            word = chance.choice(["the", "a", "wp:paragraph", "<p>", "%", "_", "&amp;", "e", "-", "0", "fi", "ss", "ß", "…", "x" * 40])
        return word

    def search(self):
        form = self.chance.randrange(12)
        words = [self.word() for _ in range(self.chance.choice([1, 2, 3]))]
        if form == 0:
            return '"' + " ".join(words) + '"'
        if form == 1:
            return words[0] + " -" + self.word()
        if form == 2:
            return " ".join(self.word() for _ in range(self.chance.choice([6, 7, 10, 12])))
        if form == 3:
            return self.chance.choice(["-", ",", "+", '"', "'"]) + " ".join(words)
        return " ".join(words[: 1 + form % 3])

    def day(self):
        chance = self.chance
        day = chance.choice(self.days) if chance.random() < 0.8 else f"20{chance.randrange(20, 31)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}"
        form = chance.randrange(14)
        clock = f"{chance.randrange(24):02}:{chance.choice(['00', '30', '59'])}:{chance.choice(['00', '59'])}"
        forms = {0: f"{day} {clock}", 1: f"{day}T{clock}", 2: f"{day} {clock[:5]}", 3: day.replace("-", "/"), 4: day.replace("-", ""), 5: f"{day}T{clock}Z"}
        forms |= {6: chance.choice(["now", "today", "tomorrow", "yesterday", "+1 week", "-2 months"]), 7: str(chance.randrange(1_700_000_000, 1_900_000_000)), 8: f"{day} 23:59:59"}
        return forms.get(form, day)

    def some(self, values, most=3):
        return ",".join(str(self.chance.choice(values)) for _ in range(self.chance.choice([1, 1, 1, 2, most]))) if values else "1"

    def ids(self, kind):
        return [record["id"] for record in self.records[kind]]

    def named_terms(self, name):
        chance = self.chance
        return self.some([chance.choice([term["id"], term["raw_slug"]]) for term in self.terms[name]] or ["x"])

    def pages(self):
        return {"page": self.chance.choice([1, 1, 2, 2, 3, 4, 7, 99]), "per_page": self.chance.choice([1, 2, 3, 5, 7, 10, 20, 50, 60])}

    def arguments(self, of):
        chance, flag = self.chance, self.chance.choice(["true", "false", "1", "0"])
        event = chance.choice(self.ids("event"))
        if of == "events":
            dates = {name: self.day() for name in ("start_date", "end_date", "starts_before", "starts_after", "ends_before", "ends_after")}
            if chance.random() < 0.6:
                dates |= {"start_date": "2000-01-01", "end_date": "2040-01-01"}
            return dates | {
                **self.pages(), "search": self.search(), "strict_dates": chance.choice(["true", "1", "yes", "false", "no"]),
                "categories": self.named_terms("categories"), "tags": self.named_terms("tags"), "featured": flag,
                "venue": self.some(self.ids("venue")), "organizer": self.some(self.ids("organizer")), "post_parent": event, "status": "publish",
            }
        if of in ("venues", "organizers"):
            upcoming = chance.choice(["true", "false", "yes"])
            return {**self.pages(), "search": self.search(), "event": event, "has_events": upcoming, "only_with_upcoming": flag, "status": "publish"}
        names = [term["raw_slug"] for term in self.terms[of]]
        ids = [term["id"] for term in self.terms[of]]
        orders = ["name", "slug", "id", "description", "count", "include", "NAME", "title"]
        return {
            **self.pages(), "search": self.search(), "exclude": self.some(ids), "include": self.some(ids), "order": chance.choice(["asc", "desc", "DESC", "x"]),
            "orderby": chance.choice(orders), "hide_empty": flag, "post": event, "event": event, "slug": chance.choice(names or ["x"]),
        } | ({"parent": chance.choice(ids)} if of == "categories" else {})

    def presentation(self, of, is_list):
        """Parameters that change how a response is printed, or seem to."""
        chance = self.chance
        inner = ["id", "title", "none", "image.url", "venue.id", "venue", "organizer.0.id", "categories.0.name", "json_ld.name", "cost_details.values.0", "venue.json_ld.name"]
        frame = ["total", "total_pages", "rest_url", "next_rest_url", "previous_rest_url", "events.id", "Total", "total.x"]
        within = [of] + [f"{of}.{place}.{name}" for place in (0, 1, 2) for name in inner] + [f"{of}.0", f"{of}.1", f"{of}.", f"{of}.00"]
        names = (frame + within if chance.random() < 0.6 else frame) if is_list else inner
        sent = []
        if chance.random() < 0.4:
            fields = [chance.choice(names) for _ in range(chance.choice([1, 2, 3, 5, 8]))]
            form = chance.randrange(8)
            sent += [("_fields[]", name) for name in fields] if form == 0 else [("_fields", (" , " if form == 1 else ",").join(fields))]
        values = {"_embed": ["", "1", "author", "true"], "_locale": ["user", "de_DE"], "context": ["view", "embed", "edit", "x"]}
        return sent + [(name, chance.choice(values[name])) for name in values if chance.random() < 0.08]

    def target(self):
        chance = self.chance
        of = chance.choice(["events"] * 5 + ["venues", "organizers"] * 2 + ["categories", "tags", "single"])
        if of == "single":
            target = self.single()
            shown = self.presentation(target.split("/")[0], False)
            return API + target + ("?" + urllib.parse.urlencode(shown) if shown else "")
        arguments = self.arguments(of)
        often = {"page": 0.35, "per_page": 0.5, "start_date": 0.5, "end_date": 0.45, "search": 0.35, "post_parent": 0.04, "strict_dates": 0.1}
        sent = [(name, value) for name, value in arguments.items() if chance.random() < often.get(name, 0.13 if of == "events" else 0.2)]
        sent += self.presentation(of, True)
        chance.shuffle(sent)
        query = urllib.parse.urlencode(sent, quote_via=urllib.parse.quote)
        return API + of + ("?" + query if query else "")

    def single(self):
        chance = self.chance
        kind = chance.choice(["event", "event", "venue", "organizer", "category", "tag"])
        if kind in ("category", "tag"):
            name = {"category": "categories", "tag": "tags"}[kind]
            ids = [term["id"] for term in self.site["terms"]] + [999999]
            return f"{name}/{chance.choice(ids)}"
        record = chance.choice(self.records[chance.choice([kind, kind, kind, "venue"])])
        if chance.random() < 0.3:
            slug = chance.choice([record["slug"], record["slug"], record["slug"] + "x", urllib.parse.quote("Jazz Übung"), "--", "1"])
            return f"{kind}s/by-slug/{slug or 'none'}"
        return f"{kind}s/{chance.choice([record['id']] * 9 + [999999])}"


def study(site, copy, targets, result, lock):
    for target in targets:
        status, headers, body = site.get(target)
        with lock:
            head, answer = copy.answer(target, body)
            of = target[len(API):].split("?")[0].split("/")[0] + (" single" if "/" in target[len(API):].split("?")[0] else "")
            totals = [headers.get("x-tec-total", "-"), headers.get("x-tec-totalpages", "-")]
            if not head or head[0] == "none":
                kind = "refused by the edge"
            elif head[0] == "ask":
                kind = "asked: " + head[1]
            elif status >= 500:
                kind = "the site's own error"
            elif [str(status), *totals] == head[:3] and head[3] != "differs":
                kind = head[3] + (" tied" if head[4] == "true" else "")
            else:
                kind = "WRONG" + (" tied" if head[4] == "true" else "")
                result["wrong"].append((kind, target, status, totals, head, body, answer))
            result["kinds"][kind] += 1
            result["lists"][of, kind.split(":")[0]] += 1


def differing(site, copy):
    site, copy = (re.sub(rb"(gallery-|is-layout-|audio-\d+-|video-\d+-)\d+", rb"\1N", body) for body in (site, copy))
    at = next((i for i, (a, b) in enumerate(zip(site, copy)) if a != b), min(len(site), len(copy)))
    return f"    site {site[max(0, at - 60):at + 100]!r}\n    copy {copy[max(0, at - 60):at + 100]!r}"


def main(directory, port, count, seed=1, workers=2, recorded=None):
    replies = Site(directory, int(port)).replies()
    copy, reads = Copy(replies), Reads(replies, random.Random(int(seed)))
    targets = pathlib.Path(recorded).read_text().split() if recorded else []
    targets += [reads.target() for _ in range(int(count))]
    result = {"wrong": [], "kinds": collections.Counter(), "lists": collections.Counter()}
    lock, workers = threading.Lock(), int(workers)
    threads = [
        threading.Thread(target=study, args=(Site(directory, int(port)), copy, targets[at::workers], result, lock)) for at in range(workers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for kind, target, status, totals, head, body, answer in result["wrong"][: int(os.environ.get("SHOWN", "20"))]:
        print(kind, target, "\n   ", status, totals, head[:5])
        print(differing(body, answer))
    for table in ("kinds", "lists"):
        for key, number in sorted(result[table].items(), key=str):
            print(f"{number:7} {key}")
    print(f"{len(targets)} reads, {sum(kind.startswith('WRONG') for kind, *_ in result['wrong'])} wrong")
    return bool(result["wrong"])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
