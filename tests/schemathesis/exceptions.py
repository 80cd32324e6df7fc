"""Where schemathesis and WordPress disagree on purpose, each with its reason.

Schemathesis loads this as its hooks. A failure is dropped only if rows of the tables below explain all of it; how
often each row was needed is printed at the end of the run.
"""

import atexit
import collections
import json
import os
import re
from urllib.parse import parse_qsl, urlsplit

import jsonschema_rs
import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import negated_parameters

with open(os.environ["EDGE_DOCUMENT"], encoding="utf-8") as file:
    DOCUMENT = json.load(file)

NEEDED = collections.Counter()


# === valid requests that are refused ===

# What a value names is looked up in the site's database. The edge forwards such a request; the answer is the site's.
LOOKED_UP = {
    "id": "a record that does not exist is an invalid `id`",
    "slug": "a record that does not exist is an invalid `slug`",
    "author": "no such account",
    "image": "no such image, or an address, which the demo does not fetch",
    "venue": "no such venue",
    "organizer": "no such organizer",
    "categories": "no such category",
    "tags": "no such tag",
    "include": "no such term",
    "exclude": "no such term",
    "parent": "no such parent",
    "post": "no such event",
    "event": "no such event",
    "post_parent": "no such event",
    "status": "plugins may register a status of any name; the demo has those of WordPress",
    "ticketed": "needs the plugin Event Tickets, which the demo does not have",
}

# Codes of answers that hang on what is stored.
STORED = {
    "event-is-in-trash": "deleted before",
    "venue-is-in-trash": "deleted before",
    "organizer-is-in-trash": "deleted before",
    "term_exists": "a term of this name is there already",
    "duplicate_term_slug": "another term has this slug",
}

WORDS = {"Invalid parameter.", "Event Tickets plugin is not activated."}


def refused_for_what_is_stored(case, response):
    """Why a request was refused that is valid by the document."""
    problem = response.json()
    if "proxy-status" in response.headers:
        return refused_by_the_edge(case, response, problem)
    if problem["code"] in STORED:
        return {STORED[problem["code"]]}
    if problem["code"] != "rest_invalid_param":
        return None
    params = problem["data"]["params"]
    if params.keys() <= LOOKED_UP.keys() and WORDS.issuperset(params.values()):
        return {LOOKED_UP[name] for name in params}
    return None


def refused_by_the_edge(case, response, problem):
    """The edge itself must not refuse what its document allows, but for what a schema cannot say."""
    if problem["code"] == "rest_invalid_param" and problem["data"]["params"].keys() == {"status"}:
        if "Authorization" not in response.request.headers:
            return {"anonymous callers may filter by `publish` alone (backend.md section 5)"}
    if problem["code"] == "edge_unreadable_body" and b"multipart" in bytes_of(response.request.headers["Content-Type"]):
        names = re.findall(rb'form-data; name="(.*?)"\r\n', bytes_of(response.request.body), re.DOTALL)
        if any(b"\\" in name or b"\0" in name for name in names):
            return {"PHP and RFC 7578 part ways over a backslash or a NUL in the name of a part"}
    return None


def bytes_of(text):
    return text.encode() if isinstance(text, str) else text


# === requests that break the document and are taken ===

DATES = "PHP reads dates in more forms than a pattern can tell (backend.md section 5)"
UNCHECKED = "WordPress does not check this parameter (backend.md section 1)"
NOTHING = "members of an event without a type: what PHP calls empty is nothing (backend.md section 7)"
SLUG = "an update takes any slug, and answers with what it did not find (backend.md section 7)"
NO_OBJECT = "a JSON body that is no object carries no parameters (backend.md section 4), and an update needs none"

# Members of an event that have no type (backend.md section 4).
UNTYPED = {"venue", "organizer", "categories", "tags", "website"}

# Where a value stands, its name, the text of the value, and why it is taken.
TAKEN = [
    ("query", r"start_date|end_date|(starts|ends)_(before|after)", r".*", DATES),
    ("query", r"geoloc_lat|geoloc_lng|has_events|only_with_upcoming", r".*", UNCHECKED),
    ("query", r"context", r".*", "any context is taken; the document names those that keep the answer's shape"),
    ("query", r"page|per_page", r"9223372036854775808", "PHP rounds 2^63 to a number it takes (backend.md section 5)"),
    ("query", r"per_page", r"[1-9][0-9]+", "more than 50 counts as 50 (backend.md section 7)"),
    ("query", r"status", r"0?", "those who may write may filter by nothing (backend.md section 5)"),
    ("path", r"slug", r".*", SLUG),
    ("body", r"categories|tags", r"\[?-?[0-9.e+-]+\]?", "any number is taken; no term has it (backend.md section 7)"),
    ("body", r"", r"(?!\{).*", NO_OBJECT),
    ("body", r"date|date_utc|start_date|end_date", r'".*"', DATES),
    ("body", r"venue|organizer", r'.*"date(_utc)?": "1969-12-31".*', DATES),
]


