//! JSON Schema, the oracle for the OpenAPI document and for its models of responses.

use calendar_edge_judge::contract::response::Shape;
use serde_json::{Value, json};

/// A schema of JSON Schema 2020-12, compiled: its references resolve and its patterns are read.
pub(crate) struct Compiled {
    schemas: boon::Schemas,
    root: boon::SchemaIndex,
}

impl Compiled {
    /// Compiles a schema document; panics unless its dialect's own schema accepts it.
    pub(crate) fn new(schema: Value) -> Self {
        const PLACE: &str = "https://schema.invalid/";
        let mut schemas = boon::Schemas::new();
        let mut compiler = boon::Compiler::new();
        compiler.add_resource(PLACE, schema).expect("a place of its own");
        let root = compiler
            .compile(PLACE, &mut schemas)
            .unwrap_or_else(|error| panic!("a valid schema: {error:#}"));
        Self { schemas, root }
    }

    /// True if the schema accepts the value.
    pub(crate) fn is_valid(&self, value: &Value) -> bool {
        self.check(value).is_ok()
    }

    /// The reason why the schema does not accept the value.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        let checked = self.schemas.validate(value, self.root);
        checked.map_err(|error| format!("{error:#}"))
    }
}

/// One schema of the document, whose references point into the document.
pub(crate) fn validator(document: &Value, schema: &Value) -> Compiled {
    Compiled::new(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "components": document["components"],
        "allOf": [schema],
    }))
}

/// The document's schema of a model, or of one of several.
pub(crate) fn schema_of(document: &Value, shape: Shape) -> Compiled {
    let reference = |shape: &Shape| match shape {
        Shape::Model(model) => json!({"$ref": format!("#/components/schemas/{}", model.name)}),
        other => panic!("{other:?} has no schema of its own"),
    };
    let schema = match shape {
        Shape::Either(shapes) => json!({"anyOf": shapes.iter().map(reference).collect::<Value>()}),
        _ => reference(&shape),
    };
    validator(document, &schema)
}

#[test]
#[should_panic(expected = "a valid schema")]
fn an_unknown_type_is_no_schema() {
    let document = json!({"components": {"schemas": {"A": {"type": "strin"}}}});
    validator(&document, &json!({"$ref": "#/components/schemas/A"}));
}

#[test]
#[should_panic(expected = "a valid schema")]
fn a_reference_has_to_resolve() {
    validator(
        &json!({"components": {}}),
        &json!({"$ref": "#/components/schemas/B"}),
    );
}
