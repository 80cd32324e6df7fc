//! The keys of rules that send calls to other backends.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::backend_keys::OPERATIONS;
use super::key::NumberField::{U64, Usize};
use super::key::ValueKind::{Choice, Count, Flag, List, Text, Time};
use super::key::{KeyRow, ListStore, TextError, TextForm};
use calendar_edge_core::settings::{
    CutMethods, CutoverRule, GuardSettings, OperationPattern, Percentage, ShadowRule,
};

type ShadowKey = KeyRow<ShadowRule>;
type CutoverKey = KeyRow<CutoverRule>;

static BACKEND: TextForm = TextForm::new("backend", "the name of a backend", &["next"]);
static SLOWER: TextForm = TextForm::new("per cent", "whole per cent from 1% to 10000%", &["50%", "200%"]);
static RULE_NAME: TextForm = TextForm::new(
    "name",
    "a name of up to 64 letters, digits, \"-\" and \"_\"",
    &["venues-read"],
);
pub(super) static SHARE: TextForm = TextForm::new("share", "a percentage from 0% to 100%", &["5%", "0.1%"]);

/// The keys of a rule that copies reads.
pub(super) const SHADOW: &[ShadowKey] = &[
    ShadowKey::new(
        "backend",
        Text(&BACKEND, |rule, text| {
            backend(text).map(|name| rule.backend = name)
        }),
        "The backend that gets the copies, by the name of its table.",
    )
    .unset("required"),
    ShadowKey::new(
        "operations",
        List(
            &OPERATIONS,
            ListStore::not_empty(
                |rule| rule.operations.clear(),
                |rule, text| operation(text).map(|pattern| rule.operations.push(pattern)),
            ),
        ),
        "The operations whose reads are copied; `calendar-edge print routes` prints the names.",
    )
    .unset("required"),
    ShadowKey::new(
        "share",
        Text(&SHARE, |rule, text| share(text).map(|share| rule.share = share)),
        "The share of these reads.",
    )
    .shown(|rule| format!("\"{}\"", rule.share)),
    ShadowKey::new(
        "credentialed",
        Flag(|rule| &mut rule.credentialed),
        "Whether reads with credentials are copied, with their credentials.",
    ),
    ShadowKey::new(
        "in_flight",
        Count(1..=1_000, |rule| Usize(&mut rule.in_flight)),
        "The most copies at once; further reads are not copied. The edges of a `[fleet]` have equal parts.",
    ),
];

const METHODS: [(&str, CutMethods); 3] = [
    ("reads", CutMethods::Reads),
    ("writes", CutMethods::Writes),
    ("all", CutMethods::All),
];
const METHOD_NAMES: [&str; 3] = [METHODS[0].0, METHODS[1].0, METHODS[2].0];
const LONGEST_RULE_NAME: usize = 64;

/// The keys of a rule that lets a backend answer.
pub(super) const CUTOVER: &[CutoverKey] = &[
    CutoverKey::new(
        "name",
        Text(&RULE_NAME, |rule, text| rule_name(text).map(|name| rule.name = name)),
        "The name in logs, metrics and commands.",
    )
    .unset("required"),
    CutoverKey::new(
        "backend",
        Text(&BACKEND, |rule, text| backend(text).map(|name| rule.backend = name)),
        "The backend that answers, by the name of its table.",
    )
    .unset("required"),
    CutoverKey::new(
        "operations",
        List(
            &OPERATIONS,
            ListStore::not_empty(
                |rule| rule.operations.clear(),
                |rule, text| operation(text).map(|pattern| rule.operations.push(pattern)),
            ),
        ),
        "The operations; `calendar-edge print routes` prints the names.",
    )
    .unset("required"),
    CutoverKey::new(
        "methods",
        Choice(&METHOD_NAMES, |rule, index| {
            rule.methods = METHODS.get(index).map_or(CutMethods::Reads, |(_, methods)| *methods);
        }),
        "`reads`, `writes`, or `all`. A rule that takes writes sends their credentials to the backend; reads with \
         credentials go there with `methods = \"all\"`, or with `credentials = \"forward\"` of the backend.",
    )
    .value("\"reads\""),
    CutoverKey::new(
        "share",
        Text(&SHARE, |rule, text| share(text).map(|share| rule.share = share)),
        "The share of clients. A client is the account in its credentials, or else its address, and stays in or out \
         until the share changes. A share that grows keeps everybody who was in.",
    )
    .shown(|rule| format!("\"{}\"", rule.share)),
    CutoverKey::new(
        "fallback",
        Flag(|rule| &mut rule.fallback),
        "Whether the site answers reads that fail at the backend: no connection, a timeout, an unusable answer, or a \
         status of 500 or more. The backend then has half of `timeouts.origin_read`.",
    ),
    CutoverKey::new(
        "same_store",
        Flag(|rule| &mut rule.same_store),
        "Whether the backend and the site see one database.",
    ),
    CutoverKey::new(
        "steps",
        List(
            &SHARE,
            ListStore::not_empty(
                |rule| rule.steps.clear(),
                |rule, text| share(text).map(|share| rule.steps.push(share)),
            ),
        ),
        "Growing shares that the rule takes one after the other, instead of `share`. They need a guard.",
    )
    .unset("none"),
    CutoverKey::new(
        "step_time",
        Time(STEP_TIMES, |rule| &mut rule.step_time),
        "The least time of each step.",
    ),
];

