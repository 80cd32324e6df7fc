//! Parts of the state of the edge.

mod backend_status;
mod facts;
mod readings;
mod stored;
mod surface;

use serde_json::Value;

pub(super) use backend_status::backend_health;
pub(crate) use facts::EdgeFacts;
pub(super) use facts::{root_figures, setting_facts};
pub(crate) use readings::Readings;
pub(super) use readings::reading;
pub(super) use stored::cache_status;
pub(super) use surface::surface_status;

/// The members of all these objects, in their order, as one object.
pub(super) fn joined<const N: usize>(objects: [Value; N]) -> Value {
    let members = objects.into_iter().filter_map(|object| match object {
        Value::Object(members) => Some(members),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    });
    Value::Object(members.flatten().collect())
}
