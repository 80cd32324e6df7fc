//! Schemas of arguments: the values allowed in a path, a query, a form or a JSON body.

use serde_json::{Map, Value, json};

use calendar_edge_judge::contract::{
    Argument, DefaultValue, Documented, Kind, LARGEST_PAGE, PAGE_SIZE, Rule, Schema,
};

/// The part of a request that carries an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carrier {
    /// A segment of the path.
    Path,
    /// Text in a query.
    Query,
    /// Text in a form body.
    Form,
    /// A JSON value.
    Json,
}

/// The schema of an argument's values, with its default in a query. Bodies have none: generators then demand the member.
pub(super) fn schema(argument: &Argument, carrier: Carrier) -> Value {
    let mut schema = by_rule(argument, carrier);
    if let Some(default) = default(argument).filter(|_| matches!(carrier, Carrier::Path | Carrier::Query)) {
        schema["default"] = default;
    }
    schema
}

fn by_rule(argument: &Argument, carrier: Carrier) -> Value {
    match argument.rule {
        // More counts as the most.
        Rule::PositiveInt if argument.name == PAGE_SIZE => {
            json!({"type": "integer", "minimum": 1, "maximum": LARGEST_PAGE})
        }
        Rule::PositiveInt => reference("PositiveInteger"),
        Rule::PositiveIntList => list_of("PositiveInteger"),
        Rule::VenueIdList | Rule::OrganizerIdList => list_of("RecordNumber"),
        Rule::UserId | Rule::EventId | Rule::EventNumber | Rule::VenueId | Rule::OrganizerId => {
            identifier(carrier)
        }
        Rule::TermList if argument.schema == Some(Schema::Integer) => identifier(carrier),
        Rule::TermList => list_of("TermReference"),
        Rule::NonEmptyString if argument.is_required => reference(name_schema(argument)),
        Rule::NonEmptyString => reference("Text"),
        Rule::StringOrEmpty => json!({"type": "string"}),
        Rule::Time => reference("DateTime"),
        Rule::TimezoneOrEmpty => reference("TimeZone"),
        Rule::UrlOrEmpty => url(argument, carrier),
        Rule::Image => reference("ImageReference"),
        Rule::ImageOrEmpty => or_empty("ImageReference"),
        Rule::EventSlug | Rule::VenueSlug | Rule::OrganizerSlug => reference("Slug"),
        Rule::PostStatus => reference("PostStatus"),
        Rule::StatusFilter => reference("StatusFilter"),
        Rule::Ticketed => reference("Flag"),
        Rule::VenueEntry => entry(Kind::Venue, carrier),
        Rule::OrganizerEntry => entry(Kind::Organizer, carrier),
        Rule::Anything => unruled(argument, carrier),
    }
}

/// Arguments without a callback: only their type is checked, if they have one.
fn unruled(argument: &Argument, carrier: Carrier) -> Value {
    match (argument.documented, carrier) {
        (Documented::Boolean | Documented::BooleanLike, _) => reference("Flag"),
        (Documented::Double, _) => json!({"type": "number"}),
        (Documented::Integer, _) => json!({"type": "integer"}),
        (Documented::IntegerList, Carrier::Json) => reference("TermsToAssign"),
        (Documented::IntegerList, _) => json!({"type": "string", "examples": ["2,jazz"]}),
        (Documented::Any, Carrier::Json) => json!({}),
        (Documented::Any, _) => json!({"type": ["string", "number", "boolean"]}),
        (
            Documented::String
            | Documented::DateTime
            | Documented::Date
            | Documented::UtcDate
            | Documented::Url
            | Documented::Email,
            _,
        ) => json!({"type": "string"}),
    }
}

/// The schema of a name that creates a record. WordPress fails with a 500 on blank names, and on term names
/// of more than 200 characters.
fn name_schema(argument: &Argument) -> &'static str {
    if argument.name == "name" {
        "TermName"
    } else {
        "Name"
    }
}

fn identifier(carrier: Carrier) -> Value {
    match carrier {
        Carrier::Path | Carrier::Query | Carrier::Form => reference("RecordNumber"),
        Carrier::Json => reference("Identifier"),
    }
}

fn url(argument: &Argument, carrier: Carrier) -> Value {
    let mut forms = vec![reference("Url"), json!({"const": ""})];
    if argument.schema.is_none() && carrier == Carrier::Json {
        forms.push(json!({"type": "null"}));
    }
    json!({ "anyOf": forms })
}

