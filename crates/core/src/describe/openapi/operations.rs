//! Paths and operations.

use http::Method;
use serde_json::{Map, Value, json};

use super::super::catalogue::{EXTRA, summary, tag};
use super::inputs::{self, Carrier, reference};
use super::options::OpenApiOptions;
use super::{bodies, globals, responses, security};
use calendar_edge_judge::contract::difference::{Difference, differences};
use calendar_edge_judge::contract::{
    Action, Argument, Operation, OperationId, Place, RECORD_NUMBER, Route, table,
};

/// The fifteen paths, with an operation for every method.
pub(super) fn paths(options: &OpenApiOptions) -> Map<String, Value> {
    Route::all()
        .map(|route| (route.path(), path_item(route, options)))
        .collect()
}

fn path_item(route: Route, options: &OpenApiOptions) -> Value {
    let mut item = Map::new();
    for operation in table().on_route(route) {
        for method in operation.id.action.methods() {
            let key = method.as_str().to_ascii_lowercase();
            item.insert(key, one(operation, method, options));
        }
    }
    item.insert("options".to_owned(), describe(route));
    Value::Object(item)
}

/// OPTIONS of a route: WordPress's description of its methods and arguments.
fn describe(route: Route) -> Value {
    let parameters: Vec<Value> = route.path_parameter().map(path_parameter).into_iter().collect();
    json!({
        "operationId": format!("describe{}Route", route_noun(route)),
        "summary": "Describe the route",
        "tags": [tag(route.kind())],
        "parameters": parameters,
        "responses": responses::of_route(),
        "security": json!([{}]),
    })
}

fn path_parameter(name: &str) -> Value {
    let schema = if name == RECORD_NUMBER {
        "RecordNumber"
    } else {
        "Slug"
    };
    json!({"name": name, "in": "path", "required": true, "schema": reference(schema)})
}

/// The name of a route in names of generated clients.
fn route_noun(route: Route) -> String {
    match route {
        Route::Index => "Index".to_owned(),
        Route::Doc => "Documentation".to_owned(),
        Route::Collection(kind) => tag(Some(kind)).to_owned(),
        Route::Item(kind) => kind.model().name.to_owned(),
        Route::BySlug(kind) => format!("{}BySlug", kind.model().name),
    }
}

pub(super) fn one(operation: &Operation, method: &Method, options: &OpenApiOptions) -> Value {
    let mut object = json!({
        "operationId": operation_id(operation.id, method),
        "x-operation": operation.name,
        "summary": summary(operation.id),
        "tags": [tag(operation.id.kind())],
    });
    if let Some(notes) = notes(operation_notes(operation)) {
        object["description"] = notes.into();
    }
    object["parameters"] = parameters(operation, options).into();
    if let Some(body) = bodies::request_body(operation, method) {
        object["requestBody"] = body;
    }
    object["responses"] = responses::of(operation);
    object["security"] = security::of(operation);
    object
}

/// A name for generated clients: `listEvents`, `updateEventBySlug`, `updateEventBySlugPut`.
fn operation_id(id: OperationId, method: &Method) -> String {
    let (verb, noun) = match (id.action, id.kind()) {
        (Action::Describe, _) => ("read", route_noun(id.route)),
        (Action::Create, Some(kind)) => ("create", kind.model().name.to_owned()),
        (action, _) => (action.name(), route_noun(id.route)),
    };
    let suffix = match (id.action, method.as_str()) {
        (Action::Update, "PUT") => "Put",
        (Action::Update, "PATCH") => "Patch",
        _ => "",
    };
    format!("{verb}{noun}{suffix}")
}

// === parameters ===

fn parameters(operation: &Operation, options: &OpenApiOptions) -> Vec<Value> {
    let declared = operation
        .arguments
        .iter()
        .filter(|argument| !options.drops(operation, argument))
        .filter_map(|argument| parameter(operation, argument, options));
    declared
        .chain(undeclared_password(operation))
        .chain(published_extra(operation, options))
        .chain(globals::references(operation))
        .collect()
}

