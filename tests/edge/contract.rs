//! The table against the specification's tables, typed in a second time, and against the backend.

use std::collections::BTreeSet;

use calendar_edge_judge::contract::drift::compare_index;
use calendar_edge_judge::contract::{
    Argument, DefaultValue, Documented, Kind, Operation, Route, Rule, Schema, table,
};
use serde_json::Value;

/// The specification's tables, one file each.
const TABLES: &[&str] = &[
    include_str!("../../fixtures/contract/event-fields.tsv"),
    include_str!("../../fixtures/contract/venue-fields.tsv"),
    include_str!("../../fixtures/contract/organizer-fields.tsv"),
    include_str!("../../fixtures/contract/category-fields.tsv"),
    include_str!("../../fixtures/contract/tag-fields.tsv"),
    include_str!("../../fixtures/contract/event-list.tsv"),
    include_str!("../../fixtures/contract/venue-organizer-list.tsv"),
    include_str!("../../fixtures/contract/category-tag-list.tsv"),
    include_str!("../../fixtures/contract/path-and-index.tsv"),
];
const ENDPOINTS: &str = include_str!("../../fixtures/contract/endpoints.tsv");
const INDEX: &str = include_str!("../../fixtures/contract/index.json");
const ARGUMENTS: &str = include_str!("../../fixtures/contract/args.json");

/// One argument of one operation in the specification.
struct Row {
    operation: &'static str,
    argument: &'static str,
    documented: Documented,
    default: DefaultValue,
    required: bool,
    meaning: Option<&'static str>,
}

impl Row {
    fn all() -> Vec<Self> {
        TABLES
            .iter()
            .flat_map(|text| text.lines().skip(1))
            .flat_map(Self::of_line)
            .collect()
    }

    fn of_line(line: &'static str) -> Vec<Self> {
        let cells: Vec<&str> = line.split('\t').collect();
        let &[operations, argument, kind, default, required, meaning] = cells.as_slice() else {
            panic!("six cells, not {line:?}");
        };
        let row = |operation| Self {
            operation,
            argument,
            documented: documented(kind),
            default: default_value(default),
            required: required.split(' ').any(|name| name == operation),
            meaning: (meaning != "-").then_some(meaning),
        };
        operations.split(' ').map(row).collect()
    }
}

fn documented(words: &str) -> Documented {
    match words {
        "string" => Documented::String,
        "string (date-time)" | "date-time string" => Documented::DateTime,
        "date string" => Documented::Date,
        "string (UTC)" => Documented::UtcDate,
        "string (URL)" => Documented::Url,
        "string (e-mail address)" => Documented::Email,
        "integer" => Documented::Integer,
        "number (double)" => Documented::Double,
        "boolean" => Documented::Boolean,
        "boolean-like" => Documented::BooleanLike,
        "array of integer" | "array of integer (array or comma-separated list)" => Documented::IntegerList,
        "value" | "value (type unspecified)" | "any value (type unspecified)" | "unspecified" => {
            Documented::Any
        }
        other => panic!("a type the specification does not use: {other}"),
    }
}

fn default_value(words: &'static str) -> DefaultValue {
    match words {
        "none" => DefaultValue::None,
        "null" => DefaultValue::Null,
        "true" => DefaultValue::Bool(true),
        "false" => DefaultValue::Bool(false),
        generated if generated.starts_with("a generated") => DefaultValue::Generated,
        other => other.parse().map_or(DefaultValue::Text(other), DefaultValue::Int),
    }
}

/// The meaning without the marks that differ between a sentence and a note in brackets.
fn plain(meaning: &str) -> String {
    meaning.trim_end_matches('.').to_lowercase()
}

#[test]
fn every_row_of_the_specification_is_in_the_table() {
    for row in Row::all() {
        let place = format!("{} {}", row.operation, row.argument);
        let operation = table().named(row.operation).expect(&place);
        let argument = operation.argument(row.argument.as_bytes()).expect(&place);
        assert_eq!(argument.documented, row.documented, "{place}");
        assert_eq!(argument.default, row.default, "{place}");
        assert_eq!(argument.is_required, row.required, "{place}");
        if let Some(meaning) = row.meaning {
            assert_eq!(plain(argument.meaning), plain(meaning), "{place}");
        }
    }
}

#[test]
fn every_argument_of_the_table_is_a_row_of_the_specification() {
    let rows = Row::all();
    for operation in table().operations() {
        for argument in &operation.arguments {
            let here = rows
                .iter()
                .filter(|row| row.operation == operation.name && row.argument == argument.name);
            assert_eq!(here.count(), 1, "{} {}", operation.name, argument.name);
            assert!(
                !argument.meaning.is_empty(),
                "{} {}",
                operation.name,
                argument.name
            );
        }
    }
}

