//! The namespace index and the description of one route, rendered from the contract table.

use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};

use super::address::Address;
use super::list::{default_end, default_start};
use super::render::stamp;
use calendar_edge_judge::contract::{
    Action, Argument, DefaultValue, Documented, Kind, Operation, PLUGIN_NAMESPACE, Route, Rule, Schema, table,
};

/// The response to `GET /wp-json/`: the name of the site and its namespaces.
pub(super) fn root(address: &Address) -> Json {
    json!({
        "name": "Calendar sandbox",
        "description": "A calendar that lives in memory",
        "url": address.site(),
        "home": address.site(),
        "gmt_offset": 1,
        "timezone_string": super::zone::SITE,
        "namespaces": [PLUGIN_NAMESPACE],
        "authentication": [],
        "routes": {
            format!("/{PLUGIN_NAMESPACE}"): {
                "namespace": PLUGIN_NAMESPACE,
                "methods": ["GET"],
                "_links": {"self": [{"href": address.api("")}]},
            },
        },
    })
}

/// The namespace index.
pub(super) fn index(address: &Address, now: Timestamp) -> Json {
    let routes = Route::all().map(|route| (pattern(route), describe(route, address, now)));
    json!({
        "namespace": PLUGIN_NAMESPACE,
        "routes": routes.collect::<Map<_, _>>(),
        "_links": {"up": [{"href": format!("{}/", address.rest_root())}]},
    })
}

/// One route as the index and `OPTIONS` describe it.
pub(super) fn describe(route: Route, address: &Address, now: Timestamp) -> Json {
    let endpoints = table()
        .on_route(route)
        .map(|operation| json!({"methods": methods(operation), "args": arguments(operation, now)}));
    let endpoints: Vec<Json> = endpoints.collect();
    let mut members = Map::new();
    members.insert("namespace".to_owned(), PLUGIN_NAMESPACE.into());
    members.insert("methods".to_owned(), allowed(route).into());
    members.insert("endpoints".to_owned(), endpoints.into());
    if route.path_parameter().is_none() {
        let own = address.api(&route.template());
        members.insert("_links".to_owned(), json!({"self": [{"href": own}]}));
    }
    Json::Object(members)
}

/// The methods of a route in the order of its `Allow` header.
pub(super) fn allowed(route: Route) -> Vec<String> {
    table().on_route(route).flat_map(methods).collect()
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

/// The route as WordPress writes it: an expression for its path.
fn pattern(route: Route) -> String {
    format!("/{PLUGIN_NAMESPACE}{}", path_pattern(route))
}

/// The expression for the path below the namespace; empty for the index.
pub(super) fn path_pattern(route: Route) -> String {
    match route {
        Route::Item(kind) => format!("/{}/(?P<id>\\d+)", kind.collection()),
        Route::BySlug(kind) => format!("/{}/by-slug/(?P<slug>[^/]+)", kind.collection()),
        Route::Index | Route::Doc | Route::Collection(_) => route.template(),
    }
}

fn arguments(operation: &Operation, now: Timestamp) -> Json {
    let arguments = operation.arguments.iter().map(|argument| {
        (
            argument.name.to_owned(),
            Json::Object(argument_json(operation, argument, now)),
        )
    });
    super::site_response::map_or_list(arguments.collect())
}

fn argument_json(operation: &Operation, argument: &Argument, now: Timestamp) -> Map<String, Json> {
    let mut members = Map::new();
    let mut put = |name: &str, value: Json| members.insert(name.to_owned(), value);
    if let Some(default) = default(operation, argument, now) {
        put("default", default);
    }
    if operation.id.route != Route::Index {
        put("description", argument.meaning.into());
    }
    match shape(argument) {
        Shape::Type(name) => put("type", name.into()),
        Shape::Format(name) => put("format", name.into()),
        Shape::Items => put("items", json!({"type": "integer"})),
        Shape::Unsaid => None,
    };
    put("required", argument.is_required().into());
    members
}

/// The backend's declaration of an argument's values (backend.md section 1).
enum Shape {
    Type(&'static str),
    Format(&'static str),
    Items,
    Unsaid,
}

fn shape(argument: &Argument) -> Shape {
    match (argument.schema, argument.documented) {
        (Some(Schema::String), _) => Shape::Type("string"),
        (Some(Schema::Boolean), _) => Shape::Type("boolean"),
        // `per_page` declares its type and has it ignored by a sanitiser of its own.
        (Some(Schema::Integer), _) | (None, Documented::Integer) => Shape::Type("integer"),
        (None, Documented::IntegerList) => Shape::Items,
        (None, Documented::Double) => Shape::Format("double"),
        (None, Documented::String) if argument.rule == Rule::StatusFilter => Shape::Format("string"),
        (None, _) => Shape::Unsaid,
    }
}

fn default(operation: &Operation, argument: &Argument, now: Timestamp) -> Option<Json> {
    // Organizers declare that their dates and status default to nothing, and the specification does not.
    let of_organizer = operation.id.kind() == Some(Kind::Organizer)
        && matches!(operation.id.action, Action::Create | Action::Update)
        && matches!(argument.name, "date" | "date_utc" | "status");
    if of_organizer {
        return Some(Json::Null);
    }
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
        DefaultValue::Generated if argument.name == "start_date" => Some(stamp(default_start(now)).into()),
        DefaultValue::Generated => Some(stamp(default_end(now)).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The recorded index and ours without the host, the clock and the wording.
    fn essence(mut document: Json) -> Json {
        fn strip(value: &mut Json) {
            match value {
                Json::Object(members) => {
                    members.retain(|name, value| {
                        name != "_links" && !(name == "description" && value.is_string())
                    });
                    members.values_mut().for_each(strip);
                    members.sort_keys();
                }
                Json::Array(items) => items.iter_mut().for_each(strip),
                Json::String(text) if text.len() == 19 && text.as_bytes()[10] == b' ' => {
                    "a date".clone_into(text);
                }
                _ => {}
            }
        }
        strip(&mut document);
        document
    }

    #[test]
    fn the_index_is_the_recorded_one() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../fixtures/backend/namespace-index.json"
        );
        let recorded = std::fs::read_to_string(path).expect("the fixture is there");
        let recorded: Json = serde_json::from_str(&recorded).expect("the fixture is JSON");
        let address = Address::new(([127, 0, 0, 1], 80).into());
        let (ours, recorded) = (essence(index(&address, Timestamp::UNIX_EPOCH)), essence(recorded));
        let routes = |document: &Json| document["routes"].as_object().cloned().unwrap_or_default();
        let recorded_routes = routes(&recorded);
        assert_eq!(routes(&ours).len(), recorded_routes.len());
        for (pattern, route) in routes(&ours) {
            assert_eq!(Some(&route), recorded_routes.get(&pattern), "{pattern}");
        }
    }
}
