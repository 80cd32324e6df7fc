//! Keys that earlier versions had, and their replacements.

/// A row: keys as dotted paths, `*` for all of a section, and their replacement.
const REMOVED: &str = "\
breaker backends.connect_timeout backends.first_byte_timeout backends.identity_lifetime \
backends.max_pending cors.max_age feed.longest_wait feed.readers feed.readers_per_address \
feed.records fleet.interval fleet.members http2.* limits.form_fields limits.header_bytes \
limits.header_list_bytes limits.headers limits.json_depth limits.min_body_rate \
limits.min_response_rate limits.query_pairs limits.request_buffer_total limits.response_buffer_bytes \
limits.response_buffer_total limits.response_bytes limits.target_bytes log.refusals origin.index_interval \
rate_limits.max_buckets shadow.bytes shadow.double shadow.in_flight timeouts.client_body_grace \
timeouts.client_head timeouts.client_idle timeouts.client_write timeouts.origin_connect \
timeouts.origin_first_byte timeouts.origin_queue timeouts.site: The value is fixed: no site needed another.
authorization_schemes: The strict profile accepts `Basic`.
measure_schemas: Schemas were measured, not enforced: see decision 0063.
agents.*: Make such tools from `/openapi.json`.
backends.read_timeout: `timeouts.origin_read` holds for every backend.
backends.write_timeout: `timeouts.origin_write` holds for every backend.
compare.arguments compare.calls compare.quiet compare.records: `[[compare.ignore]]` names the differences that do not count.
cache.snapshot fleet.snapshot: The cache is filled by reads after a restart.
compression.credentialed: Responses to requests with credentials are never compressed (BREACH).
copy.*: The cache responds to requests of before, also while PHP is away. To leave PHP, run a backend of your own, and compare \
it with `calendar-edge migration verify`.
calendar_pages.downloads: The plugin gives the files that its own links download; `[forms]` gives calendars of the API.
cutover.languages: Name the operations of the rule, or serve the language by a root of its own.
cutover.step_calls cutover.step_time cutover.steps: Change `share`, and reload.
cutover.guard.slower: Alert on `edge_backend_request_duration_seconds`, and set `share` to 0% where the backend is slow.
fleet.advertise: `explain ID` queries the edge that `--admin` names.
fleet.cluster: Name one server, or Sentinels.
fleet.sentinel_user: Sentinels get the password of their default user.
fleet.name: The name is derived from the secret of the fleet.
forms.json_ld: The member `json_ld` of an event has the same.
log.access: The line of a request is JSON: fail2ban reads it (`deploy/fail2ban`), and programs that count visits.
log.sample: Sample where the log is collected.
log.user_agent: The line of a request always names the program of the client.
origin.index_file: The content of the indexes outlives a restart where `state_dir` is set.
origin.max_pending: It is 32 times `max_in_flight`.
origin.publish_namespace: Clients may always use `origin.namespace`; responses are in the namespace of the request.
origin.reuse_for_writes: A write always opens a connection: one that another write left can be closed at that moment.
origin.site_in_flight: It is eight times `max_in_flight`.
origin.upgrades: Route other protocols in the proxy in front straight to the site.
record.*: `[[shadow]]` compares calls of clients with a candidate, `migration verify` all records.
roots.answers: `answers` at the top holds for all roots.
roots.messages: The edge learns the messages from the site.
shadow.requests_per_second: `share` bounds the requests to a candidate.
traces.*: The edge passes `traceparent` on and its log line has `trace_id` and `span_id`; let the proxy in front or the site \
record spans.
webhooks.*: Followers read the feed, also as server-sent events.";

/// The replacement of a key, if an earlier version had it.
pub(super) fn replacement(section: &str, name: &str) -> Option<String> {
    let (path, whole) = (format!("{section}.{name}"), format!("{section}.*"));
    let is_in = |keys: &str| {
        let mut keys = keys.split(' ');
        let path = path.trim_start_matches('.');
        keys.any(|key| key == path || key == whole || key.strip_suffix(".*") == Some(path))
    };
    let mut rows = REMOVED.lines().filter_map(|row| row.split_once(": "));
    let (_, replacement) = rows.find(|(keys, _)| is_in(keys))?;
    Some(format!("The key was removed. {replacement}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_an_earlier_version_names_its_replacement() {
        for (section, name, part) in [
            ("cache", "snapshot", "filled"),
            ("copy", "enabled", "`calendar-edge migration verify`"),
            ("record", "file", "`migration verify`"),
            ("http2", "ping_interval", "fixed"),
            ("roots", "messages", "learns"),
            ("limits", "headers", "fixed"),
            ("", "measure_schemas", "0063"),
            ("traces", "endpoint", "`traceparent`"),
            ("", "traces", "`span_id`"),
            ("", "copy", "cache"),
            ("webhooks", "batch", "server-sent events"),
            ("", "webhooks", "server-sent events"),
            ("", "http2", "fixed"),
        ] {
            let text = replacement(section, name);
            assert!(text.is_some_and(|text| text.contains(part)), "{section} {name}");
        }
        for (section, name) in [("cache", "fresh"), ("", "records"), ("limits", "body_bytez")] {
            assert_eq!(replacement(section, name), None, "{section} {name}");
        }
    }
}