def taken(case, response):
    """Why each of the broken values is taken all the same; nothing where one of them should not be."""
    reasons = {reason_for(case, *value) for value in broken_values(case, response)}
    return None if None in reasons else reasons or {"what was sent is valid as text"}


def reason_for(case, place, name, value):
    text = value if place != "body" else json.dumps(value, default=str)
    for where, names, texts, reason in TAKEN:
        if where == place and re.fullmatch(names, name) and re.fullmatch(texts, text, re.DOTALL):
            return reason
    if place == "body" and name in UNTYPED:
        # Nothing is null in JSON and no text in a form.
        nothing = None if case.media_type == "application/json" else ""
        fuller = {**case.body, name: without_nothing(value) or nothing}
        if name not in broken_names(body_validator(case), fuller):
            return NOTHING
    return None


def without_nothing(value):
    """A JSON value without the parts that are empty to PHP; nothing at all is null."""
    if isinstance(value, dict):
        value = {key: full for key, part in value.items() if (full := without_nothing(part)) is not None}
    elif isinstance(value, list):
        value = [full for part in value if (full := without_nothing(part)) is not None]
    return None if value in (None, False, 0, "", "0", [], {}) else value


def broken_values(case, response):
    """Place, name and value of everything that breaks the document."""
    query = query_of(response)
    for name, location in negated_parameters(case.meta):
        if location == ParameterLocation.QUERY:
            yield "query", name, query.get(name, "")
        elif location == ParameterLocation.PATH:
            yield "path", name, str(case.path_parameters[name])
        elif location != ParameterLocation.BODY:
            yield location.value, name, ""
    if case.meta.is_negative_at(ParameterLocation.BODY):
        yield from broken_members(case)


def query_of(response):
    """What was sent in the query; the last value of a name counts, as in PHP."""
    return dict(parse_qsl(urlsplit(response.request.url).query, keep_blank_values=True))


def broken_members(case):
    if not isinstance(case.body, dict):
        yield "body", "", case.body
        return
    validator = body_validator(case)
    is_form = case.media_type != "application/json"
    for name in broken_names(validator, case.body):
        value = case.body.get(name)
        if is_form and not isinstance(value, (dict, list)):
            # A form carries text.
            value = str(value)
            if name not in broken_names(validator, {**case.body, name: value}):
                continue
        yield "body", name, value


def broken_names(validator, body):
    return {str(next(iter(error.instance_path), "")) for error in validator.iter_errors(body)}


def body_validator(case):
    body = DOCUMENT["paths"][case.operation.path][case.operation.method]["requestBody"]
    schema = body["content"][case.media_type]["schema"]
    return jsonschema_rs.Draft202012Validator({"components": DOCUMENT["components"], "allOf": [schema]})


# === answers ===


def emptied_by_context(case, response):
    """A term in an unknown context is its links alone (backend.md section 12)."""
    context = query_of(response).get("context", "view")
    if context in ("view", "edit") or not re.match("/(categories|tags)/", case.operation.path):
        return None
    return {"a term in an unknown context is its links alone (backend.md section 12)"}


def in_the_trash(case, response):
    """A deleted post shows to those who may write, and an update brings it back (backend.md sections 8 and 9)."""
    if re.match("/(events|venues|organizers)/", case.operation.path):
        return {"a post is in the trash, where it shows to editors and an update brings it back (backend.md section 9)"}
    return None


EXPLAIN = {
    "RejectedPositiveData": refused_for_what_is_stored,
    "AcceptedNegativeData": taken,
    "JsonSchemaError": emptied_by_context,
    "UseAfterFree": in_the_trash,
}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops a failure that is explained."""
    explain = EXPLAIN.get(type(failure).__name__)
    reasons = explain(case, response) if explain else None
    for reason in reasons or ():
        NEEDED[type(failure).__name__, reason] += 1
    return not reasons


@atexit.register
def report():
    """Prints which exceptions were needed."""
    if NEEDED:
        print("Disagreements on purpose:")
    for (kind, reason), count in sorted(NEEDED.items()):
        print(f"{count:7} {kind}: {reason}")
