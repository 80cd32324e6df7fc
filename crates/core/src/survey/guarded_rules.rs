//! Rules that hold for the whole site only where the companion plugin refuses calls that the edge did not judge.

use crate::settings::{OtherTraffic, Settings};

/// The fact that an operator needs, and the step that is left.
pub fn unguarded(settings: &Settings) -> String {
    let step = match settings.origin.mark_key {
        Some(_) => "install the companion plugin with the secret of `origin.secret_file`",
        None => "install the companion plugin and set `origin.secret_file`",
    };
    format!(
        "with `other = \"forward\"` the calendar can be reached around the edge, through other routes and pages of the \
         site: {step}"
    )
}

/// True if clients can send requests to the site that the edge does not judge.
pub fn forwards_unjudged(settings: &Settings) -> bool {
    settings.other == OtherTraffic::Forward
}

/// The settings that such requests get around.
pub fn circumvented(settings: &Settings) -> Vec<&'static str> {
    [
        ("read_only", settings.read_only),
        ("writers", !settings.writers.is_empty()),
        ("write_addresses", !settings.write_addresses.is_empty()),
    ]
    .into_iter()
    .filter_map(|(key, is_set)| is_set.then_some(key))
    .collect()
}
