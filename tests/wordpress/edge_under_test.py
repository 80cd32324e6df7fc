"""The edge itself before a site of the tests, where it is built."""

import os
import re
import subprocess
import time
import urllib.request
from pathlib import Path

from attacks import get
from site_under_test import free_port
from wire import send

FOLDERS = Path(__file__).resolve().parents[2] / "target"

CONFIG = """@FIRST@
listen = ["127.0.0.1:@PORT@"]
[origin]
url = "http://@SITE@/wp-json"
secret_file = "@SECRET@"
[admin]
listen = "127.0.0.1:@ADMIN@"
[cache]
enabled = true
reconcile = "@RECONCILE@s"
stale_while_revalidate = "0s"
"""


def built():
    """The program, or None; a variable names another one."""
    named = os.environ.get("CALENDAR_EDGE_PROGRAM")
    places = [Path(named)] if named else [FOLDERS / kind / "calendar-edge" for kind in ("debug", "release")]
    found = [place for place in places if place.exists()]
    return max(found, key=lambda place: place.stat().st_mtime, default=None)


class Edge:
    """One edge on loopback that takes the messages of the site; it ends with the block."""

    def __init__(self, site, secret, reconcile, more="", first=""):
        self.site, self.secret, self.reconcile, self.more, self.first = site, secret, reconcile, more, first
        self.port, self.admin = free_port(), free_port()

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    def __enter__(self):
        secret = self.site.scratch / "edge-secret"
        secret.write_text(self.secret)
        secret.chmod(0o600)
        values = {"PORT": self.port, "ADMIN": self.admin, "SITE": self.site.host, "SECRET": secret, "RECONCILE": self.reconcile, "FIRST": self.first}
        text = CONFIG + self.more
        for name, value in values.items():
            text = text.replace(f"@{name}@", str(value))
        config = self.site.scratch / "edge.toml"
        config.write_text(text)
        with open(self.site.scratch / "edge.out", "wb") as output:
            command = [built(), "serve", "--config", config]
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.site.report_to([f"http://127.0.0.1:{self.admin}/purge"])
        self._until_open()
        return self

    def __exit__(self, *_):
        self.site.report_to([])
        self.process.terminate()
        self.process.wait(timeout=20)

    def get(self, target):
        return send(self.host, get(target))

    def metrics(self, name):
        """The series of a metric, by their labels."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/metrics", timeout=20) as answer:
            lines = answer.read().decode().splitlines()
        series = (line.rpartition(" ") for line in lines if line.startswith((f"{name}{{", f"{name} ")))
        return {tuple(re.findall('"([^"]*)"', labels)): float(value) for labels, _, value in series}

    def _until_open(self):
        end = time.monotonic() + 20
        while time.monotonic() < end and self.process.poll() is None:
            try:
                if self.get("/wp-json/tribe/events/v1/events").status == 200:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        log = (self.site.scratch / "edge.out").read_text(errors="replace")
        raise RuntimeError(f"the edge does not answer: {log[-1500:]}")
