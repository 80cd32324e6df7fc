"""Generated writes at two equal sites, one reached directly and one through an edge: responses and stored rows agree."""

import base64
import csv
import json
import os
import random
import re
import subprocess
import urllib.parse
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checks import SECRET, log_in
from edge_under_test import Edge, built
from site_under_test import CALENDAR, LOGIN, PHP_LIMITS, free_port
from wire import Request, send

SEED = int(os.environ.get("CALENDAR_EDGE_SEED", "1"))
COUNT = int(os.environ.get("CALENDAR_EDGE_EFFECTS", "100"))
AGAIN = 60  # Writes until both sites are as they began.
API = "/wp-json/tribe/events/v1"
FIELDS = Path(__file__).resolve().parents[2] / "fixtures" / "contract"
KINDS = {"events": "event", "venues": "venue", "organizers": "organizer", "categories": "category", "tags": "tag"}
TABLES = ("posts", "postmeta", "terms", "term_taxonomy", "term_relationships", "termmeta", "options", "tec_events", "tec_occurrences")
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
SETTINGS = 'mode = "@MODE@"\nrepair = @REPAIR@\n'
REQUIRED = {
    "events": {"title": "Tea", "start_date": "2027-05-01 10:00:00", "end_date": "2027-05-01 12:00:00"},
    "venues": {"venue": "Hall"},
    "organizers": {"organizer": "Club"},
    "categories": {"name": "Jazz"},
    "tags": {"name": "Free"},
}
USUAL = {
    "date": "2026-01-02 03:04:05", "date_utc": "2026-01-02 03:04:05", "status": "draft", "timezone": "America/New_York", "all_day": "true",
    "cost": "12.50", "website": "https://tea.example/?a=1", "show_map": "1", "featured": "true", "sticky": "0", "hide_from_listings": "false",
    "email": "a@tea.example", "phone": "1", "country": "Germany", "slug": "some-name", "author": "1", "image": "1", "start_date": "2027-06-01 09:00:00", "end_date": "2027-06-02 09:00:00",
}
ODD = ("", "0", " ", "1", "yes", "no", "é & <b>x</b>", "2027-13-45", "publish", "-1", "a" * 300, 1, 0, 2.5, True, False, None, [], ["1"], {"a": "b"})

# Venues and organizers of an event in forms that the plugin refuses or loses, which `repair` converts.
CONVERTED = {"venue": (["1"], [{"venue": "Hall"}]), "organizer": ("1, 2", {"organizer": "Club"}, ["1"])}

# What differs on purpose: a name, its reason, and the pairs of responses that it explains.
INTENDED = (
    ("crash", "A value that ends PHP is refused, or its error page is replaced.", lambda write, direct, through: direct.status >= 500 and through.status >= 400),
    ("credentials", "A write without credentials is refused before its record is looked for.", lambda write, direct, through: not write.account and direct.status in (400, 404) and through.status == 401),
    ("record", "The site alone knows its records and statuses: the edge names the other faults of a call.", lambda write, direct, through: direct.status == through.status == 400 and direct.code() == through.code() == "rest_invalid_param" and {"id", "slug", "parent", "status", "venue", "organizer", "image", "author"} & set(params(direct))),
    ("order", "Arguments go out in the order of the table, and WordPress lists faults in the order of the body.", lambda write, direct, through: direct.status == through.status == 400 and direct.code() == through.code() == "rest_invalid_param" and params(direct) == params(through)),
    ("form of a read", "PHP reads a form that WordPress does not: the edge chooses neither.", lambda write, direct, through: through.code() == "edge_unreadable_body" or (write.names_head_of_form() and through.status == 400)),
    ("repair", "`repair` converts venues and organizers of an event that the plugin refuses.", lambda write, direct, through: write.is_repaired and direct.status == 400 and direct.code().startswith("could-not-create-") and through.status in (200, 201)),
    ("two values", "WordPress refuses two values of one variable in HTML, the edge in JSON.", lambda write, direct, through: direct.status == 400 and through.code() == "edge_variable_mismatch"),
)


def params(answer):
    return json.loads(answer.body)["data"]["params"]


