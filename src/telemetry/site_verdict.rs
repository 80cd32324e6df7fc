//! The site's responses to requests that break a rule and are forwarded: the figure that shows whether `enforce` is
//! safe.

use serde::Serialize;

/// The response of the site to one request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct SiteVerdict {
    /// The status, or the one inside an envelope.
    pub(crate) status: u16,
    /// The code of a refusal in WordPress's form.
    pub(crate) code: Option<Box<str>>,
}

/// Responses of the site, counted.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct SiteVerdicts {
    /// Responses with a status below 400.
    accepted: u64,
    /// Refusals, with a status from 400 to 499.
    refused: u64,
    /// Failures of the site, with a status above.
    failed: u64,
    /// The refusals by status and code; those beyond [`MOST_KINDS`] are only in the sum.
    refusals: Vec<CountedVerdict>,
}

/// A kind of refusals.
#[derive(Debug, Clone, Serialize)]
struct CountedVerdict {
    #[serde(flatten)]
    verdict: SiteVerdict,
    count: u64,
}

/// Maximum kinds of refusals that are distinguished: codes are text of the site.
const MOST_KINDS: usize = 8;

/// The longest code that is kept, in bytes.
const LONGEST_CODE: usize = 64;

/// The names of all outcomes.
pub(super) const OUTCOMES: [&str; 3] = ["accepted", "refused", "failed"];

// === impl SiteVerdict ===

impl SiteVerdict {
    /// A response; its code is kept only if it has the form of one.
    pub(crate) fn new(status: u16, code: Option<String>) -> Self {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        let code = code.filter(|code| code.len() <= LONGEST_CODE && code.bytes().all(is_plain));
        Self {
            status,
            code: code.map(Into::into),
        }
    }

    /// Its outcome in one word: `accepted`, `refused` or `failed`.
    pub(crate) const fn outcome(&self) -> &'static str {
        match self.status {
            ..400 => "accepted",
            400..500 => "refused",
            500.. => "failed",
        }
    }
}

// === impl SiteVerdicts ===

impl SiteVerdicts {
    /// Counts a response.
    pub(super) fn count(&mut self, verdict: &SiteVerdict) {
        match verdict.outcome() {
            "accepted" => self.accepted += 1,
            "failed" => self.failed += 1,
            _ => {
                self.refused += 1;
                self.count_refusal(verdict);
            }
        }
    }

    fn count_refusal(&mut self, verdict: &SiteVerdict) {
        let mut known = self.refusals.iter_mut();
        if let Some(known) = known.find(|known| known.verdict == *verdict) {
            known.count += 1;
        } else if self.refusals.len() < MOST_KINDS {
            self.refusals.push(CountedVerdict {
                verdict: verdict.clone(),
                count: 1,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_told_apart_within_bounds() {
        let mut verdicts = SiteVerdicts::default();
        for status in [200, 204, 304, 500] {
            verdicts.count(&SiteVerdict::new(status, None));
        }
        for number in 0..2 * MOST_KINDS {
            verdicts.count(&SiteVerdict::new(400, Some(format!("rest_{number}"))));
            verdicts.count(&SiteVerdict::new(400, Some("rest_0".to_owned())));
        }
        let sums = (verdicts.accepted, verdicts.refused, verdicts.failed);
        assert_eq!(sums, (3, 32, 1));
        assert_eq!(verdicts.refusals.len(), MOST_KINDS);
        assert_eq!(verdicts.refusals[0].count, 17);
        let odd = SiteVerdict::new(400, Some("<b>no code</b>".to_owned()));
        assert_eq!(odd.code, None);
    }
}
