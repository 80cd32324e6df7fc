//! Request bodies of writes: one schema for JSON and one for forms.

use serde_json::{Map, Value, json};

use super::super::catalogue::EXTRA;
use super::inputs::{self, Carrier, reference};
use super::options::OpenApiOptions;
use calendar_edge_judge::contract::{Action, Argument, Kind, Operation, Place, Route, table};

/// The request body of one method of an operation; `None` if the method has no body.
pub(super) fn request_body(operation: &Operation, method: &http::Method) -> Option<Value> {
    let name = schema_name(operation)?;
    let form = json!({"schema": reference(&format!("{name}Form"))});
    let mut content = json!({
        "application/json": {"schema": reference(&name)},
        "application/x-www-form-urlencoded": form,
    });
    // PHP reads multipart bodies of POST only. With other methods they carry no parameters
    // (backend.md section 4).
    if method == http::Method::POST {
        content["multipart/form-data"] = form;
    }
    let required = operation.id.action == Action::Create;
    Some(json!({"required": required, "content": content}))
}

/// The body schemas of all writes, with what the site publishes. Updates that share a schema are published alike.
pub(super) fn components(options: &OpenApiOptions) -> Map<String, Value> {
    let mut schemas = Map::new();
    for operation in table().operations() {
        let Some(name) = schema_name(operation) else {
            continue;
        };
        let form = object(operation, Carrier::Form, options);
        schemas.insert(format!("{name}Form"), form);
        schemas.insert(name, object(operation, Carrier::Json, options));
    }
    schemas
}

/// The component name of an operation's body. The two updates of a kind share a schema if they accept the
/// same fields.
fn schema_name(operation: &Operation) -> Option<String> {
    let kind = operation.id.kind()?;
    let one = kind.model().name;
    match (operation.id.action, operation.id.route) {
        (Action::Create, _) => Some(format!("{one}Create")),
        // `slug` and `password` exist only on the routes by number.
        (Action::Update, Route::BySlug(Kind::Event)) => Some(format!("{one}UpdateBySlug")),
        (Action::Update, _) => Some(format!("{one}Update")),
        (Action::Describe | Action::List | Action::Read | Action::Delete, _) => None,
    }
}

fn object(operation: &Operation, carrier: Carrier, options: &OpenApiOptions) -> Value {
    let fields: Vec<&Argument> = operation
        .arguments
        .iter()
        .filter(|argument| operation.place(argument) == Place::Body && !options.drops(operation, argument))
        .collect();
    let declared = fields.iter().map(|field| {
        let mut schema = inputs::schema(field, carrier);
        schema["description"] = options
            .in_force(operation, field, field.meaning.to_owned())
            .into();
        (field.name.to_owned(), schema)
    });
    let extra = options.table.operation(operation).extra();
    // Nothing but its name is known.
    let extra = extra.map(|name| (name.to_owned(), json!({"description": EXTRA})));
    let properties: Map<String, Value> = declared.chain(extra).collect();
    let required: Vec<&str> = fields
        .iter()
        .filter(|field| field.is_required)
        .map(|field| field.name)
        .collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use calendar_edge_judge::contract::{PublishedIndex, TableInForce};

    #[test]
    fn operations_that_share_a_schema_take_the_same_fields() {
        let body = |operation: &Operation| object(operation, Carrier::Json, &OpenApiOptions::default());
        for operation in table().operations() {
            let twins = table().operations().iter().filter(|other| {
                schema_name(operation).is_some() && schema_name(operation) == schema_name(other)
            });
            for twin in twins {
                assert_eq!(body(operation), body(twin), "{} {}", operation.name, twin.name);
            }
        }
    }

    #[test]
    fn bodies_know_what_the_site_publishes() {
        let wpml = include_bytes!("../../../../../fixtures/versions/index-6.15.16+wpml.json");
        let index = PublishedIndex::read(wpml, "tribe/events/v1").expect("an index");
        let options = OpenApiOptions {
            table: Arc::new(TableInForce::over(&index)),
            ..OpenApiOptions::default()
        };
        let described = |options: &OpenApiOptions, field: &str| {
            components(options)["EventCreate"]["properties"][field]["description"].clone()
        };
        let plain = OpenApiOptions::default();
        assert_eq!(described(&plain, "wpml_language"), Value::Null);
        assert_ne!(described(&options, "wpml_language"), Value::Null);
        assert_eq!(described(&options, "title"), described(&plain, "title"));
    }

    #[test]
    fn only_posts_take_multipart() {
        let update = table().named("tags.update").expect("listed");
        let types = |method| {
            let body = request_body(update, &method).expect("a body");
            body["content"].as_object().expect("a map").len()
        };
        assert_eq!((types(http::Method::POST), types(http::Method::PUT)), (3, 2));
    }
}
