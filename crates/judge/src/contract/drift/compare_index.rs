//! The comparison, route by route and method by method.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Map, Value};

use super::super::kind::Route;
use super::super::table::table;
use super::arguments::compare_arguments;
use super::finding::Drift;

/// All differences between the routes and arguments of `index`, published for `namespace`, and those of the table.
///
/// `index` is the body of `GET {root}/{namespace}`. An index of another namespace returns one
/// [`Drift::NotThisNamespace`].
pub fn compare_index(index: &Value, namespace: &str) -> Vec<Drift> {
    let found = index.get("namespace").and_then(Value::as_str);
    let routes = index.get("routes").and_then(Value::as_object);
    let (Some(routes), true) = (routes, found == Some(namespace)) else {
        return vec![Drift::NotThisNamespace {
            expected: namespace.to_owned(),
            found: found.map(str::to_owned),
        }];
    };
    let mut drifts = Vec::new();
    for route in Route::all() {
        match routes.get(&route.pattern(namespace)) {
            Some(published) => compare_route(route, published, &mut drifts),
            None => drifts.push(Drift::RouteMissing {
                route: display(route),
            }),
        }
    }
    drifts.extend(extra_routes(routes, namespace));
    drifts
}

fn display(route: Route) -> String {
    match route {
        Route::Index => "/".to_owned(),
        Route::Doc | Route::Collection(_) | Route::Item(_) | Route::BySlug(_) => route.template(),
    }
}

fn extra_routes(routes: &Map<String, Value>, namespace: &str) -> Vec<Drift> {
    let known: BTreeSet<String> = Route::all().map(|route| route.pattern(namespace)).collect();
    let prefix = format!("/{namespace}");
    let extra = routes.keys().filter(|path| !known.contains(*path));
    extra
        .map(|path| Drift::RouteExtra {
            path: path.strip_prefix(&prefix).unwrap_or(path).to_owned(),
        })
        .collect()
}

fn compare_route(route: Route, published: &Value, drifts: &mut Vec<Drift>) {
    let endpoints = published
        .get("endpoints")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    for operation in table().on_route(route) {
        for method in operation.id.action.methods() {
            let Some(endpoint) = endpoints
                .iter()
                .find(|endpoint| methods(endpoint).any(|m| m == method.as_str()))
            else {
                drifts.push(Drift::MethodMissing {
                    route: display(route),
                    method: method.clone(),
                });
                continue;
            };
            for drift in compare_arguments(operation, endpoint) {
                if !drifts.contains(&drift) {
                    drifts.push(drift);
                }
            }
        }
    }
    drifts.extend(extra_methods(route, endpoints));
}

fn methods(endpoint: &Value) -> impl Iterator<Item = &str> {
    let list = endpoint.get("methods").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str)
}

fn extra_methods(route: Route, endpoints: &[Value]) -> Vec<Drift> {
    let known: BTreeSet<&str> = table()
        .on_route(route)
        .flat_map(|operation| operation.id.action.methods())
        .map(Method::as_str)
        .collect();
    let published: BTreeSet<&str> = endpoints.iter().flat_map(methods).collect();
    published
        .difference(&known)
        .map(|method| Drift::MethodExtra {
            route: display(route),
            method: (*method).to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMESPACE: &str = "tribe/events/v1";

    fn recorded() -> Value {
        serde_json::from_str(include_str!("../../../../../fixtures/contract/index.json"))
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
                "tags.list: the origin publishes the argument offset, which the edge drops"
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
        assert!(compare_index(&index, "n").contains(&Drift::MethodMissing {
            route: "/doc".to_owned(),
            method: Method::GET
        }));
    }
}