#[test]
fn paths_and_methods_are_those_of_the_endpoint_table() {
    let specified: BTreeSet<(String, String)> = ENDPOINTS
        .lines()
        .skip(1)
        .flat_map(|line| {
            let mut cells = line.split('\t');
            let (methods, path) = (cells.next().expect("methods"), cells.next().expect("a path"));
            let path = if path == "(namespace index)" { "" } else { path };
            methods
                .split(' ')
                .map(move |method| (path.to_owned(), method.to_owned()))
        })
        .collect();
    let ours: BTreeSet<(String, String)> = table()
        .operations()
        .iter()
        .flat_map(|operation| {
            let methods = operation.id.action.methods().iter();
            methods.map(|method| (operation.id.route.template(), method.to_string()))
        })
        .collect();
    assert_eq!(ours, specified);
    assert_eq!((Route::all().count(), ours.len()), (15, 52));
}

/// One endpoint of the backend's registrations.
fn registrations() -> Vec<Value> {
    let parsed: Value = serde_json::from_str(ARGUMENTS).expect("the fixture is JSON");
    parsed.as_array().expect("a list").clone()
}

fn registration<'a>(all: &'a [Value], operation: &Operation) -> &'a Value {
    let pattern = match operation.id.route {
        Route::Index => "/".to_owned(),
        other => other
            .template()
            .replace("{id}", r"(?P<id>\d+)")
            .replace("{slug}", "(?P<slug>[^/]+)"),
    };
    let method = operation.id.action.methods()[0].as_str();
    all.iter()
        .find(|entry| {
            let methods = entry["methods"].as_array().expect("methods");
            entry["route"] == pattern && methods.iter().any(|listed| listed == method)
        })
        .expect("every operation is registered")
}

/// The backend's name of the validate callback of an argument.
fn callback(operation: &Operation, argument: &Argument) -> Option<&'static str> {
    let is_of_tags = argument.name == "tags" || operation.id.kind() == Some(Kind::Tag);
    Some(match argument.rule {
        Rule::Anything => return None,
        Rule::PositiveInt => "is_positive_int",
        Rule::PositiveIntList => "is_positive_int_list",
        Rule::NonEmptyString => "is_string",
        Rule::StringOrEmpty => "is_string_or_empty",
        Rule::Time => "is_time",
        Rule::TimezoneOrEmpty => "is_timezone_or_empty",
        Rule::UrlOrEmpty => "is_url_or_empty",
        Rule::Image => "is_image",
        Rule::ImageOrEmpty => "is_image_or_empty",
        Rule::UserId => "is_user_id",
        Rule::EventId | Rule::EventNumber => "is_event_id",
        Rule::VenueId => "is_venue_id",
        Rule::OrganizerId => "is_organizer_id",
        Rule::VenueIdList => "is_venue_id_list",
        Rule::OrganizerIdList => "is_organizer_id_list",
        Rule::TermList if is_of_tags => "is_post_tag",
        Rule::TermList => "is_event_category",
        Rule::EventSlug => "is_event_slug",
        Rule::VenueSlug => "is_venue_slug",
        Rule::OrganizerSlug => "is_organizer_slug",
        Rule::PostStatus => "is_post_status",
        Rule::StatusFilter => "filter_post_status_list",
        Rule::Ticketed => "supports_ticketed",
        Rule::VenueEntry => "is_venue_id_or_entry_or_empty",
        Rule::OrganizerEntry => "is_organizer_id_or_entry_or_empty",
    })
}

/// The schema type as the backend registers it; an argument with a sanitiser of its own has none in effect.
fn enforced(registered: &Value) -> Option<&str> {
    (registered["sanitize"] == "(by type)").then(|| registered["type"].as_str().expect("a type"))
}

fn schema_name(schema: Schema) -> &'static str {
    match schema {
        Schema::String => "string",
        Schema::Integer => "integer",
        Schema::Boolean => "boolean",
    }
}

#[test]
fn arguments_are_checked_as_the_backend_registers_them() {
    let all = registrations();
    for operation in table().operations() {
        // An operation without arguments is registered with an empty list.
        let nothing = serde_json::Map::new();
        let registered = registration(&all, operation)["args"]
            .as_object()
            .unwrap_or(&nothing);
        let names: Vec<&str> = operation.arguments.iter().map(|argument| argument.name).collect();
        let theirs: Vec<&str> = registered.keys().map(String::as_str).collect();
        assert_eq!(names, theirs, "order of {}", operation.name);
        for argument in &operation.arguments {
            check(operation, argument, &registered[argument.name]);
        }
    }
}

fn check(operation: &Operation, argument: &Argument, registered: &Value) {
    let place = format!("{} {}", operation.name, argument.name);
    assert_eq!(
        callback(operation, argument),
        registered["validate"].as_str(),
        "callback of {place}"
    );
    assert_eq!(
        argument.schema.map(schema_name),
        enforced(registered),
        "type of {place}"
    );
    assert_eq!(
        Value::from(argument.is_required),
        registered["required"],
        "required flag of {place}"
    );
}

#[test]
fn every_registration_of_the_backend_is_an_operation() {
    assert_eq!(registrations().len(), table().operations().len());
}

#[test]
fn the_index_has_the_routes_and_arguments_of_the_table() {
    let index: Value = serde_json::from_str(INDEX).expect("the fixture is JSON");
    assert_eq!(compare_index(&index, "tribe/events/v1"), []);
}
