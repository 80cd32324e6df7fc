//! Records that the backend returns (backend.md section 11).

use serde_json::{Map, Value, json};

use super::bodies;
use super::inputs::reference;
use calendar_edge_judge::contract::Kind;

/// The record schemas by name.
pub(super) fn components() -> Map<String, Value> {
    let mut schemas = Map::new();
    let mut add = |name: &str, schema: Value| schemas.insert(name.to_owned(), schema);
    add("Event", event());
    add("Venue", venue());
    add("Organizer", organizer());
    add("Category", term(Kind::Category));
    add("Tag", term(Kind::Tag));
    for kind in Kind::ALL {
        add(&format!("{}List", bodies::component(kind)), list(kind));
    }
    add("EventTerm", event_term());
    add("Image", image());
    add("DateDetails", date_details());
    add("CostDetails", cost_details());
    add("UpdateErrors", update_errors());
    add("NamespaceIndex", namespace_index());
    schemas
}

/// An open object: the `required` members with their schemas, then the optional ones.
fn object<'a>(
    required: impl IntoIterator<Item = (&'a str, Value)>,
    optional: impl IntoIterator<Item = (&'a str, Value)>,
) -> Value {
    let mut properties = Map::new();
    let mut names = Vec::new();
    for (name, schema) in required {
        names.push(name.to_owned());
        properties.insert(name.to_owned(), schema);
    }
    let optional = optional
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema));
    properties.extend(optional);
    json!({"type": "object", "required": names, "properties": properties})
}

fn each<'a>(names: &[&'a str], schema: &Value) -> Vec<(&'a str, Value)> {
    names.iter().map(|name| (*name, schema.clone())).collect()
}

fn text() -> Value {
    json!({"type": "string"})
}

fn integer() -> Value {
    json!({"type": "integer"})
}

fn nullable(kind: &str) -> Value {
    json!({"type": [kind, "null"]})
}

fn list_of(items: &Value) -> Value {
    json!({"type": "array", "items": items})
}

/// PHP prints an empty map as an empty list. Some client generators require `items` on every list.
fn map_or_empty_list() -> Value {
    json!({"type": ["object", "array"], "items": {}, "maxItems": 0})
}

/// A record, or an empty list if there is none.
fn record_or_empty_list(component: &str) -> Value {
    json!({"anyOf": [reference(component), {"type": "array", "items": {}, "maxItems": 0}]})
}

/// An image, or `false` if there is none.
fn image_or_false() -> Value {
    json!({"anyOf": [reference("Image"), {"const": false}]})
}

/// Members of every post.
fn post() -> Vec<(&'static str, Value)> {
    let mut members = vec![("id", integer())];
    members.extend(each(
        &[
            "global_id",
            "author",
            "status",
            "date",
            "date_utc",
            "modified",
            "modified_utc",
            "url",
        ],
        &text(),
    ));
    members.push(("global_id_lineage", list_of(&text())));
    members
}

fn event() -> Value {
    let mut required = post();
    required.extend(each(
        &[
            "rest_url",
            "title",
            "description",
            "excerpt",
            "slug",
            "start_date",
            "end_date",
            "timezone",
            "timezone_abbr",
            "cost",
            "website",
        ],
        &text(),
    ));
    // In lists, the origin blanks these for protected events (backend.md section 8).
    required.extend(each(
        &[
            "all_day",
            "show_map",
            "show_map_link",
            "hide_from_listings",
            "sticky",
            "featured",
        ],
        &nullable("boolean"),
    ));
    required.extend(each(&["utc_start_date", "utc_end_date"], &nullable("string")));
    required.extend(each(
        &[
            "start_date_details",
            "end_date_details",
            "utc_start_date_details",
            "utc_end_date_details",
        ],
        &reference("DateDetails"),
    ));
    required.extend([
        ("cost_details", reference("CostDetails")),
        ("image", image_or_false()),
        ("categories", list_of(&reference("EventTerm"))),
        ("tags", list_of(&reference("EventTerm"))),
        ("venue", record_or_empty_list("Venue")),
        ("organizer", list_of(&reference("Organizer"))),
    ]);
    object(required, [("json_ld", json_ld())])
}

