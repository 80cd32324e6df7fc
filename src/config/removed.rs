//! Keys that earlier versions had, and what replaces them.

/// Rows of: the section, as it stood in a file; its keys; what replaces them. A section without keys is gone whole.
const REMOVED: [(&str, &[&str], &str); 35] = [
    (
        "",
        &["authorization_schemes"],
        "The strict profile accepts `Basic`.",
    ),
    ("", &["breaker"], FIXED),
    (
        "",
        &["measure_schemas"],
        "Schemas were measured, not enforced: see decision 0063.",
    ),
    ("agents", &[], "Make such tools from `/openapi.json`."),
    (
        "backends",
        &[
            "connect_timeout",
            "first_byte_timeout",
            "identity_lifetime",
            "max_pending",
        ],
        FIXED,
    ),
    (
        "backends",
        &["read_timeout"],
        "`timeouts.origin_read` holds for every backend.",
    ),
    (
        "backends",
        &["write_timeout"],
        "`timeouts.origin_write` holds for every backend.",
    ),
    (
        "cache",
        &["snapshot"],
        "Stored responses outlive a restart where `state_dir` is set.",
    ),
    (
        "compare",
        &["arguments", "calls", "quiet", "records"],
        "`[[compare.ignore]]` says which differences do not count.",
    ),
    (
        "compression",
        &["credentialed"],
        "Responses to requests with credentials are never compressed (BREACH).",
    ),
    ("cors", &["max_age"], FIXED),
    (
        "cutover",
        &["languages"],
        "Name the operations of the rule, or serve the language by a root of its own.",
    ),
    (
        "cutover",
        &["step_calls"],
        "`step_time` says how long a step lasts.",
    ),
    (
        "feed",
        &["longest_wait", "readers", "readers_per_address", "records"],
        FIXED,
    ),
    ("fleet", &["interval", "members"], FIXED),
    (
        "fleet",
        &["name"],
        "The name is derived from the secret of the fleet.",
    ),
    (
        "fleet",
        &["snapshot"],
        "Each edge keeps its own stored responses where `state_dir` is set.",
    ),
    (
        "forms",
        &["json_ld"],
        "The member `json_ld` of an event has the same.",
    ),
    ("http2", &[], FIXED),
    (
        "limits",
        &[
            "form_fields",
            "header_bytes",
            "header_list_bytes",
            "headers",
            "json_depth",
            "min_body_rate",
            "min_response_rate",
            "query_pairs",
            "request_buffer_total",
            "response_buffer_bytes",
            "response_buffer_total",
            "target_bytes",
        ],
        FIXED,
    ),
    (
        "log",
        &["access"],
        "The line of a request is JSON: fail2ban reads it (`deploy/fail2ban`), and programs that count visits.",
    ),
    ("log", &["sample"], "Sample where the log is collected."),
    (
        "log",
        &["user_agent"],
        "The line of a request always names the program of the client.",
    ),
    (
        "origin",
        &["index_file"],
        "What the indexes said outlives a restart where `state_dir` is set.",
    ),
    ("origin", &["index_interval"], FIXED),
    (
        "origin",
        &["site_in_flight"],
        "It is eight times `max_in_flight`.",
    ),
    (
        "origin",
        &["upgrades"],
        "Route other protocols in the proxy in front straight to the site.",
    ),
    ("rate_limits", &["max_buckets"], FIXED),
    (
        "record",
        &[],
        "`[[shadow]]` compares calls of clients with a candidate, `migration verify` all records.",
    ),
    (
        "roots.messages",
        &[
            "callback_disabled",
            "invalid_callback",
            "invalid_json",
            "invalid_namespace",
            "invalid_parameter",
            "wrong_type",
        ],
        "Only programs under development meet this message: it is English.",
    ),
    ("shadow", &["bytes", "double", "in_flight"], FIXED),
    (
        "shadow",
        &["requests_per_second"],
        "`share` bounds what a candidate is asked.",
    ),
    (
        "timeouts",
        &[
            "client_body_grace",
            "client_head",
            "client_write",
            "origin_connect",
            "origin_first_byte",
            "origin_queue",
            "site",
        ],
        FIXED,
    ),
    (
        "traces",
        &["batch", "compression", "interval", "queue", "timeout"],
        FIXED,
    ),
    ("webhooks", &["batch", "timeout"], FIXED),
];

/// The reason of most of them.
const FIXED: &str = "The value is fixed: nobody had to change it.";

/// What replaces a key, if an earlier version had it.
pub(super) fn replacement(section: &str, name: &str) -> Option<String> {
    let mut rows = REMOVED.iter();
    let row = rows.find(|(of, names, _)| *of == section && (names.is_empty() || names.contains(&name)))?;
    Some(format!("The key was removed. {}", row.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_an_earlier_version_names_its_replacement() {
        for (section, name, part) in [
            ("cache", "snapshot", "`state_dir`"),
            ("record", "file", "`migration verify`"),
            ("http2", "ping_interval", "fixed"),
            ("limits", "headers", "fixed"),
            ("", "measure_schemas", "0063"),
        ] {
            let text = replacement(section, name);
            assert!(text.is_some_and(|text| text.contains(part)), "{section} {name}");
        }
        for (section, name) in [
            ("cache", "fresh"),
            ("", "records"),
            ("", "http2"),
            ("limits", "body_bytez"),
        ] {
            assert_eq!(replacement(section, name), None, "{section} {name}");
        }
    }
}
