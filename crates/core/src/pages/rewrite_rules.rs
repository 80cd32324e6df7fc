//! The site's rewrite rules, matched in their order as WordPress matches them (`WP::parse_request`).

use std::borrow::Cow;

use regex::bytes::{Captures, Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use calendar_edge_judge::wordpress::payload::{Plus, decode};
use calendar_edge_judge::wordpress::value::{split_once, split_while};

/// The rules of a site, as far as they can be read.
#[derive(Debug, Clone)]
pub(super) struct RewriteRules {
    all: RegexSet,
    /// One for each rule: the pattern and the query of a rule of the calendar, or of single pages.
    read: Vec<Option<(Regex, String)>>,
}

/// The variables that the query of a rule gives, with their values.
pub(super) type RuleVariables<'a> = Vec<(&'a [u8], Vec<u8>)>;

/// The most bytes that the compiled rules of one site may take.
const MOST_BYTES: usize = 32 << 20;

/// The beginning of the place of a captured text in the query of a rule.
const CAPTURED: &[u8] = b"$matches[";

// === impl RewriteRules ===

impl RewriteRules {
    /// Reads rules, pattern and query, up to the first one that is beyond this engine: a later rule decides nothing
    /// where an earlier one may match.
    pub(super) fn new(rules: &[(String, String)]) -> Self {
        let readable = rules.iter().map_while(|(pattern, query)| {
            let rule = RegexBuilder::new(&format!("^{pattern}")).unicode(false).build();
            Some((rule.ok()?, query))
        });
        let (patterns, read): (Vec<_>, Vec<_>) = readable
            .map(|(rule, query)| {
                let pattern = rule.as_str().to_owned();
                (pattern, is_read(query).then(|| (rule, query.clone())))
            })
            .unzip();
        let set = RegexSetBuilder::new(patterns)
            .unicode(false)
            .size_limit(MOST_BYTES)
            .build();
        match set {
            Ok(all) => Self { all, read },
            Err(_) => Self {
                all: RegexSet::empty(),
                read: Vec::new(),
            },
        }
    }

    /// The variables of the first rule that matches a path without slashes around it, if the rule is of the calendar, or
    /// of single pages.
    pub(super) fn find(&self, path: &[u8]) -> Option<RuleVariables<'_>> {
        let decoded = decode(path, Plus::Space);
        let first = |path: &[u8]| self.all.matches(path).iter().next();
        let is_encoded = matches!(decoded, Cow::Owned(_));
        let raw = first(path);
        let (position, path) = match (raw, is_encoded.then(|| first(&decoded)).flatten()) {
            (Some(raw), Some(read)) if read < raw => (read, &*decoded),
            (Some(raw), _) => (raw, path),
            (None, read) => (read?, &*decoded),
        };
        let (pattern, query) = self.read.get(position)?.as_ref()?;
        let captured = pattern.captures(path)?;
        Some(variables(query, &captured))
    }
}

fn is_read(query: &str) -> bool {
    [
        "post_type=tribe_events",
        "tribe_events_cat=",
        "?tribe_events=",
        "?pagename=",
        "?name=",
    ]
    .iter()
    .any(|names| query.contains(names))
}

/// The variables in the query of a rule, behind the `?`.
fn variables<'a>(query: &'a str, captured: &Captures<'_>) -> RuleVariables<'a> {
    let (_, query) = query.rsplit_once('?').unwrap_or(("", query));
    let pairs = query.as_bytes().split(|byte| *byte == b'&');
    let pairs = pairs.filter_map(|pair| split_once(pair, b'='));
    pairs
        .map(|(name, value)| (name, filled(value, captured)))
        .collect()
}

/// A value with the captured texts in their places (`WP_MatchesMapRegex`).
fn filled(mut template: &[u8], captured: &Captures<'_>) -> Vec<u8> {
    let mut value = Vec::new();
    while let Some(place) = memchr::memmem::find(template, CAPTURED) {
        let (before, rest) = template.split_at(place);
        let (digits, after) = split_while(rest.get(CAPTURED.len()..).unwrap_or_default(), |byte| {
            byte.is_ascii_digit()
        });
        let number = std::str::from_utf8(digits)
            .ok()
            .and_then(|digits| digits.parse().ok());
        let text = number.and_then(|number: usize| captured.get(number));
        value.extend_from_slice(before);
        value.extend_from_slice(text.map_or(&[], |text| text.as_bytes()));
        template = after.strip_prefix(b"]").unwrap_or(after);
    }
    value.extend_from_slice(template);
    value
}