fn parameter(operation: &Operation, argument: &Argument, options: &OpenApiOptions) -> Option<Value> {
    let (place, carrier) = match operation.place(argument) {
        Place::Path => ("path", Carrier::Path),
        Place::Query => ("query", Carrier::Query),
        Place::Body => return None,
    };
    let schema = match operation.id.route {
        Route::Index => index_schema(argument, options),
        // The path determines the record, even if the backend checks the slug as arbitrary text.
        Route::BySlug(_) if argument.name == "slug" => reference("Slug"),
        Route::Doc | Route::Collection(_) | Route::Item(_) | Route::BySlug(_) => {
            inputs::schema(argument, carrier)
        }
    };
    let mut parameter = json!({
        "name": argument.name,
        "in": place,
        "required": place == "path",
        "description": options.in_force(operation, argument, description(operation, argument)),
    });
    if schema["type"] == "array" {
        // In PHP, a repeated value overwrites the one before.
        parameter["style"] = "form".into();
        parameter["explode"] = false.into();
    }
    parameter["schema"] = schema;
    Some(parameter)
}

/// The arguments that only the site publishes, where no body describes them.
fn published_extra<'a>(
    operation: &Operation,
    options: &'a OpenApiOptions,
) -> impl Iterator<Item = Value> + use<'a> {
    let has_body = operation
        .arguments
        .iter()
        .any(|argument| operation.place(argument) == Place::Body);
    let extra = options.table.operation(operation).extra();
    extra.filter(move |_| !has_body).map(move |name| {
        json!({"name": name, "in": "query", "required": false, "description": EXTRA, "schema": {}})
    })
}

/// The index describes only the public namespaces.
fn index_schema(argument: &Argument, options: &OpenApiOptions) -> Value {
    if argument.name == "namespace" {
        return json!({
            "type": "string",
            "enum": options.namespaces,
            "default": options.namespaces.first(),
        });
    }
    let mut schema = inputs::schema(argument, Carrier::Query);
    schema["type"] = "string".into();
    schema
}

/// The password, if the specification does not declare it but the backend uses it.
fn undeclared_password(operation: &Operation) -> Option<Value> {
    let obeyed = differences()
        .iter()
        .any(|row| row.concerns(&operation.name, "password"));
    (obeyed && operation.argument(b"password").is_none()).then(|| {
        json!({
            "name": "password",
            "in": "query",
            "required": false,
            "description": "Event password. Not declared on this route, yet the backend reads it.",
            // Not declared, and therefore not checked.
            "schema": {"type": "string"},
        })
    })
}

fn description(operation: &Operation, argument: &Argument) -> String {
    let meaning = argument.meaning;
    if operation.id.route == Route::Index && argument.name == "namespace" {
        // Clients never see the backend's output for other names.
        return meaning.to_owned();
    }
    let rows = differences()
        .iter()
        .filter(|row| row.concerns(&operation.name, argument.name));
    match notes(rows) {
        Some(notes) => format!("{meaning} {notes}"),
        None => meaning.to_owned(),
    }
}

fn operation_notes(operation: &Operation) -> impl Iterator<Item = &'static Difference> {
    differences()
        .iter()
        .filter(|row| row.arguments.is_empty() && row.operations.contains(&operation.name.as_str()))
}

/// The known differences of the backend, as sentences.
fn notes(rows: impl Iterator<Item = &'static Difference>) -> Option<String> {
    let sentences: Vec<&str> = rows.map(|row| row.backend).collect();
    (!sentences.is_empty()).then(|| format!("Note: {}", sentences.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_method_and_path_has_an_id_of_its_own() {
        let mut ids: Vec<String> = table()
            .operations()
            .iter()
            .flat_map(|operation| {
                let methods = operation.id.action.methods().iter();
                methods.map(|method| operation_id(operation.id, method))
            })
            .collect();
        assert_eq!(ids.len(), 52);
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 52);
    }

    #[test]
    fn lists_known_differences_from_the_specification() {
        let operation = table().named("events.list").expect("listed");
        let include = operation.argument(b"include").expect("listed");
        let text = description(operation, include);
        assert!(text.contains("Note: The date window stays"), "{text}");
    }
}
