"""Profiles of callgrind, read: what they add up to, and who was called how often."""

import re


def instructions(profile):
    """The instructions of a whole profile."""
    return int(re.search(r"^(?:totals|summary): (\d+)", profile, re.M)[1])


def calls(profile):
    """Called functions with the number of calls. A name is spelled once, and a number stands for it from then on."""
    names, called = {}, None
    for line in profile.splitlines():
        if match := re.match(r"(c?fn)=\((\d+)\)(?: (.*))?", line):
            kind, number, name = match.groups()
            if name:
                names[number] = name
            if kind == "cfn":
                called = number
        elif line.startswith("calls="):
            yield names.get(called, ""), int(line[6:].split()[0])
