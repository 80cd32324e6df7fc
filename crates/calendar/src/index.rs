//! The namespace index and the description of one route, rendered from the contract table.

use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};

use crate::dates::stamp;
use crate::list::{default_end, default_start};
use crate::settings::CalendarSettings;
use calendar_edge_judge::contract::{
    Action, Argument, DefaultValue, Documented, Kind, Operation, PLUGIN_NAMESPACE, Route, Rule, Schema, table,
};

/// The response to `GET /wp-json/`: the name of the site and its namespaces.
pub(crate) fn root(settings: &CalendarSettings, api: &str) -> Json {
    json!({
        "name": "Calendar",
        "description": "",
        "url": settings.pages,
        "home": settings.pages,
        "gmt_offset": 1,
        "timezone_string": settings.zone.iana_name().unwrap_or("UTC"),
        "namespaces": [PLUGIN_NAMESPACE],
        "authentication": [],
        "routes": {
            format!("/{PLUGIN_NAMESPACE}"): {
                "namespace": PLUGIN_NAMESPACE,
                "methods": ["GET"],
                "_links": {"self": [{"href": api}]},
            },
        },
    })
}

/// The namespace index.
pub(crate) fn index(settings: &CalendarSettings, api: &str) -> Json {
    let routes = Route::all().map(|route| (route.pattern(PLUGIN_NAMESPACE), describe(route, settings, api)));
    json!({
        "namespace": PLUGIN_NAMESPACE,
        "routes": routes.collect::<Map<_, _>>(),
        "_links": {"up": [{"href": settings.root.as_str()}]},
    })
}

/// One route as the index and `OPTIONS` describe it.
pub(crate) fn describe(route: Route, settings: &CalendarSettings, api: &str) -> Json {
    let described = |operation: &Operation| json!({"methods": methods(operation), "args": arguments(operation, settings)});
    let endpoints: Vec<Json> = table().on_route(route).map(described).collect();
    let allowed: Vec<String> = table().on_route(route).flat_map(methods).collect();
    let mut members = json!({"namespace": PLUGIN_NAMESPACE, "methods": allowed, "endpoints": endpoints});
    if route.path_parameter().is_none() {
        let own = format!("{api}{}", route.template());
        members["_links"] = json!({"self": [{"href": own}]});
    }
    members
}

fn methods(operation: &Operation) -> Vec<String> {
    operation
        .id
        .action
        .methods()
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn arguments(operation: &Operation, settings: &CalendarSettings) -> Json {
    let described = |argument: &Argument| argument_json(operation, argument, settings).into();
    let arguments = operation.arguments.iter();
    let members: Map<String, Json> = arguments
        .map(|argument| (argument.name.to_owned(), described(argument)))
        .collect();
    if members.is_empty() {
        // PHP has one form for an empty map and an empty list.
        return json!([]);
    }
    members.into()
}

fn argument_json(
    operation: &Operation,
    argument: &Argument,
    settings: &CalendarSettings,
) -> Map<String, Json> {
    let mut members = Map::new();
    let mut put = |name: &str, value: Json| members.insert(name.to_owned(), value);
    if let Some(default) = default(operation, argument, settings) {
        put("default", default);
    }
    if operation.id.route != Route::Index {
        put("description", argument.meaning.into());
    }
    if let Some((name, value)) = shape(argument) {
        put(name, value);
    }
    put("required", argument.is_required.into());
    members
}

/// The member by which the backend declares an argument's values, if it does (backend.md section 1).
fn shape(argument: &Argument) -> Option<(&'static str, Json)> {
    match (argument.schema, argument.documented) {
        (Some(Schema::String), _) => Some(("type", "string".into())),
        (Some(Schema::Boolean), _) => Some(("type", "boolean".into())),
        // `per_page` declares its type and has it ignored by a sanitiser of its own.
        (Some(Schema::Integer), _) | (None, Documented::Integer) => Some(("type", "integer".into())),
        (None, Documented::IntegerList) => Some(("items", json!({"type": "integer"}))),
        (None, Documented::Double) => Some(("format", "double".into())),
        (None, Documented::String) if argument.rule == Rule::StatusFilter => {
            Some(("format", "string".into()))
        }
        (None, _) => None,
    }
}

fn default(operation: &Operation, argument: &Argument, settings: &CalendarSettings) -> Option<Json> {
    // Organizers declare that their dates and status default to nothing, and the specification does not.
    let of_organizer = operation.id.kind() == Some(Kind::Organizer)
        && matches!(operation.id.action, Action::Create | Action::Update)
        && matches!(argument.name, "date" | "date_utc" | "status");
    if of_organizer {
        return Some(Json::Null);
    }
    let now = settings.now.unwrap_or_else(Timestamp::now);
    match argument.default {
        DefaultValue::None => None,
        DefaultValue::Null => Some(Json::Null),
        // The backend reads these three from settings and constants that are text.
        DefaultValue::Bool(flag) if argument.documented == Documented::BooleanLike => {
            Some(flag.to_string().into())
        }
        DefaultValue::Int(number) if matches!(argument.name, "per_page" | "hide_empty") => {
            Some(number.to_string().into())
        }
        DefaultValue::Bool(flag) => Some(flag.into()),
        DefaultValue::Int(number) => Some(number.into()),
        DefaultValue::Text(_) if argument.name == "namespace" => Some(PLUGIN_NAMESPACE.into()),
        DefaultValue::Text(text) => Some(text.into()),
        DefaultValue::Generated if argument.name == "start_date" => {
            Some(stamp(default_start(now, &settings.zone)).into())
        }
        DefaultValue::Generated => Some(stamp(default_end(now)).into()),
    }
}
