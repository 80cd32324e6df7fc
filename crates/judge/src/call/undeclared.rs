//! Parameters that an operation does not declare: which are forwarded, which are objected to.

use super::case::Case;
use crate::contract::global::{NEVER_FORWARDED, global};
use crate::contract::{Operation, OperationInForce, read_by_backend};
use crate::policy::{Mode, Policy, UndeclaredParameters};
use crate::problem::{Fault, InvalidParameter, Problem};
use crate::wordpress::payload::{Parameters, Source};
use crate::wordpress::value::{KeyRef, Value};

/// Maximum number of undeclared names that are logged for one call.
const MOST_NAMES: usize = 8;

/// Maximum length of an undeclared name in a log line, in bytes.
const MOST_NAME_BYTES: usize = 64;

/// A parameter that the operation does not declare and that is forwarded where it stood.
#[derive(Debug, Clone, Copy)]
pub(super) struct LooseParameter<'a> {
    pub(super) source: Source,
    pub(super) name: KeyRef<'a>,
    pub(super) value: &'a Value,
    pub(super) fate: UndeclaredOutcome,
}

/// The treatment of a parameter that neither the table nor WordPress declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndeclaredOutcome {
    /// Forwarded: the settings list it.
    Listed,
    /// Forwarded unjudged: the site publishes it, or may do so while its index is not read.
    Published,
    /// Treated by the settings, or forwarded in mode `report`.
    ByRule(UndeclaredParameters),
}

/// The treatment of the undeclared parameters of one operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct UndeclaredRule<'a> {
    pub(super) operation: &'a Operation,
    pub(super) in_force: &'a OperationInForce,
    pub(super) policy: &'a Policy,
}

// === impl UndeclaredRule ===

impl<'a> UndeclaredRule<'a> {
    fn of(case: &'a Case<'_>) -> Self {
        Self {
            operation: case.operation,
            in_force: case.in_force(),
            policy: case.policy,
        }
    }

    /// The fate of a name; `None` for a name that the table or WordPress itself has a rule for.
    pub(super) fn fate(self, name: &[u8]) -> Option<UndeclaredOutcome> {
        let Self {
            operation,
            in_force,
            policy,
        } = self;
        let is_read = || {
            read_by_backend(operation.id)
                .iter()
                .any(|known| known.as_bytes() == name)
        };
        if operation.argument(name).is_some() || global(name).is_some() || is_read() {
            return None;
        }
        let mut listed = policy.extra_parameters(operation);
        Some(if listed.any(|listed| listed.as_bytes() == name) {
            UndeclaredOutcome::Listed
        } else if in_force.has_extra(name) && !policy.is_strict(Some(operation)) {
            UndeclaredOutcome::Published
        } else {
            let by_rule = self.by_rule();
            let is_dangerous = || NEVER_FORWARDED.iter().any(|known| known.as_bytes() == name);
            UndeclaredOutcome::ByRule(if by_rule == UndeclaredParameters::Forward && is_dangerous() {
                UndeclaredParameters::Drop
            } else {
                by_rule
            })
        })
    }

    /// The treatment of names that neither the settings nor the site list.
    fn by_rule(self) -> UndeclaredParameters {
        match self.policy.mode(Some(self.operation)) {
            Mode::Report => UndeclaredParameters::Forward,
            Mode::Enforce | Mode::Off => self.policy.undeclared(self.operation),
        }
    }

    /// Returns true if no name can be forwarded, so that none has to be looked at.
    fn forwards_none(self) -> bool {
        self.by_rule() != UndeclaredParameters::Forward
            && self.in_force.has_no_extra()
            && self.policy.extra_parameters(self.operation).next().is_none()
    }
}

// === loose parameters ===

/// The undeclared parameters to forward, strongest source first, by name within a source.
pub(super) fn loose<'a>(case: &'a Case<'_>) -> Vec<LooseParameter<'a>> {
    let rule = UndeclaredRule::of(case);
    if rule.forwards_none() {
        return Vec::new();
    }
    let mut loose: Vec<LooseParameter<'a>> = parameters(&case.parameters, rule)
        .filter(|sent| match sent.fate {
            UndeclaredOutcome::Listed | UndeclaredOutcome::Published => true,
            UndeclaredOutcome::ByRule(by_rule) => by_rule == UndeclaredParameters::Forward,
        })
        .collect();
    loose.sort_by(|one, other| {
        let place = |sent: &LooseParameter<'a>| (sent.source, sent.name.to_bytes());
        place(one).cmp(&place(other))
    });
    loose
}