const STEP_TIMES: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(24 * 30);

/// The keys of a guard.
pub(super) const GUARD: &[CutoverKey] = &[
    CutoverKey::new(
        "window",
        Time(Duration::from_secs(1)..=Duration::from_hours(24), |rule| {
            &mut guard(rule).window
        }),
        "The time over which the guard counts.",
    )
    .value("\"5m\""),
    CutoverKey::new(
        "calls",
        Count(1..=1_000_000, |rule| U64(&mut guard(rule).calls)),
        "The number of calls, or of compared answers, in the window from which on their share alone decides. Among \
         fewer, a limit is exceeded only if chance does not explain it. Times are judged once the site has given as \
         many, or 50.",
    )
    .value("200"),
    CutoverKey::new(
        "failures",
        Text(&SHARE, |rule, text| {
            share(text).map(|share| guard(rule).failures = Some(share))
        }),
        "The most calls that may fail: no connection, a timeout, an unusable answer, a status of 500 or more, or an \
         answer that breaks off.",
    )
    .value("\"1%\""),
    CutoverKey::new(
        "different",
        Text(&SHARE, |rule, text| {
            share(text).map(|share| guard(rule).different = Some(share))
        }),
        "The most answers that may be `different` or `host`, of those that `[[shadow]]` rules for the same backend and \
         operations compare.",
    )
    .unset("not judged"),
    CutoverKey::new(
        "slower",
        Text(&SLOWER, |rule, text| {
            percent(text).map(|percent| guard(rule).slower = Some(percent))
        }),
        "By how much the times of the backend may exceed those of the site, at the median and at the slowest tenth. \
         Less than 10 ms never count.",
    )
    .unset("not judged"),
];

fn guard(rule: &mut CutoverRule) -> &mut GuardSettings {
    rule.guard.get_or_insert_default()
}

/// Reads whole per cent, which may be more than 100.
fn percent(text: &str) -> Result<u32, TextError> {
    let number = text.strip_suffix('%').map(|number| number.trim_end_matches(' '));
    let number = number.filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    let percent = number.and_then(|number| number.parse::<u32>().ok());
    percent
        .filter(|percent| (1..=10_000).contains(percent))
        .ok_or(TextError::Malformed)
}

fn rule_name(text: &str) -> Result<String, TextError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_name = !text.is_empty() && text.len() <= LONGEST_RULE_NAME && text.bytes().all(is_plain);
    is_name.then(|| text.to_owned()).ok_or(TextError::Malformed)
}

fn backend(text: &str) -> Result<String, TextError> {
    (!text.is_empty())
        .then(|| text.to_owned())
        .ok_or(TextError::Malformed)
}

fn operation(text: &str) -> Result<OperationPattern, TextError> {
    OperationPattern::parse(text).ok_or(TextError::Malformed)
}

pub(super) fn share(text: &str) -> Result<Percentage, TextError> {
    Percentage::parse(text).ok_or(TextError::Malformed)
}
