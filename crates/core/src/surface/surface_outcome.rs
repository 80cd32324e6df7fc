//! The outcome of a request that a rule about the rest of the site takes.

use strum::VariantArray;

use super::surface_verdict::SurfaceVerdict;
use crate::settings::Mode;

/// The outcome of a request that a rule takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum SurfaceOutcome {
    /// It passes the rule.
    Passed,
    /// It passes only because the rule reports.
    Reported,
    /// Its caller does not pass.
    Refused,
    /// It is beyond the rate.
    Limited,
}

// === impl SurfaceOutcome ===

impl SurfaceOutcome {
    /// All of them.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The word in logs and metrics.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

// === impl SurfaceVerdict ===

impl SurfaceVerdict<'_> {
    /// The outcome of the request: a rule that only reports lets it pass. A caller that does not pass is refused,
    /// whatever is left of the rate.
    pub const fn outcome(&self, is_exceeded: bool) -> SurfaceOutcome {
        match (self.is_closed, is_exceeded, self.rule.mode) {
            (false, false, _) => SurfaceOutcome::Passed,
            (true, _, Mode::Enforce) => SurfaceOutcome::Refused,
            (false, true, Mode::Enforce) => SurfaceOutcome::Limited,
            (_, _, Mode::Report | Mode::Off) => SurfaceOutcome::Reported,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::SurfaceRule;

    #[test]
    fn a_closed_route_is_refused_and_an_open_one_limited_where_the_rule_is_enforced() {
        use SurfaceOutcome::{Limited, Passed, Refused, Reported};
        for (is_closed, is_exceeded, enforced, reported) in [
            (false, false, Passed, Passed),
            (false, true, Limited, Reported),
            (true, false, Refused, Reported),
            (true, true, Refused, Reported),
        ] {
            for (mode, expected) in [(Mode::Enforce, enforced), (Mode::Report, reported)] {
                let rule = SurfaceRule {
                    mode,
                    ..SurfaceRule::default()
                };
                let verdict = SurfaceVerdict {
                    rule: &rule,
                    is_closed,
                    is_route: true,
                };
                assert_eq!(verdict.outcome(is_exceeded), expected, "{mode:?} {is_closed}");
            }
        }
    }
}