/// Objects to an undeclared parameter where the settings refuse it. In the strict profile the shape of a call does so
/// before.
pub(super) fn objection(case: &Case<'_>) -> Option<Problem> {
    const REASON: &str = "It holds a parameter that is not declared.";
    let refuses = case.policy.undeclared(case.operation) == UndeclaredParameters::Refuse;
    if case.mode != Mode::Enforce || !refuses {
        return None;
    }
    let sent = undeclared(case).next()?;
    let name = if sent.source == Source::Query {
        "query"
    } else {
        "body"
    };
    let fault = Fault::Strict(REASON);
    Some(Problem::Invalid(vec![InvalidParameter { name, fault }]))
}

/// True if a call has parameters that no table and no setting lists.
pub(super) fn has_undeclared(case: &Case<'_>) -> bool {
    undeclared(case).next().is_some()
}

/// The undeclared names of a call as text for log lines: a bounded number, cut, and without control characters.
pub(super) fn names(case: &Case<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for sent in undeclared(case) {
        let shown = shown(&sent.name.to_bytes());
        if !names.contains(&shown) {
            names.push(shown);
        }
        if names.len() == MOST_NAMES {
            break;
        }
    }
    names
}

/// The parameters that are treated by the rule for undeclared ones.
fn undeclared<'a>(case: &'a Case<'_>) -> impl Iterator<Item = LooseParameter<'a>> {
    parameters(&case.parameters, UndeclaredRule::of(case))
        .filter(|sent| matches!(sent.fate, UndeclaredOutcome::ByRule(_)))
}

/// All parameters that neither the table nor WordPress has a rule for, but those of the path.
fn parameters<'a>(
    parameters: &'a Parameters,
    rule: UndeclaredRule<'a>,
) -> impl Iterator<Item = LooseParameter<'a>> {
    let sources = parameters.in_order().iter();
    let sources = sources.filter(|sent| sent.source != Source::Path);
    sources.flat_map(move |sent| {
        let source = sent.source;
        let entries = sent.parameters.entries();
        entries.filter_map(move |(name, value)| {
            Some(LooseParameter {
                source,
                name,
                value,
                fate: rule.fate(&name.to_bytes())?,
            })
        })
    })
}

fn shown(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name.get(..MOST_NAME_BYTES).unwrap_or(name));
    text.replace(char::is_control, "\u{fffd}")
}

// === impl LooseParameter ===

impl LooseParameter<'_> {
    /// The name for a query, escaped; `None` for a name that PHP would read as another one.
    pub(super) fn query_name(&self) -> Option<String> {
        let name = self.name.to_bytes();
        let is_read_as_sent = !name.is_empty()
            && std::str::from_utf8(&name).is_ok()
            && !name
                .iter()
                .any(|byte| byte.is_ascii_control() || matches!(byte, b' ' | b'.' | b'[' | b']'));
        let mut escaped = String::new();
        crate::wordpress::value::write_escaped(&name, &mut escaped);
        is_read_as_sent.then_some(escaped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_takes_names_that_php_reads_as_they_are() {
        let name = |text: &'static str| {
            let value = Value::Null;
            let name = KeyRef::Text(text.as_bytes());
            let source = Source::Json;
            LooseParameter {
                source,
                name,
                value: &value,
                fate: UndeclaredOutcome::Published,
            }
            .query_name()
        };
        assert_eq!(name("wpml_language").as_deref(), Some("wpml_language"));
        assert_eq!(name("a&b=c+d").as_deref(), Some("a%26b%3Dc%2Bd"));
        assert_eq!(name("東").as_deref(), Some("%E6%9D%B1"));
        for odd in [
            "rest.route",
            " _method",
            "rest route",
            "a[b]",
            "_method[",
            "",
            "a\0b",
        ] {
            assert_eq!(name(odd), None, "{odd}");
        }
    }

    #[test]
    fn logged_names_are_short_and_plain() {
        assert_eq!(shown(b"utm_source"), "utm_source");
        assert_eq!(shown(b"a\r\nb\x1b"), "a\u{fffd}\u{fffd}b\u{fffd}");
        assert_eq!(shown(&[b'x'; 1000]).len(), MOST_NAME_BYTES);
    }
}
