"""The commands of the documents: blocks of ```sh by page and heading, and what of them a way of installing runs."""

import re
from dataclasses import dataclass, field
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("start.md", "guides/roll-out.md", "guides/companion-plugin.md")
ALTERNATIVE = re.compile(r"\s*# a container: (.*)$")

# What is not run, by a part of the command, and why. The ways of installing stand in front.
NOT_RUN = {
    "package": {},
    "container": {
        "mkdir -p /etc/systemd/system": "a container has no unit",
        "secret.conf": "a container has no unit",
        "daemon-reload": "a container has no unit",
    },
    "archive": {"apt purge": "no package was installed"},
}
WITHOUT_WORDPRESS = {"wp-config.php": "there is no WordPress", "wp-load.php": "there is no WordPress", "$wpdb": "there is no WordPress"}


@dataclass
class Block:
    """One block: the page, the heading above it, and its commands with what a container runs in place of them."""

    page: str
    heading: str
    commands: list = field(default_factory=list)

    def of(self, way, is_wordpress):
        """The commands that this way runs, and those that it does not, with the reason."""
        run, left = [], []
        not_run = NOT_RUN[way] | ({} if is_wordpress else WITHOUT_WORDPRESS)
        for command, instead in self.commands:
            command = instead if way == "container" and instead else command
            reason = next((why for part, why in not_run.items() if part in command), None)
            if reason:
                left.append((command, reason))
            else:
                run.append(command)
        return run, left


def blocks():
    """All blocks of the three pages, in their order."""
    return [block for page in PAGES for block in read(page)]


def read(page):
    found, heading, block = [], "", None
    for line in (DOCS / page).read_text().splitlines():
        text = line.strip()
        if block is None and line.startswith("## "):
            heading = line.removeprefix("## ")
        elif block is None and text == "```sh":
            block, continued = Block(page, heading), ""
            found.append(block)
        elif text == "```":
            block = None
        elif block is not None and text:
            continued = take(block, continued, text)
    return found


def take(block, before, text):
    """Adds a line; returns the beginning of a command that goes on below."""
    if not before and (instead := ALTERNATIVE.fullmatch(" " + text)):
        block.commands[-1] = (block.commands[-1][0], instead[1])
        return ""
    if text.endswith("\\"):
        return before + text.removesuffix("\\")
    if text.endswith("|"):
        return before + text + " "
    instead = ALTERNATIVE.search(text)
    command = before + ALTERNATIVE.sub("", text)
    block.commands.append((command, instead and instead[1]))
    return ""
