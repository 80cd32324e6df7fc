//! Writes types for the answers of the document that `DOCUMENT` names, and for the bodies of writes.

use std::collections::BTreeSet;
use std::error::Error;
use std::{env, fs};

use serde_json::{Map, Value, json};
use typify::{TypeSpace, TypeSpaceSettings};

/// Where typing begins.
const ROOTS: [&str; 16] = [
    "EventList",
    "VenueList",
    "OrganizerList",
    "CategoryList",
    "TagList",
    "EventCreate",
    "EventUpdate",
    "VenueCreate",
    "VenueUpdate",
    "OrganizerCreate",
    "OrganizerUpdate",
    "CategoryCreate",
    "CategoryUpdate",
    "TagCreate",
    "TagUpdate",
    "BadRequest",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-env-changed=DOCUMENT");
    println!("cargo:rerun-if-changed={}", env::var("DOCUMENT")?);
    let text = fs::read_to_string(env::var("DOCUMENT")?)?;
    let document: Value = serde_json::from_str(&text.replace("#/components/schemas/", "#/definitions/"))?;
    let schemas = document["components"]["schemas"].as_object().ok_or("no schemas")?;
    let mut named = BTreeSet::new();
    for root in ROOTS {
        follow(root, schemas, &mut named);
    }
    let definitions: Map<String, Value> = schemas
        .iter()
        .filter(|(name, _)| named.contains(*name))
        .map(|(name, schema)| (name.clone(), schema.clone()))
        .collect();
    let mut types = TypeSpace::new(&TypeSpaceSettings::default());
    types.add_root_schema(serde_json::from_value(json!({"definitions": definitions}))?)?;
    fs::write(format!("{}/api.rs", env::var("OUT_DIR")?), types.to_stream().to_string())?;
    Ok(())
}

/// Adds a schema and those that it refers to.
fn follow(name: &str, schemas: &Map<String, Value>, named: &mut BTreeSet<String>) {
    if named.insert(name.to_owned()) {
        references(&schemas[name], schemas, named);
    }
}

fn references(schema: &Value, schemas: &Map<String, Value>, named: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get("$ref") {
                follow(target.trim_start_matches("#/definitions/"), schemas, named);
            }
            members.values().for_each(|member| references(member, schemas, named));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, schemas, named)),
        _ => {}
    }
}
