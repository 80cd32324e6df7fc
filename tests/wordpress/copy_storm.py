"""Edits a site at random through an edge, and reads beside it: nothing older than an acknowledged edit may be read.

    copy_storm.py SITE PORT EDGE_PORT EDITS [SEED [KILLED_EVERY]]

SITE is a directory with the files `secret` and `app-password` (of the account `admin`), and the socket `db.sock` of the
database. The edge at EDGE_PORT has the copy on. Four readers read the record, a list and a search through the edge while
each edit is on its way and after it, and compare with the site. During one of KILLED_EVERY edits, the processes of PHP
are killed at a random moment: the workers of the php-fpm whose number is the second of the file `pids` in SITE, or the
whole php-fpm, which is started again with `fpm.conf`.
"""

import base64
import collections
import concurrent.futures
import http.client
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import time

import copy_study
from copy_study import API, Site

READERS, BESIDE, AFTER = 4, 4, 21
HIDDEN = "SELECT ID FROM wp_posts WHERE post_status <> 'publish'"


class Edge:
    def __init__(self, port, password):
        self.port, self.connection = port, None
        self.login = "Basic " + base64.b64encode(b"admin:" + password.encode()).decode()

    def ask(self, method, target, body=None):
        for attempt in range(2):
            try:
                self.connection = self.connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                headers = {"Authorization": self.login, "Content-Type": "application/json"} if method != "GET" else {}
                self.connection.request(method, target, json.dumps(body) if body else None, headers)
                response = self.connection.getresponse()
                return response.status, response.getheader("cache-status") or "", response.read()
            except (OSError, http.client.HTTPException):
                self.connection = None
                if attempt:
                    raise


