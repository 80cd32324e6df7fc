//! The keys of rules that send calls to other backends.

use super::backend_keys::OPERATIONS;
use super::key::NumberField::{U32, U64, Usize};
use super::key::ValueKind::{Count, Flag, List, Size, Text};
use super::key::{KeyRow, ListStore, TextError, TextForm};
use crate::settings::{OperationPattern, Percentage, ShadowRule};

type ShadowKey = KeyRow<ShadowRule>;

static BACKEND: TextForm = TextForm::new("backend", "the name of a backend", &["next"]);
static SHARE: TextForm = TextForm::new("share", "a percentage from 0% to 100%", &["5%", "0.1%"]);

/// The keys of a rule that copies reads.
pub(super) const SHADOW: &[ShadowKey] = &[
    ShadowKey::new(
        "backend",
        Text(&BACKEND, |rule, text| backend(text).map(|name| rule.backend = name)),
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
        "The operations whose reads are copied; `calendar-edge routes` prints the names.",
    )
    .unset("required"),
    ShadowKey::new(
        "share",
        Text(&SHARE, |rule, text| share(text).map(|share| rule.share = share)),
        "The share of these reads.",
    )
    .shown(|rule| format!("\"{}\"", rule.share)),
    ShadowKey::new(
        "double",
        Text(&SHARE, |rule, text| share(text).map(|share| rule.double = share)),
        "The share of the copied reads that the site is asked a second time. Where its two answers differ, other \
         answers that differ are `volatile`. The first answers of an operation that differ are asked again as well.",
    )
    .shown(|rule| format!("\"{}\"", rule.double)),
    ShadowKey::new(
        "credentialed",
        Flag(|rule| &mut rule.credentialed),
        "Whether reads with credentials are copied, with their credentials.",
    ),
    ShadowKey::new(
        "requests_per_second",
        Count(1..=10_000, |rule| U32(&mut rule.requests_per_second)),
        "The most copies per second; further reads are not copied.",
    ),
    ShadowKey::new(
        "in_flight",
        Count(1..=1_000, |rule| Usize(&mut rule.in_flight)),
        "The most copies at once; further reads are not copied.",
    ),
    ShadowKey::new(
        "bytes",
        Size(1024..=16 << 20, |rule| U64(&mut rule.bytes)),
        "The most bytes of one answer. Larger answers of the site are not compared, and those of the backend count as \
         too large. All copies hold at most twice this size for each of `in_flight`.",
    ),
];

fn backend(text: &str) -> Result<String, TextError> {
    (!text.is_empty())
        .then(|| text.to_owned())
        .ok_or(TextError::Malformed)
}

fn operation(text: &str) -> Result<OperationPattern, TextError> {
    OperationPattern::parse(text).ok_or(TextError::Malformed)
}

fn share(text: &str) -> Result<Percentage, TextError> {
    Percentage::parse(text).ok_or(TextError::Malformed)
}
