//! The documents for clients at a REST root and below it: an index in WordPress's shape, and the `OpenAPI` document.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::openapi::{OpenApiOptions, PublicRoot, openapi};
use calendar_edge_judge::contract::{Argument, ArgumentStanding, Operation, Route, TableInForce, table};

/// A JSON document that names the scheme and the authority by which its client reaches the edge.
#[derive(Debug, Clone)]
pub struct AddressedDocument {
    /// The document, cut where scheme and authority of the edge stand.
    pieces: Vec<Box<str>>,
}

/// Stands for scheme and authority while the document is built; no text of the table contains it.
const BASE: &str = "\u{1}";

/// The same as JSON spells it.
const SPELT_BASE: &str = r"\u0001";

// === impl AddressedDocument ===

impl AddressedDocument {
    /// The index of the root at the public path `root` (`/wp-json`) of an edge that serves the calendar alone. Clients
    /// find the root by the `Link` header of responses, and look for namespaces there: with the operations that `offers` names in each
    /// public namespace, and with the arguments that the site of the root publishes.
    pub fn rest_index(
        root: &str,
        namespaces: &[String],
        in_force: &TableInForce,
        offers: impl Fn(&Operation) -> bool,
    ) -> Self {
        let routes = namespaces.iter().flat_map(|namespace| {
            Route::all().filter_map(|route| entry(route, namespace, root, &offers, in_force))
        });
        let document = json!({
            "name": "calendar-edge",
            "description": "The calendar API. The edge serves no other routes of the site.",
            "url": BASE,
            "home": BASE,
            "namespaces": namespaces,
            "authentication": [],
            "routes": routes.collect::<Map<_, _>>(),
            "_links": {"self": [{"href": format!("{BASE}{root}/")}]},
        });
        Self::of(&document)
    }

    /// The `OpenAPI` document of a root, whose URL is its path here.
    pub fn openapi(mut root: PublicRoot, namespaces: Vec<String>, table: Arc<TableInForce>) -> Self {
        root.url.insert_str(0, BASE);
        Self::of(&openapi(&OpenApiOptions {
            roots: vec![root],
            namespaces,
            table,
        }))
    }

    fn of(document: &Value) -> Self {
        let text = document.to_string();
        Self {
            pieces: text.split(SPELT_BASE).map(Box::from).collect(),
        }
    }

    /// The document for clients that reach the edge at this scheme and authority, without a trailing slash.
    pub fn at(&self, public_base: &str) -> String {
        self.pieces.join(public_base)
    }
}

/// A route that has an operation on offer, by its pattern.
fn entry(
    route: Route,
    namespace: &str,
    root: &str,
    offers: &impl Fn(&Operation) -> bool,
    in_force: &TableInForce,
) -> Option<(String, Value)> {
    let here: Vec<&Operation> = table()
        .on_route(route)
        .filter(|operation| offers(operation))
        .collect();
    if here.is_empty() {
        return None;
    }
    let endpoints: Vec<Value> = here
        .iter()
        .map(|operation| endpoint(operation, in_force))
        .collect();
    let methods: Vec<&str> = here.iter().flat_map(|operation| methods(operation)).collect();
    let mut described = json!({"namespace": namespace, "methods": methods, "endpoints": endpoints});
    // WordPress links routes without a placeholder only.
    if route.path_parameter().is_none() {
        let href = format!("{BASE}{root}/{namespace}{}", route.template());
        described["_links"] = json!({"self": [{"href": href}]});
    }
    Some((route.pattern(namespace), described))
}

fn methods(operation: &Operation) -> impl Iterator<Item = &str> {
    operation.id.action.methods().iter().map(http::Method::as_str)
}

fn endpoint(operation: &Operation, in_force: &TableInForce) -> Value {
    let in_force = in_force.operation(operation);
    let declared = operation.arguments.iter().enumerate();
    let published = declared
        .filter(|(position, _)| {
            let standing = in_force.standing(*position);
            !matches!(standing, ArgumentStanding::Unjudged | ArgumentStanding::Dropped)
        })
        .map(|(_, argument)| (argument.name.to_owned(), described(argument)));
    let extra = in_force
        .extra()
        .map(|name| (name.to_owned(), json!({"required": false})));
    let arguments: Map<String, Value> = published.chain(extra).collect();
    json!({"methods": methods(operation).collect::<Vec<_>>(), "args": arguments})
}

fn described(argument: &Argument) -> Value {
    let mut described = json!({"description": argument.meaning, "required": argument.is_required});
    if let Some(schema) = argument.schema {
        described["type"] = schema.name().into();
    }
    described
}

#[cfg(test)]
mod tests {
    use super::*;
    use calendar_edge_judge::contract::PublishedIndex;

    fn index(offers: impl Fn(&Operation) -> bool) -> Value {
        let namespaces = ["calendar/events/v1".to_owned(), "tribe/events/v1".to_owned()];
        let text = AddressedDocument::rest_index("/de/wp-json", &namespaces, &TableInForce::unread(), offers);
        serde_json::from_str(&text.at("https://events.example.org")).expect("JSON")
    }

    #[test]
    fn names_the_arguments_that_the_site_publishes() {
        let arguments = |in_force: &TableInForce| {
            let text =
                AddressedDocument::rest_index("/wp-json", &["x/v1".to_owned()], in_force, |_| true).at("");
            let index: Value = serde_json::from_str(&text).expect("JSON");
            let args = index["routes"]["/x/v1/events"]["endpoints"][0]["args"].clone();
            ["ticketed", "page", "wpml_language"].map(|name| args.get(name).is_some())
        };
        let table = |index: &[u8]| {
            TableInForce::over(&PublishedIndex::read(index, "tribe/events/v1").expect("an index"))
        };
        let old = table(include_bytes!("../../../../fixtures/versions/index-5.12.4.json"));
        let wpml = table(include_bytes!(
            "../../../../fixtures/versions/index-6.15.16+wpml.json"
        ));
        assert_eq!(arguments(&TableInForce::unread()), [true, true, false]);
        assert_eq!(arguments(&old), [false, true, false]);
        assert_eq!(arguments(&wpml), [true, true, true]);
    }

    #[test]
    fn names_every_route_in_every_public_namespace() {
        let index = index(|_| true);
        assert_eq!(
            index["namespaces"],
            json!(["calendar/events/v1", "tribe/events/v1"])
        );
        let routes = index["routes"].as_object().expect("a map");
        assert_eq!(routes.len(), 2 * Route::all().count());
        let event = &routes[r"/tribe/events/v1/events/(?P<id>\d+)"];
        assert_eq!(event["methods"], json!(["GET", "DELETE", "POST", "PUT", "PATCH"]));
        assert_eq!(event["namespace"], "tribe/events/v1");
        let list = &routes["/calendar/events/v1/events"];
        let href = "https://events.example.org/de/wp-json/calendar/events/v1/events";
        assert_eq!(list["_links"]["self"][0]["href"], href);
        assert_eq!(list["endpoints"][0]["args"]["page"]["type"], "integer");
        assert_eq!(index["home"], "https://events.example.org");
    }

    #[test]
    fn names_no_operation_that_is_refused() {
        let index = index(|operation| !operation.is_write());
        let routes = index["routes"].as_object().expect("a map");
        assert!(routes.values().all(|route| route["methods"] == json!(["GET"])));
        let none = self::index(|operation| operation.id.route == Route::Doc);
        assert_eq!(none["routes"].as_object().map(Map::len), Some(2));
    }
}