class Write:
    """One request, and what it is made of."""

    def __init__(self, request, account, named, is_repaired):
        self.request, self.account, self.named, self.is_repaired = request, account, named, is_repaired

    def names_head_of_form(self):
        """A read with a form, of which no response has a body that says why it is refused."""
        return self.named == "HEAD" and any(value.startswith((FORM, "multipart/")) for name, value in self.request.headers if name == "Content-Type")

    def __str__(self):
        return f"{self.request.method} {self.request.target} {[header for header in self.request.headers if header[0] not in ('Authorization', 'Cookie', 'X-WP-Nonce')]} {self.account} {self.request.body[:300]!r}"


class Twins:
    """Two databases of one site: `wordpress` behind the edge, and `twin`, which another server reads."""

    def __init__(self, site):
        self.site, self.port = site, free_port()
        self.base = site.scratch / "base.sql"
        self.columns = ""

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    def start(self):
        self.query("CREATE DATABASE IF NOT EXISTS twin; SET GLOBAL innodb_flush_log_at_trx_commit = 0;")
        self.save()
        limits = [part for name, value in PHP_LIMITS.items() for part in ("-d", f"{name}={value}")]
        command = ["php", *limits, "-S", self.host, "-t", str(self.site.root)]
        self.process = self.site._start(command, "twin.log", cwd=self.site.root, env=dict(os.environ, SITE_DATABASE="twin"))
        self.site._until(lambda: self.answers())

    def answers(self):
        try:
            return send(self.host, Request("GET", API)).status == 200
        except OSError:
            return False

    def query(self, text, database="wordpress"):
        command = ["mariadb", "--no-defaults", f"--socket={self.site.scratch}/db.sock", "-uroot", "-N", database]
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"the database refuses: {done.stderr[-500:]}")
        return done.stdout

    def save(self):
        """Keeps the site as it is, and makes the twin equal."""
        command = ["mariadb-dump", "--no-defaults", f"--socket={self.site.scratch}/db.sock", "-uroot", "wordpress"]
        self.base.write_text("SET autocommit = 0;\n" + subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout + "COMMIT;\n")
        self.restore()
        self.columns = self.comparison()

    def restore(self):
        text = self.base.read_text()

        def fill(name):
            # A request of the edge's own may store a transient meanwhile.
            for _ in range(3):
                try:
                    return self.query(text, name)
                except RuntimeError as error:
                    if "Duplicate entry '_" not in str(error):
                        raise
            return self.query(text, name)

        with ThreadPoolExecutor(2) as both:
            list(both.map(fill, ("wordpress", "twin")))

    def comparison(self):
        """A query of the rows that one database has and the other has not; moments of this run are equal."""
        queries = []
        for table in TABLES:
            rows = self.query(f"SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'wordpress' AND TABLE_NAME = 'wp_{table}' ORDER BY ORDINAL_POSITION")
            # What is not compared draws numbers of options, too.
            columns = [self.column(*row.split("\t")) for row in rows.splitlines() if not row.startswith("option_id")]
            if not columns:
                continue
            where = "WHERE option_name NOT LIKE '%transient%' AND option_name <> 'cron'" if table == "options" else ""
            for one, other in (("twin", "wordpress"), ("wordpress", "twin")):
                both = " EXCEPT ".join(f"SELECT {', '.join(columns)} FROM {name}.wp_{table} {where}" for name in (one, other))
                queries.append(f"SELECT '{table}', '{'direct' if one == 'twin' else 'edge'}', found.* FROM ({both}) AS found;")
        return "SET SESSION group_concat_max_len = 1000000;\n" + "\n".join(queries)

    @staticmethod
    def column(name, kind):
        if kind in ("datetime", "timestamp"):
            return f"IF(`{name}` BETWEEN UTC_TIMESTAMP() - INTERVAL 1 HOUR AND UTC_TIMESTAMP() + INTERVAL 1 HOUR, 'now', `{name}`) AS `{name}`"
        if kind in ("longtext", "text"):
            moments = "|".join(["1[0-9]{9}([.][0-9]+)?", *(f"{day} [0-9:]{{8}}" for day in sorted(TODAY))])
            return f"REGEXP_REPLACE(`{name}`, '{moments}', 'T') AS `{name}`"
        return f"`{name}`"

    def differences(self):
        return self.query(self.columns).splitlines()