fn or_empty(component: &str) -> Value {
    json!({"anyOf": [reference(component), {"const": ""}]})
}

/// The venue or the organizers of an event.
fn entry(kind: Kind, carrier: Carrier) -> Value {
    let component = match kind {
        Kind::Organizer => "OrganizersToAssign",
        Kind::Venue | Kind::Event | Kind::Category | Kind::Tag => "VenueToAssign",
    };
    match (carrier, kind) {
        (Carrier::Json, _) => reference(component),
        (_, Kind::Organizer) => {
            json!({"type": "string", "pattern": "^([1-9][0-9]{0,17}(,[1-9][0-9]{0,17})*)?$", "examples": ["15,16"]})
        }
        (_, Kind::Venue | Kind::Event | Kind::Category | Kind::Tag) => or_empty("RecordNumber"),
    }
}

fn list_of(component: &str) -> Value {
    json!({"type": "array", "items": reference(component), "minItems": 1})
}

pub(super) fn reference(component: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{component}")})
}

fn default(argument: &Argument) -> Option<Value> {
    match argument.default {
        DefaultValue::None | DefaultValue::Null | DefaultValue::Generated => None,
        // The backend treats `strict_dates` as text.
        DefaultValue::Bool(value) if argument.rule == Rule::NonEmptyString => Some(value.to_string().into()),
        DefaultValue::Bool(value) => Some(value.into()),
        DefaultValue::Int(value) => Some(value.into()),
        DefaultValue::Text(value) => Some(value.into()),
    }
}

// === components ===

/// PHP turns larger numbers into the largest integer, so no record can have that number.
const LARGEST_RECORD: i64 = i64::MAX - 1;
/// Characters that PHP trims, and zeros, are not a name on their own: WordPress fails on such titles.
const NAME: &str = r"[^ \t\n\r\x00\x0b0]";
const DATE: &str = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])";
const TIME: &str = "[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?(Z|[+-](0[0-9]|1[0-3]):[0-5][0-9])?";
const RELATIVE: &str =
    "now|today|tomorrow|yesterday|noon|midnight|[+-][1-9][0-9]{0,2} (minute|hour|day|week|month|year)s?";
const HOST: &str =
    r"[A-Za-z0-9]([A-Za-z0-9-]{0,20}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,20}[A-Za-z0-9])?){0,8}";

/// The named schemas that arguments refer to.
pub(super) fn components() -> Map<String, Value> {
    let groups = [numbers_and_flags(), texts(), formats(), statuses(), references()];
    let named = groups.into_iter().map(|group| match group {
        Value::Object(schemas) => schemas,
        _ => Map::new(),
    });
    named.flatten().collect()
}

fn numbers_and_flags() -> Value {
    json!({
        "PositiveInteger": {
            "type": "integer",
            "format": "int64",
            "minimum": 1,
            "maximum": i64::MAX,
        },
        "RecordNumber": {
            "type": "integer",
            "format": "int64",
            "minimum": 1,
            "maximum": LARGEST_RECORD,
        },
        "Identifier": {
            "description": "The number of a record, as number or text.",
            "type": ["integer", "string"],
            "format": "int64",
            "minimum": 1,
            "maximum": LARGEST_RECORD,
            "pattern": "^0*[1-9][0-9]{0,17}$",
        },
        "Flag": {
            "description": "True or false; 1 and 0 mean the same, also as text.",
            "anyOf": [
                {"type": "boolean"},
                {"enum": [0, 1]},
                {"type": "string", "pattern": "^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[01])$"},
            ],
        },
    })
}

fn texts() -> Value {
    json!({
        "Text": {
            "description": "Any text but the empty one and `0`.",
            "type": "string",
            "pattern": r"[^0]|[\s\S]{2}",
        },
        "Name": {
            "description": "Any text that is more than blanks and zeros.",
            "type": "string",
            "pattern": NAME,
        },
        "TermName": {
            "description": "Any text of up to 200 characters that is more than blanks and zeros.",
            "type": "string",
            "maxLength": 200,
            "pattern": NAME,
        },
        "Slug": {
            "description": "The part of a record's address that names it. Records show letters beyond ASCII \
                percent-encoded in their `slug`: decode it before you put it into a path, which is encoded again.",
            "type": "string",
            "minLength": 1,
            "pattern": r"^[^/\\%\s.\x00-\x1f\x7f-][^/\\%\x00-\x1f\x7f]*$",
            "not": {"const": "0"},
            "examples": ["new-york-gala"],
        },
    })
}

