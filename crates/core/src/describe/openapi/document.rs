//! The complete document: info, servers, tags, security, components.

use serde_json::{Map, Value, json};

use super::super::catalogue::{ABOUT, TAGS};
use super::options::{OpenApiOptions, PublicRoot};
use super::{bodies, errors, globals, inputs, models, operations, responses, security};
use calendar_edge_judge::contract::response::ERROR;

/// Returns the `OpenAPI` 3.1 document of the API that clients see.
pub fn openapi(options: &OpenApiOptions) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Calendar Events REST API",
            "description": ABOUT,
            "version": "v1",
        },
        "servers": servers(options),
        "tags": TAGS.map(|(_, name, meaning)| json!({"name": name, "description": meaning})),
        "paths": operations::paths(options),
        "components": {
            "schemas": schemas(options),
            "responses": responses::components(),
            "parameters": globals::components(),
            "headers": responses::headers(),
            "securitySchemes": security::schemes(),
        },
    })
}

fn servers(options: &OpenApiOptions) -> Vec<Value> {
    let server = |root: &PublicRoot, namespace: &String| {
        let language = root.language.as_ref().map(|language| format!(" ({language})"));
        let description = format!("REST root{}", language.unwrap_or_default());
        json!({"url": format!("{}/{namespace}", root.url), "description": description})
    };
    let roots = options.roots.iter();
    roots
        .flat_map(|root| {
            options
                .namespaces
                .iter()
                .map(move |namespace| server(root, namespace))
        })
        .collect()
}

fn schemas(options: &OpenApiOptions) -> Map<String, Value> {
    let mut schemas = Map::new();
    schemas.extend(inputs::components());
    schemas.extend(bodies::components(options));
    let models = models::components(options.table.wanted);
    let errors = errors::components(&models[ERROR.name]);
    schemas.extend(models);
    schemas.extend(errors.map(|(name, schema)| (name.to_owned(), schema)));
    schemas
}