class Writer:
    """Makes writes by a seed, for the records of the site."""

    def __init__(self, seed, records, logins, repairs):
        self.random, self.records, self.logins, self.repairs = random.Random(seed), records, logins, repairs
        self.arguments = {}
        for kind, name in KINDS.items():
            with open(FIELDS / f"{name}-fields.tsv", newline="") as file:
                rows = list(csv.DictReader(file, delimiter="\t"))
            for action in ("create", "update"):
                self.arguments[kind, action] = [row["argument"] for row in rows if f"{kind}.{action}" in row["operations"]]

    def one(self, values):
        return self.random.choice(list(values))

    def write(self):
        kind = self.one(KINDS)
        wire = self.one(("POST", "POST", "POST", "PUT", "PATCH", "DELETE"))
        place = self.one(("", "id", "id", "id", "slug", "none"))
        path = f"{API}/{kind}" + self.below(kind, place)
        query, headers = {}, []
        named = self.name(query, headers)
        values = self.values(kind, "create" if place == "" else "update")
        if "/by-slug/" in path:
            values.pop("slug", None)
        # Half of these writes have something to repair.
        if self.repairs and kind == "events" and self.random.random() < 0.5:
            values |= {name: self.one(forms) for name, forms in CONVERTED.items()}
        account = self.sign(query, headers, values)
        body = self.encode(query, headers, values)
        target = path + ("?" + pairs(query) if query else "")
        return Write(Request(wire, target, headers, body), account, named, self.repairs)

    def below(self, kind, place):
        number, slug = self.one(self.records[kind])
        if place == "slug" and kind in ("events", "venues", "organizers"):
            return f"/by-slug/{urllib.parse.quote(str(slug))}"
        return {"": "", "none": "/99999"}.get(place, f"/{number}")

    def name(self, query, headers):
        """Names a method beside the method, in more than half of all writes."""
        if self.random.random() < 0.45:
            return None
        named = self.one(("DELETE", "DELETE", "delete", "PUT", "PATCH", "patch", "POST", "GET", "HEAD", "OPTIONS", "FOO", ""))
        place = self.one(("header", "header", "query", "both"))
        if place in ("query", "both"):
            query["_method"] = named
        if place in ("header", "both"):
            headers.append(("X-HTTP-Method-Override", named if place == "header" else "PUT"))
        return named.upper()

    def values(self, kind, action):
        names = self.arguments[kind, action]
        chosen = self.random.sample(names, min(len(names), self.random.randrange(5)))
        values = {name: USUAL.get(name, REQUIRED[kind].get(name, "word")) if self.random.random() < 0.7 else self.one(ODD) for name in chosen}
        if action == "create" and self.random.random() < 0.8:
            values = {**REQUIRED[kind], **values}
        if self.random.random() < 0.1:
            values["unknown"] = "1"
        if self.random.random() < 0.05:
            values["_method"] = "DELETE"
        return values

    def sign(self, query, headers, values):
        account = self.one(("password", "password", "password", "cookie", "cookie", "cookie and query", "cookie alone", ""))
        cookie, nonce = self.logins["cookie"]
        if account == "password":
            headers.append(("Authorization", self.logins["password"]))
        elif account:
            headers.append(cookie)
        if account == "cookie":
            headers.append(("X-WP-Nonce", nonce))
        elif account == "cookie and query":
            query["_wpnonce"] = nonce
        return account

    def encode(self, query, headers, values):
        how = self.one(("query", "form", "form", "json", "json", "json", "parts", "untyped"))
        if how == "json":
            headers.append(("Content-Type", JSON))
            return json.dumps(values).encode()
        values = {name: value for name, value in values.items() if value is not None}
        # Of the body alone WordPress reads no method.
        if how == "query":
            values.pop("_method", None)
            query.update(values)
            return b""
        if how == "parts":
            headers.append(("Content-Type", "multipart/form-data; boundary=B"))
            parts = [f'--B\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in flat(values)]
            return ("".join(parts) + "--B--\r\n").encode()
        if how == "form":
            headers.append(("Content-Type", FORM))
        return pairs(values).encode()


def flat(values):
    """Names and texts as PHP's forms have them."""
    for name, value in values.items():
        if isinstance(value, dict):
            yield from flat({f"{name}[{key}]": inner for key, inner in value.items()})
        elif isinstance(value, list):
            yield from flat({f"{name}[{at}]": inner for at, inner in enumerate(value)})
        else:
            yield name, {True: "1", False: ""}.get(value, value) if isinstance(value, bool) else value


def pairs(values):
    return urllib.parse.urlencode(list(flat(values)))


def seeded(site, login):
    """Some records of each kind: numbers and slugs."""
    made = {}
    for kind, required in REQUIRED.items():
        made[kind] = []
        for number in range(4):
            values = {name: f"{value} {number}" if name in ("title", "venue", "organizer", "name") else value for name, value in required.items()}
            # Of events of one day the plugin takes any for the first.
            day = {name: value.replace("-05-01", f"-05-1{number}") for name, value in required.items() if name.endswith("_date")}
            values |= day | {"cost": "5", "website": "https://a.example/", "featured": True, "status": ("publish", "draft")[number % 2]} if kind == "events" else {}
            request = Request("POST", f"{API}/{kind}", [("Authorization", login), ("Content-Type", JSON)], json.dumps(values).encode())
            found = json.loads(send(site.host, request).body)
            made[kind].append((found["id"], found.get("slug") or found["id"]))
    return made


def prepared(site):
    """A calendar with records behind no guard, its twin, and the logins that both take."""
    site.guard(None)
    site.use_calendar()
    password = "Basic " + base64.b64encode(f"{LOGIN}:{site.application_password}".encode()).decode()
    records = seeded(site, password)
    logins = {"password": password, "cookie": log_in(site)}
    twins = Twins(site)
    twins.start()
    return twins, records, logins


def plain(answer, hosts):
    """A response without what moves: hosts, moments of this run, and numbers that are drawn."""
    # WordPress draws which letters of an e-mail address become entities.
    text = re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), answer.body.decode("utf-8", "replace").replace("\\/", "/"))
    for host in hosts:
        text = text.replace(host, "SITE").replace(urllib.parse.quote(host, safe=""), "SITE")
    text = re.sub(r"20\d\d-\d\d-\d\d[ T]\d\d:\d\d:\d\d", lambda found: moment(found.group()), text)
    try:
        return answer.status, json.loads(text)
    except ValueError:
        return answer.status, text