/// Structured data of single reads. Its shape is defined by schema.org and depends on the site's settings.
fn json_ld() -> Value {
    json!({"type": ["object", "array", "boolean"], "items": {}})
}

fn venue() -> Value {
    let mut required = post();
    required.push(("venue", text()));
    required.extend(each(&["show_map", "show_map_link"], &json!({"type": "boolean"})));
    let mut optional = each(
        &[
            "description",
            "excerpt",
            "slug",
            "address",
            "city",
            "country",
            "province",
            "state",
            "zip",
            "phone",
            "website",
            "stateprovince",
        ],
        &text(),
    );
    optional.extend([("image", image_or_false()), ("json_ld", json_ld())]);
    object(required, optional)
}

fn organizer() -> Value {
    let mut required = post();
    required.push(("organizer", text()));
    let mut optional = each(
        &["description", "excerpt", "slug", "phone", "website", "email"],
        &text(),
    );
    optional.extend([("image", image_or_false()), ("json_ld", json_ld())]);
    object(required, optional)
}

fn term(kind: Kind) -> Value {
    let mut required = each(&["id", "count"], &integer());
    required.extend(each(&["description", "name", "slug", "taxonomy", "url"], &text()));
    required.extend([("meta", map_or_empty_list()), ("urls", urls())]);
    if kind == Kind::Category {
        required.push(("parent", integer()));
    }
    object(
        required,
        [
            ("_links", json!({"type": "object"})),
            ("_embedded", json!({"type": "object"})),
        ],
    )
}

fn urls() -> Value {
    object(each(&["self", "collection"], &text()), [("up", text())])
}

/// A term inside an event, which WordPress prints differently from a term alone.
fn event_term() -> Value {
    let mut required = each(
        &["id", "term_group", "term_taxonomy_id", "parent", "count"],
        &integer(),
    );
    required.extend(each(
        &["name", "slug", "taxonomy", "description", "filter"],
        &text(),
    ));
    required.push(("urls", urls()));
    object(required, [])
}

fn list(kind: Kind) -> Value {
    let mut required = vec![(kind.collection(), list_of(&reference(bodies::component(kind))))];
    required.push(("rest_url", text()));
    required.extend(each(
        &["total", "total_pages"],
        &json!({"type": "integer", "minimum": 0}),
    ));
    object(required, each(&["next_rest_url", "previous_rest_url"], &text()))
}

fn image() -> Value {
    let size = object(
        each(&["width", "height"], &integer())
            .into_iter()
            .chain([("url", text())]),
        [("mime-type", text()), ("filesize", integer())],
    );
    let sizes = json!({
        "type": ["object", "array", "boolean"],
        "items": {},
        "maxItems": 0,
        "additionalProperties": size,
    });
    object(
        [("url", text()), ("id", integer())],
        [
            ("extension", text()),
            ("width", integer()),
            ("height", integer()),
            ("filesize", integer()),
            ("sizes", sizes),
        ],
    )
}

/// The parts of a date, as text.
fn date_details() -> Value {
    object(
        each(&["year", "month", "day", "hour", "minutes", "seconds"], &text()),
        [],
    )
}

fn cost_details() -> Value {
    object(
        [("values", list_of(&json!({"type": ["string", "number"]})))],
        each(
            &["currency_symbol", "currency_code", "currency_position"],
            &text(),
        ),
    )
}

fn update_errors() -> Value {
    object(
        [
            (
                "errors",
                json!({"type": "object", "additionalProperties": list_of(&text())}),
            ),
            ("error_data", map_or_empty_list()),
        ],
        [],
    )
}

fn namespace_index() -> Value {
    object(
        [("namespace", text()), ("routes", json!({"type": "object"}))],
        [("_links", json!({"type": "object"}))],
    )
}
