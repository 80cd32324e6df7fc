//! Compares an origin's published index with the table.
//!
//! Routes, methods and arguments are compared, and which arguments are required: what a call is judged by. Types and
//! defaults are not: the judge has its own, and sends none.

use std::collections::BTreeSet;
use std::fmt;

use http::Method;
use serde_json::{Map, Value};

use super::argument::Argument;
use super::kind::Route;
use super::operation::Operation;
use super::table::table;

/// One difference between a published index and the table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Drift {
    /// Its kind.
    pub kind: DriftKind,
    /// Where it was found: the operation by its name, the route below the namespace, with the method that is missing or
    /// extra, or the namespace.
    pub place: String,
}

/// The kind of a difference; the order is that of a report.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum DriftKind {
    /// The document is no index of the requested namespace, but of this one, if it names any.
    NotThisNamespace(Option<String>),
    /// A route of the table, or a method of it, is not published.
    Missing,
    /// A route or a method is published that the table does not have; the edge responds to it with 404.
    ExtraRoute,
    /// An argument is published that the table does not have; see the setting `undeclared`.
    Extra(String),
    /// An argument is required on one side only: true if the table requires it.
    Required(String, bool),
    /// An argument of the table is not published.
    Unpublished(String),
}

// === impl DriftKind ===

impl DriftKind {
    /// A difference of this kind.
    pub fn at(self, place: impl Into<String>) -> Drift {
        let (kind, place) = (self, place.into());
        Drift { kind, place }
    }
}

// === impl Drift ===

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = &self.place;
        match &self.kind {
            DriftKind::NotThisNamespace(found) => {
                let found = found.as_deref().unwrap_or("missing");
                write!(f, "the response is no index of {place}: its namespace is {found}")
            }
            DriftKind::Missing => write!(f, "the origin does not publish {place}"),
            DriftKind::ExtraRoute => write!(f, "the origin publishes {place}, which the edge does not have"),
            DriftKind::Extra(name) => {
                write!(
                    f,
                    "{place}: the origin publishes the argument {name}, which is not in the table of the edge"
                )
            }
            DriftKind::Required(name, true) => {
                write!(f, "{place}: {name} is required here and optional at the origin")
            }
            DriftKind::Required(name, false) => {
                write!(f, "{place}: {name} is optional here and required at the origin")
            }
            DriftKind::Unpublished(name) => {
                write!(f, "{place}: the origin does not publish the argument {name}")
            }
        }
    }
}

/// All differences between the routes and arguments of `index`, published for `namespace`, and those of the table.
///
/// `index` is the body of `GET {root}/{namespace}`. An index of another namespace returns one
/// [`DriftKind::NotThisNamespace`].
pub fn compare_index(index: &Value, namespace: &str) -> Vec<Drift> {
    let found = index.get("namespace").and_then(Value::as_str);
    let routes = index.get("routes").and_then(Value::as_object);
    let (Some(routes), true) = (routes, found == Some(namespace)) else {
        return vec![DriftKind::NotThisNamespace(found.map(str::to_owned)).at(namespace)];
    };
    let (mut drifts, mut known) = (Vec::new(), BTreeSet::new());
    for route in Route::all() {
        let pattern = route.pattern(namespace);
        match routes.get(&pattern) {
            Some(published) => compare_route(route, published, &mut drifts),
            None => drifts.push(DriftKind::Missing.at(route.path())),
        }
        known.insert(pattern);
    }
    let prefix = format!("/{namespace}");
    let extra = routes.keys().filter(|path| !known.contains(*path));
    drifts.extend(extra.map(|path| DriftKind::ExtraRoute.at(path.strip_prefix(&prefix).unwrap_or(path))));
    drifts
}

fn compare_route(route: Route, published: &Value, drifts: &mut Vec<Drift>) {
    let endpoints = published.get("endpoints").and_then(Value::as_array);
    let endpoints = endpoints.map_or(&[][..], Vec::as_slice);
    let on_route = |method: &str| format!("{method} {}", route.path());
    let mut extra: BTreeSet<&str> = endpoints.iter().flat_map(methods).collect();
    for operation in table().on_route(route) {
        for method in operation.id.action.methods().iter().map(Method::as_str) {
            extra.remove(method);
            let mut published = endpoints.iter();
            let Some(endpoint) = published.find(|endpoint| methods(endpoint).any(|m| m == method)) else {
                drifts.push(DriftKind::Missing.at(on_route(method)));
                continue;
            };
            for drift in compare_arguments(operation, endpoint) {
                if !drifts.contains(&drift) {
                    drifts.push(drift);
                }
            }
        }
    }
    let extra = extra.into_iter().map(on_route);
    drifts.extend(extra.map(|place| DriftKind::ExtraRoute.at(place)));
}

fn methods(endpoint: &Value) -> impl Iterator<Item = &str> {
    let list = endpoint.get("methods").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str)
}

