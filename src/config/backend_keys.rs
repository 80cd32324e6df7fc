//! The keys of `[backends.NAME]`, and of the comparison of backends.

use std::ops::RangeInclusive;
use std::time::Duration;

use jiff::civil::Date;

use super::form;
use super::key::NumberField::Usize;
use super::key::ValueKind::{Choice, Count, List, Text, Time};
use super::key::{KeyRow, ListStore, TextError, TextForm};
use super::listening;
use calendar_edge_core::settings::{
    BackendSoftware, CandidateSettings, CredentialsPolicy, IgnoreRule, OperationPattern,
};

type BackendKey = KeyRow<CandidateSettings>;
type IgnoreKey = KeyRow<IgnoreRule>;

pub(super) static OPERATIONS: TextForm = TextForm::new(
    "operations",
    "the name of an operation, `KIND.*` or `*`",
    &["events.list", "venues.*"],
);
static DIFFERENCE_PATH: TextForm = TextForm::new(
    "path",
    "a path as reports print it, of 1 to 200 bytes",
    &["events[].modified_utc", ":header.link"],
);
static DAY: TextForm = TextForm::new("day", "a day", &["2027-03-01"]);

const SOFTWARE: [&str; 2] = ["wordpress", "service"];
const POLICIES: [&str; 3] = ["withhold", "forward", "identity"];
const LONGEST_NAME: usize = 32;
const LONGEST_PATH: usize = 200;
const TIMES: RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_mins(5);

/// The keys of a backend.
pub(super) const BACKENDS: &[BackendKey] = &[
    BackendKey::new(
        "url",
        Text(&form::REST_ROOT, |backend, text| {
            form::rest_root(text).map(|value| backend.url = value)
        }),
        "The REST root of the backend. It serves the first REST root of the edge.",
    )
    .unset("required"),
    BackendKey::new(
        "kind",
        Choice(&SOFTWARE, |backend, index| {
            backend.kind = match index {
                0 => BackendSoftware::WordPress,
                _ => BackendSoftware::Service,
            };
        }),
        "`wordpress` is a site with the calendar plugin: `check` compares its index with the table, and answers in which \
         PHP reports an error of its own count as failures. `service` is any other software that answers the calendar \
         API: each of its JSON errors is relayed.",
    )
    .value("\"service\""),
    BackendKey::new(
        "namespace",
        Text(&form::NAMESPACE, |backend, text| {
            form::namespace(text).map(|value| backend.namespace = value)
        }),
        "The namespace of the calendar API below `url`.",
    )
    .shown(|backend| format!("\"{}\"", backend.namespace)),
    BackendKey::new(
        "advertised_url",
        Text(&form::REST_ROOT, |backend, text| {
            form::rest_root(text).map(|value| backend.advertised_url = Some(value))
        }),
        "The REST root that the backend prints in its responses, if it differs from `url`.",
    )
    .unset("learnt from its `Link` header"),
    BackendKey::new(
        "credentials",
        Choice(&POLICIES, |backend, index| {
            backend.credentials = match index {
                0 => CredentialsPolicy::Withhold,
                1 => CredentialsPolicy::Forward,
                _ => CredentialsPolicy::Identity,
            };
        }),
        "`withhold` sends no call with credentials to the backend, but see `credentialed` of \
         `[[shadow]]`. `forward` sends them with their credentials. `identity` sends them without, and with the \
         caller's account as the site names it, see [identity.md](identity.md).",
    )
    .value("\"withhold\""),
    BackendKey::new(
        "identity_secret_file",
        Text(&listening::IDENTITY_SECRET_FILE, |backend, text| {
            listening::file(text).map(|value| backend.identity_secret_file = Some(value))
        }),
        "A file with the secret of at least 32 bytes by which the backend verifies identities; not that of \
         `origin.secret_file`. Required with `credentials = \"identity\"`.",
    )
    .unset("none"),
    BackendKey::new(
        "max_in_flight",
        Count(1..=10_000, |backend| Usize(&mut backend.max_in_flight)),
        "Maximum number of concurrent calls, which the edges of a `[fleet]` divide by demand.",
    ),
    BackendKey::new(
        "read_timeout",
        Time(TIMES, |backend| &mut backend.read_timeout),
        "A whole read.",
    ),
    BackendKey::new(
        "write_timeout",
        Time(TIMES, |backend| &mut backend.write_timeout),
        "A whole write.",
    ),
];

/// The keys of a rule that leaves differences out.
pub(super) const IGNORE: &[IgnoreKey] = &[
    IgnoreKey::new(
        "operations",
        List(
            &OPERATIONS,
            ListStore::not_empty(
                |rule| rule.operations.clear(),
                |rule, text| {
                    let pattern = OperationPattern::parse(text).ok_or(TextError::Malformed)?;
                    rule.operations.push(pattern);
                    Ok(())
                },
            ),
        ),
        "The operations; `calendar-edge print routes` prints the names.",
    )
    .unset("required"),
    IgnoreKey::new(
        "path",
        Text(&DIFFERENCE_PATH, |rule, text| {
            bounded(text, LONGEST_PATH).map(|value| rule.path = value)
        }),
        "The path that does not count, with everything below it.",
    )
    .unset("required"),
    IgnoreKey::new(
        "reason",
        Text(&form::SENTENCE, |rule, text| {
            bounded(text, 1_000).map(|value| rule.reason = value)
        }),
        "Why it does not count.",
    )
    .unset("required"),
    IgnoreKey::new(
        "until",
        Text(&DAY, |rule, text| {
            let day = text.parse::<Date>().ok().filter(|day| day.to_string() == text);
            day.map(|day| rule.until = Some(day)).ok_or(TextError::Malformed)
        }),
        "The day from which it counts again, in UTC; the report then names the rule.",
    )
    .unset("never"),
];

/// Returns true for a name of letters, digits, `-` and `_`.
pub(super) fn is_backend_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(is_plain)
}

fn bounded(text: &str, longest: usize) -> Result<String, TextError> {
    let is_line = !text.is_empty() && text.len() <= longest && !text.chars().any(char::is_control);
    is_line.then(|| text.to_owned()).ok_or(TextError::Malformed)
}
