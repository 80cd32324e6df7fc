//! A subject: a part of the edge with settings, figures and files of its own, such as the cache or the fleet.

use std::fmt::Debug;

use serde_json::Value;

use super::drain::Drain;
use calendar_edge_core::concerns::{Figures, Lately};
use calendar_edge_core::settings::Settings;

/// Everything that a subject adds to the edge beside its stages. [`Subjects::all`](crate::gateway::Subjects::all) lists
/// the subjects.
pub(crate) trait Subject: Debug {
    /// Takes settings that are in use from now on.
    fn adapt(&self, settings: &Settings);

    /// An object with its members of `/status`.
    fn status(&self) -> Value {
        Value::Null
    }

    /// Sets the gauges that are computed for each scrape.
    fn measure(&self) {}

    /// Adds the figures of which concerns are made.
    fn add_figures(&self, _: &mut Figures) {}

    /// Adds the sums since the start of which concerns take the growth of the last minute.
    fn add_sums(&self, _: &mut Lately) {}

    /// Runs of WordPress that did not happen since the start, less those that the edge caused.
    fn runs_saved(&self) -> i64 {
        0
    }

    /// Writes the files of what outlives the edge, until the drain begins.
    fn keep_files(&self, _: &Drain) {}
}

/// The members of all these objects, in their order, as one object.
pub(crate) fn joined(objects: impl IntoIterator<Item = Value>) -> Value {
    let members = objects.into_iter().filter_map(|object| match object {
        Value::Object(members) => Some(members),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    });
    Value::Object(members.flatten().collect())
}