class Php:
    """The php-fpm of a site."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.master = int((self.directory / "pids").read_text().split()[1])

    def kill(self, wait, is_whole, down):
        time.sleep(wait)
        workers = pathlib.Path(f"/proc/{self.master}/task/{self.master}/children").read_text().split()
        for process in [self.master] * is_whole + [int(worker) for worker in workers]:
            os.kill(process, signal.SIGKILL)
        if is_whole:
            time.sleep(down)
            self.start()

    def start(self):
        with open(self.directory / "log", "ab") as log:
            command = ["php-fpm8.2", "-y", str(self.directory / "fpm.conf")]
            started = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        pids = (self.directory / "pids").read_text().split()
        self.master = pids[1] = started.pid
        (self.directory / "pids").write_text(" ".join(map(str, pids)))


def plain(body):
    """The body without what two responses of the site may differ in: letters of e-mail addresses, which WordPress encodes
    at random, names of images, and numbers in names of classes, which count what was printed before."""
    body = re.sub(rb"(imageId&quot;:&quot;|data-wp-key=..)[0-9a-f]+", rb"\1N", body)
    body = re.sub(rb"(wp-container-[a-z-]+|gallery-|wp-elements-)\d+", rb"\1N", body)
    body = re.sub(rb"&#(\d+);", lambda found: bytes([int(found[1]) & 127]), body)
    return re.sub(rb"%([0-9a-f]{2})", lambda found: bytes([int(found[1], 16)]), body)


def differing(one, two):
    at = next((at for at, (a, b) in enumerate(zip(one, two)) if a != b), min(len(one), len(two)))
    return f"\n    edge {one[max(0, at - 60):at + 90]!r}\n    site {two[max(0, at - 60):at + 90]!r}"


def edit(edge, reads, chance, number):
    """One random edit: what it was, and the target of its record."""
    kind, what = chance.choice(["events"] * 4 + ["venues", "organizers"]), chance.randrange(8)
    record = chance.choice(reads.records[kind[:-1]])["id"]
    if kind == "events" and what == 0:
        new = {"title": f"Storm {number}", "start_date": "2027-03-04 10:00:00", "end_date": "2027-03-04 11:00:00", "status": "publish"}
        status, _, body = edge.ask("POST", API + "events", new)
        record = json.loads(body).get("id", record) if status < 300 else record
        return "create", status, f"{kind}/{record}"
    if what == 1:
        status, _, _ = edge.ask("DELETE", f"{API}{kind}/{record}")
        return "delete", status, f"{kind}/{record}"
    name = {"events": "title", "venues": "venue", "organizers": "organizer"}[kind]
    if what in (2, 3):
        change = {"status": chance.choice(["draft", "private", "publish", "publish"])}
    elif kind == "events" and what == 4:
        change = {"categories": [chance.choice(reads.terms["categories"])["id"]]} if reads.terms["categories"] else {"title": "x"}
    elif kind == "events" and what == 5:
        change = {"featured": chance.choice([True, False]), "venue": chance.choice(reads.records["venue"])["id"]}
    else:
        change = {name: f"Storm {number} {chance.choice(reads.words)}"}
    status, _, _ = edge.ask("POST", f"{API}{kind}/{record}", change)
    return "/".join(change), status, f"{kind}/{record}"


def by(cache_status):
    return next((name for name in ("copy; hit", "hit") if name in cache_status), "site")


class Readers:
    """Reads through the edge at once, and judges what was read."""

    def __init__(self, site, directory, port, password):
        self.site, self.directory = site, directory
        self.port, self.password, self.pool = port, password, concurrent.futures.ThreadPoolExecutor(READERS)
        self.result, self.wrong = collections.Counter(), []

    def read(self, targets, pauses):
        """The reads of all readers, in turn. Targets and pauses are taken one after the other."""
        def some(at):
            found, edge = [], Edge(self.port, self.password)
            for target, pause in list(zip(targets, pauses))[at::READERS]:
                time.sleep(pause)
                found.append((target, *edge.ask("GET", target), time.monotonic()))
            return found
        return [self.pool.submit(some, at) for at in range(READERS)]

    def hidden(self):
        command = ["mariadb", "-S", f"{self.directory}/db.sock", "-uroot", "wordpress", "-N", "-e", HIDDEN]
        return {int(line) for line in subprocess.run(command, capture_output=True, check=True).stdout.split()}

    def shows(self, found, hidden, why):
        """What is not public may not be told, whoever responds."""
        for target, status, cache, body, _ in found:
            said = json.loads(body) if status == 200 else {}
            numbers = {said.get("id")} | {record["id"] for record in said.get("events", [])}
            if numbers & hidden:
                self.wrong.append((*why, "HIDDEN", numbers & hidden, by(cache), target, status))

    def judge(self, found, why, acknowledged):
        truths = {}
        for target, status, cache, body, at in found:
            self.result["read", by(cache), status, "earlier" if "ttl=-" in cache else ""] += 1
            if status >= 429:
                continue
            for attempt in range(3):
                if attempt or target not in truths:
                    truths[target] = self.site.get(target)
                true, _, text = truths[target]
                if (status, plain(body)) == (true, plain(text)):
                    break
            else:
                self.wrong.append((*why, by(cache), cache, f"{at - acknowledged:.2f} s", target, status, differing(plain(body), plain(text))))


def settled(site):
    """Waits until the site answers."""
    for _ in range(100):
        try:
            if site.get(API + "events?per_page=1")[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.2)


def main(directory, port, edge_port, edits, seed=1, killed_every=0):
    site, chance = Site(directory, int(port)), random.Random(int(seed))
    password = pathlib.Path(directory, "app-password").read_text().strip()
    edge, php, readers = Edge(int(edge_port), password), Php(directory), Readers(site, directory, int(edge_port), password)
    reads, took = copy_study.Reads(site.replies(), chance), 0.3
    wrong, result, record, told = readers.wrong, readers.result, "events/1", 0
    for number in range(int(edits)):
        hidden, dies = readers.hidden(), int(killed_every) and number % int(killed_every) == 0
        targets = [API + f"events?per_page={chance.randrange(1, 20)}&start_date=2000-01-01", API + f"events?search=storm&page={chance.randrange(1, 3)}"]
        beside = readers.read([API + record, *targets, API + "events"][:BESIDE], [chance.uniform(0, took)] * BESIDE)
        started = time.monotonic()
        if dies:
            killing = threading.Thread(target=php.kill, args=(chance.uniform(0, 1.1 * took), chance.random() < 0.4, chance.uniform(0.2, 2)))
            killing.start()
        what, status, record = edit(edge, reads, chance, number)
        acknowledged = time.monotonic()
        took = took if dies else 0.9 * took + 0.1 * (acknowledged - started)
        state = "killed" if dies and status >= 500 else "spared" if dies else ""
        result["edit", what, status, state] += 1
        result["killed", state] += bool(state)
        # By then the copy has read the change; the cache has none of these.
        later = [API + f"events?per_page={chance.randrange(1, 20)}&start_date={chance.choice(reads.days)}" for _ in range(READERS)]
        soon = ([API + record, *targets] * AFTER)[: AFTER - len(later)]
        after = readers.read(soon + later, [0] * len(soon) + [0.6] * len(later))
        why = (number, what, record, state)
        readers.shows([read for job in beside for read in job.result()], hidden - {int(record.split("/")[1])}, ("beside", *why))
        result["read beside",] += BESIDE
        found = [read for job in after for read in job.result()]
        if dies:
            killing.join()
            settled(site)
            readers.shows(found, hidden & readers.hidden(), why)
        else:
            readers.shows(found, readers.hidden(), why)
        readers.judge(found, why, acknowledged)
        for found in wrong[told:]:
            print("WRONG", *found, flush=True)
        told = len(wrong)
    for key, count in sorted(result.items(), key=str):
        print(f"{count:7} {key}")
    print(f"{edits} edits, {len(wrong)} wrong reads")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
