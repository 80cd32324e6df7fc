//! Parameters that work on every operation.

use serde_json::{Map, Value, json};

use super::super::catalogue::global;
use calendar_edge_judge::contract::global::{GLOBALS, Treatment};
use calendar_edge_judge::contract::{Action, Operation};

/// The parameters that change the shape of a response. They are described, but no operation lists them,
/// because its response schemas would then be wrong.
const SHAPING: &[&str] = &["_fields", "_envelope"];

/// The forwarded global parameters by name.
pub(super) fn components() -> Map<String, Value> {
    forwarded()
        .map(|name| {
            let parameter = json!({
                "name": name,
                "in": "query",
                "required": false,
                "description": global(name),
                "schema": schema(name),
            });
            (component(name).to_owned(), parameter)
        })
        .collect()
}

/// References to the parameters that an operation lists.
pub(super) fn references(operation: &Operation) -> Vec<Value> {
    let declared = |name: &&str| operation.argument(name.as_bytes()).is_some();
    forwarded()
        .filter(|name| !SHAPING.contains(name) && !declared(name))
        .filter(|name| *name != "context" || operation.id.action == Action::Read)
        .map(|name| json!({"$ref": format!("#/components/parameters/{}", component(name))}))
        .collect()
}

fn forwarded() -> impl Iterator<Item = &'static str> {
    // The others never reach the origin as a parameter.
    let is_offered = |treatment| {
        !matches!(
            treatment,
            Treatment::RefuseUnlessAllowed | Treatment::Nonce | Treatment::Route | Treatment::Method
        )
    };
    let offered = GLOBALS.iter().filter(move |listed| is_offered(listed.treatment));
    offered.map(|listed| listed.name)
}

/// The name without its underscore, because some tools reject component names that begin with one.
fn component(name: &'static str) -> &'static str {
    name.trim_start_matches('_')
}

fn schema(name: &str) -> Value {
    match name {
        "_fields" => json!({"type": "string", "examples": ["id,title,venue.city"]}),
        // `embed` trims terms, and any other word empties them.
        "context" => json!({"type": "string", "enum": ["view", "edit"], "default": "view"}),
        "_pretty" | "_envelope" | "_embed" => json!({"type": "string", "examples": ["1"]}),
        // Without a translation plugin, the site ignores this value.
        "lang" => json!({"type": "string", "examples": ["de"]}),
        _ => json!({"type": "string"}),
    }
}