def moment(text):
    return "now" if text[:10] in TODAY else text


# The description of a list has the time in two years as the default end.
TODAY = {subprocess.run(["date", "-u", "+%F", "-d", f"{years} years {hours} hours"], capture_output=True, text=True, timeout=20, check=True).stdout.strip() for years in (0, 2) for hours in (-1, 0, 1)}


def run(twins, edge, writer, count, mode, tally, seen):
    with ThreadPoolExecutor(2) as both:
        for number in range(count):
            if number % AGAIN == 0:
                twins.restore()
            write = writer.write()
            direct, through = both.map(lambda host: send(host, write.request), (twins.host, edge.host))
            rows = twins.differences()
            hosts = (twins.site.host, twins.host, edge.host)
            equal = plain(direct, hosts) == plain(through, hosts)
            reason = next((name for name, _, explains in INTENDED if explains(write, direct, through)), None)
            seen[f"{direct.status}"] += 1
            if equal and not rows:
                continue
            # A call that the edge refuses stores nothing; no reason explains rows but a crash half done, and a repair.
            if reason is None or (rows and reason not in ("crash", "repair")):
                shown = [plain(answer, hosts) for answer in (direct, through)]
                tally.check(False, f"{mode}: {write}\n  direct {str(shown[0])[:300]}\n  edge   {str(shown[1])[:300]}\n  rows   " + "\n         ".join(row[:160] for row in rows[:8]))
            else:
                seen[reason] += 1
            if rows:
                twins.restore()


def all_of(site, server, tally):
    """So many writes in each mode, against the built-in server."""
    if CALENDAR is None or built() is None or server != "built-in server":
        print(f"SKIPPED: {server}: effects need CALENDAR_EDGE_CALENDAR, the edge, and PHP's own server")
        return
    twins, records, logins = prepared(site)
    for mode, repairs in (("enforce", False), ("report", False), ("enforce", True)):
        seen = Counter()
        first = SETTINGS.replace("@MODE@", mode).replace("@REPAIR@", str(repairs).lower())
        label = f"{mode} with repair" if repairs else mode
        with Edge(site, SECRET, 30, first=first) as edge:
            failed = tally.failed
            run(twins, edge, Writer(f"{SEED} {label}", records, logins, repairs), COUNT, label, tally, seen)
        tally.check(tally.failed == failed, f"{server}: effects differ in {label}")
        print(f"{server}: {COUNT} writes in {label} of seed {SEED}: {dict(sorted(seen.items()))}", flush=True)
    site._end(twins.process)
    site.drop_calendar()
