//! Keys that earlier versions had, and what replaces them.

/// Rows of: the key, `section.name` as it stood in a file; what replaces it. A row that ends with a full stop stands for
/// all keys of a section.
const REMOVED: [(&str, &str); 43] = [
    ("agents.", "Make such tools from `/openapi.json`."),
    ("authorization_schemes", "The strict profile accepts `Basic`."),
    ("backends.connect_timeout", FIXED),
    ("backends.first_byte_timeout", FIXED),
    ("backends.identity_lifetime", FIXED),
    ("backends.max_pending", FIXED),
    (
        "backends.read_timeout",
        "`timeouts.origin_read` holds for every backend.",
    ),
    (
        "backends.write_timeout",
        "`timeouts.origin_write` holds for every backend.",
    ),
    ("breaker", FIXED),
    (
        "cache.snapshot",
        "Stored responses outlive a restart where `state_dir` is set.",
    ),
    (
        "compare.",
        "`[[compare.ignore]]` says which differences do not count.",
    ),
    (
        "compression.credentialed",
        "Responses to requests with credentials are never compressed (BREACH).",
    ),
    ("cors.max_age", FIXED),
    (
        "cutover.languages",
        "Name the operations of the rule, or serve the language by a root of its own.",
    ),
    ("cutover.step_calls", "`step_time` says how long a step lasts."),
    ("feed.", FIXED),
    ("fleet.interval", FIXED),
    ("fleet.members", FIXED),
    ("fleet.name", "The name is derived from the secret of the fleet."),
    (
        "fleet.snapshot",
        "Each edge keeps its own stored responses where `state_dir` is set.",
    ),
    ("forms.json_ld", "The member `json_ld` of an event has the same."),
    ("http2.", FIXED),
    ("limits.", FIXED),
    ("log.sample", "Sample where the log is collected."),
    (
        "log.user_agent",
        "The line of a request always names the program of the client.",
    ),
    (
        "measure_schemas",
        "Schemas were measured, not enforced: see decision 0063.",
    ),
    (
        "origin.index_file",
        "What the indexes said outlives a restart where `state_dir` is set.",
    ),
    ("origin.index_interval", FIXED),
    ("origin.site_in_flight", "It is eight times `max_in_flight`."),
    (
        "origin.upgrades",
        "Route other protocols in the proxy in front straight to the site.",
    ),
    ("rate_limits.max_buckets", FIXED),
    (
        "record.",
        "`[[shadow]]` compares calls of clients with a candidate, `migration verify` all records.",
    ),
    ("roots.messages.callback_disabled", UNMET),
    ("roots.messages.invalid_callback", UNMET),
    ("roots.messages.invalid_namespace", UNMET),
    ("shadow.bytes", FIXED),
    ("shadow.double", FIXED),
    ("shadow.in_flight", FIXED),
    (
        "shadow.requests_per_second",
        "`share` bounds what a candidate is asked.",
    ),
    ("timeouts.", FIXED),
    ("traces.", FIXED),
    ("webhooks.batch", FIXED),
    ("webhooks.timeout", FIXED),
];

/// The reason of messages.
const UNMET: &str = "Only programs under development meet this message: it is English.";

/// The reason of most of them.
const FIXED: &str = "The value is fixed: nobody had to change it.";

/// What replaces a key, if an earlier version had it.
pub(super) fn replacement(key: &str) -> Option<String> {
    let is_of = |row: &str| row == key || (row.ends_with('.') && key.starts_with(row));
    let row = REMOVED.iter().find(|(row, _)| is_of(row))?;
    Some(format!("The key was removed. {}", row.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_an_earlier_version_names_its_replacement() {
        for (key, part) in [
            ("cache.snapshot", "`state_dir`"),
            ("record.file", "`migration verify`"),
            ("http2.ping_interval", "fixed"),
            ("measure_schemas", "0063"),
        ] {
            assert!(replacement(key).is_some_and(|text| text.contains(part)), "{key}");
        }
        for key in ["cache.fresh", "records", "http2"] {
            assert_eq!(replacement(key), None, "{key}");
        }
    }
}