fn formats() -> Value {
    let date = format!("^({DATE}({TIME})?|{RELATIVE}|@?[1-9][0-9]{{0,9}})$");
    let address = format!("{HOST}(:[1-9][0-9]{{0,3}})?([/?#][!-~]*)?");
    json!({
        "DateTime": {
            "description": "A date with or without a time, words such as `tomorrow` and `+1 week`, or seconds since \
                1970. Without an offset it is the site's time, or that of the event's time zone.",
            "type": "string",
            "pattern": date,
            // PHP's validator refuses the epoch itself.
            "not": {"pattern": "^(1969-12-31|1970-01-01)"},
            "examples": ["2027-04-02 19:00:00", "2027-04-02", "+1 week"],
        },
        "TimeZone": {
            "description": "A name by area, an offset, or nothing for the site's own.",
            "type": "string",
            // Names by area. The site's time zone data decides which of them exist.
            "pattern": concat!(
                "^(|Z|GMT|UTC([!-~]([ -~]*[!-~])?)?|[+-](0[0-9]|1[0-3]):[0-5][0-9]|",
                "(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Etc|Europe|Indian|Pacific)",
                "/[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)?)$",
            ),
            "examples": ["Europe/Berlin", "UTC+5:30"],
        },
        "Url": {
            "type": "string",
            "pattern": format!("^(https?|ftp)://{address}$"),
            "maxLength": 2000,
            "examples": ["https://hall.example/grand"],
        },
        "ImageReference": {
            "description": "The number of an image in the media library, as text.",
            "type": "string",
            // URLs of images are not documented, because only hosts in the settings are accepted.
            "pattern": "^0*[1-9][0-9]{0,17}$",
            "examples": ["5"],
        },
    })
}

fn statuses() -> Value {
    json!({
        "PostStatus": {
            "description": "A status of the site; plugins add to those of WordPress.",
            "type": "string",
            "pattern": "^[a-z][a-z0-9_-]{0,19}$",
            "not": {"const": "any"},
            "examples": ["publish", "future", "draft", "pending", "private"],
        },
        "StatusFilter": {
            "description": "One status or several with commas. Callers that may not write get `publish` alone.",
            "type": "string",
            "pattern": "^[a-z][a-z0-9_-]{0,19}(,[a-z][a-z0-9_-]{0,19})*,?$",
            "not": {"pattern": "(^|,)any(,|$)"},
            "examples": ["publish", "publish,draft"],
        },
    })
}

fn references() -> Value {
    json!({
        "TermReference": {
            "description": "A term by number, slug or name; text that looks like a number is one.",
            "anyOf": [
                reference("PositiveInteger"),
                {"type": "string", "pattern": r"^[^,]*[^0-9eE+.,\s-][^,]*$"},
            ],
            "examples": [2, "jazz"],
        },
        "TermsToAssign": {
            "description": "Terms by number or name, as a list or with commas. A name that is unknown becomes a new term.",
            "type": ["array", "integer", "string", "null"],
            "items": {"type": ["integer", "string"]},
            "examples": [[2, "jazz"], "2,jazz"],
        },
        "VenueToAssign": {
            "description": "The number of a venue, or a venue to create, alone or as a list of one; nothing for none.",
            "anyOf": [
                reference("Identifier"),
                reference("VenueEntry"),
                {"type": "array", "items": {"anyOf": [reference("Identifier"), reference("VenueEntry")]}},
                {"const": ""},
                {"type": "null"},
            ],
            "examples": [7, [7], {"venue": "Grand Hall"}],
        },
        "VenueEntry": entry_object("VenueCreate"),
        "OrganizersToAssign": {
            "description": "Numbers of organizers, or organizers to create, alone or as a list; nothing for none.",
            "anyOf": [
                reference("Identifier"),
                reference("OrganizerEntry"),
                {
                    "type": "array",
                    "items": {"anyOf": [reference("Identifier"), reference("OrganizerEntry")]},
                },
                {"type": "string", "pattern": "^([1-9][0-9]{0,17}(,[1-9][0-9]{0,17})*)?$"},
                {"type": "null"},
            ],
            "examples": [[15, 16], "15,16", {"organizer": "Acme Concerts"}],
        },
        "OrganizerEntry": entry_object("OrganizerCreate"),
    })
}

/// An existing record, by its number, or one to create.
fn entry_object(create: &str) -> Value {
    json!({
        "anyOf": [
            {"type": "object", "required": ["id"], "properties": {"id": reference("Identifier")}},
            reference(create),
        ],
    })
}