/// The differences between an operation's published arguments and the table's.
fn compare_arguments(operation: &Operation, endpoint: &Value) -> Vec<Drift> {
    let nothing = Map::new();
    // An empty PHP array is printed as a list, so the index publishes `[]` for an operation without
    // arguments.
    let published = endpoint.get("args").and_then(Value::as_object);
    let published = published.unwrap_or(&nothing);
    let differing = |known: &Argument| {
        let (name, specified) = (known.name.to_owned(), known.is_required);
        match published.get(known.name) {
            None => Some(DriftKind::Unpublished(name)),
            Some(definition) => {
                (is_required(definition) != specified).then_some(DriftKind::Required(name, specified))
            }
        }
    };
    let extra = published
        .keys()
        .filter(|name| operation.argument(name.as_bytes()).is_none());
    let extra = extra.cloned().map(DriftKind::Extra);
    let kinds = operation.arguments.iter().filter_map(differing).chain(extra);
    kinds.map(|kind| kind.at(&operation.name)).collect()
}

fn is_required(definition: &Value) -> bool {
    definition.get("required").and_then(Value::as_bool) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMESPACE: &str = "tribe/events/v1";

    fn recorded() -> Value {
        serde_json::from_str(include_str!("../../../../fixtures/contract/index.json"))
            .expect("the fixture is JSON")
    }

    /// The reports after one change to the recorded index; `pointer` names a member of `routes`.
    fn after(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut index = recorded();
        change(&mut index["routes"]);
        compare_index(&index, NAMESPACE)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    fn list_argument<'a>(routes: &'a mut Value, name: &str) -> &'a mut Value {
        &mut routes["/tribe/events/v1/events"]["endpoints"][0]["args"][name]
    }

    #[test]
    fn finds_nothing_in_the_recorded_index() {
        assert_eq!(compare_index(&recorded(), NAMESPACE), []);
    }

    #[test]
    fn refuses_another_namespaces_index() {
        let sentence = compare_index(&recorded(), "wp/v2")[0].to_string();
        assert_eq!(
            sentence,
            "the response is no index of wp/v2: its namespace is tribe/events/v1"
        );
        assert_eq!(
            compare_index(&Value::Null, "wp/v2")[0].to_string(),
            "the response is no index of wp/v2: its namespace is missing"
        );
    }

    #[test]
    fn reports_added_and_removed_routes() {
        let found = after(|routes| {
            let routes = routes.as_object_mut().expect("a map");
            let doc = routes.remove("/tribe/events/v1/doc").expect("listed");
            routes.insert("/tribe/events/v1/series".to_owned(), doc);
        });
        assert_eq!(
            found,
            [
                "the origin does not publish /doc",
                "the origin publishes /series, which the edge does not have"
            ]
        );
    }

    #[test]
    fn reports_added_and_removed_methods() {
        let found = after(|routes| {
            routes["/tribe/events/v1/doc"]["endpoints"][0]["methods"] = serde_json::json!(["POST"]);
        });
        assert_eq!(
            found,
            [
                "the origin does not publish GET /doc",
                "the origin publishes POST /doc, which the edge does not have"
            ]
        );
    }

    #[test]
    fn reports_added_and_removed_arguments() {
        let found = after(|routes| {
            let arguments = routes["/tribe/events/v1/tags"]["endpoints"][0]["args"]
                .as_object_mut()
                .expect("a map");
            let slug = arguments.shift_remove("slug").expect("listed");
            arguments.insert("offset".to_owned(), slug);
        });
        assert_eq!(
            found,
            [
                "tags.list: the origin does not publish the argument slug",
                "tags.list: the origin publishes the argument offset, which is not in the table of the edge"
            ]
        );
    }

    #[test]
    fn reports_changed_required_flags_and_nothing_else_of_a_definition() {
        let found = after(|routes| {
            list_argument(routes, "search")["type"] = "integer".into();
            list_argument(routes, "page")["default"] = 2.into();
            list_argument(routes, "tags")["required"] = true.into();
        });
        assert_eq!(
            found,
            ["events.list: tags is optional here and required at the origin"]
        );
    }

    #[test]
    fn reports_an_update_once_for_its_three_methods() {
        let found = after(|routes| {
            let item = &mut routes["/tribe/events/v1/tags/(?P<id>\\d+)"];
            item["endpoints"][1]["args"]["name"]["required"] = true.into();
        });
        assert_eq!(
            found,
            ["tags.update: name is optional here and required at the origin"]
        );
    }

    #[test]
    fn survives_any_shape() {
        for text in ["[]", r#"{"namespace":"n","routes":[]}"#] {
            let index = serde_json::from_str(text).expect("JSON");
            assert_eq!(compare_index(&index, "n").len(), 1);
        }
        let index =
            serde_json::json!({"namespace": "n", "routes": {"/n/doc": {"endpoints": [{"args": 7}, 1]}}});
        assert!(compare_index(&index, "n").contains(&DriftKind::Missing.at("GET /doc")));
    }
}
