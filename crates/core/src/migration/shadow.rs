//! The calls that the rules of `[[shadow]]` copy, and the receivers.

use super::cutover::CutoverCall;
use crate::settings::ShadowRule;

/// The receiver of the copy of a call: the side that has not responded to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyTo {
    /// The backend: the site has responded.
    Backend,
    /// The site: the backend has responded.
    Site,
}

// === impl CopyTo ===

impl CopyTo {
    /// The receiver of a copy of a call by a rule about its operation; none if it is not copied. `answered_by` is the
    /// backend that responds, none: the site.
    ///
    /// Writes are never copied, and a read with credentials only if the rule allows it.
    pub fn of(rule: &ShadowRule, call: CutoverCall<'_>, answered_by: Option<&str>) -> Option<Self> {
        let to = match answered_by {
            None => Self::Backend,
            Some(backend) if backend == rule.backend => Self::Site,
            // A third backend responds: neither side of the comparison.
            Some(_) => return None,
        };
        let may_know = rule.credentialed || !call.is_personal;
        (!call.operation.is_write() && call.is_served() && may_know).then_some(to)
    }
}

/// The rules about an operation, by what stands beside them: the first one for each backend.
pub fn first_about<'a, T>(
    rules: impl IntoIterator<Item = (&'a ShadowRule, T)>,
    operation: &str,
) -> Vec<(&'a ShadowRule, T)> {
    let mut about: Vec<(&ShadowRule, T)> = Vec::new();
    for (rule, beside) in rules {
        let is_first = !about.iter().any(|(other, _)| other.backend == rule.backend);
        if is_first && rule.is_about(operation) {
            about.push((rule, beside));
        }
    }
    about
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::OperationPattern;
    use calendar_edge_judge::contract::table;

    fn rule(backend: &str, operations: &str) -> ShadowRule {
        ShadowRule {
            backend: backend.to_owned(),
            operations: vec![OperationPattern::parse(operations).unwrap()],
            ..ShadowRule::default()
        }
    }

    fn call(operation: &str) -> CutoverCall<'static> {
        CutoverCall {
            operation: table().named(operation).unwrap(),
            root: 0,
            is_personal: false,
        }
    }

    #[test]
    fn whoever_has_not_answered_a_read_gets_its_copy() {
        let rule = rule("next", "*");
        let read = call("events.list");
        assert_eq!(CopyTo::of(&rule, read, None), Some(CopyTo::Backend));
        assert_eq!(CopyTo::of(&rule, read, Some("next")), Some(CopyTo::Site));
        assert_eq!(CopyTo::of(&rule, read, Some("third")), None);
    }

    #[test]
    fn writes_further_roots_and_credentials_are_not_copied() {
        let mut rule = rule("next", "*");
        assert_eq!(CopyTo::of(&rule, call("events.create"), None), None);
        let elsewhere = CutoverCall {
            root: 1,
            ..call("events.list")
        };
        assert_eq!(CopyTo::of(&rule, elsewhere, None), None);
        let personal = CutoverCall {
            is_personal: true,
            ..call("events.list")
        };
        assert_eq!(CopyTo::of(&rule, personal, None), None);
        rule.credentialed = true;
        assert_eq!(CopyTo::of(&rule, personal, None), Some(CopyTo::Backend));
    }

    #[test]
    fn the_first_rule_about_an_operation_counts_for_each_backend() {
        let rules = [
            rule("next", "venues.*"),
            rule("next", "*"),
            rule("third", "*"),
            rule("next", "*"),
        ];
        let about = |operation| -> Vec<usize> {
            let numbered = rules.iter().zip(0..);
            first_about(numbered, operation)
                .into_iter()
                .map(|(_, number)| number)
                .collect()
        };
        assert_eq!(about("venues.list"), [0, 2]);
        assert_eq!(about("events.list"), [1, 2]);
    }
}
