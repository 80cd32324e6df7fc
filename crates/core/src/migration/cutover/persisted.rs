//! The state of the rules that the edge keeps in a file, as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::place::ShareKey;
use super::rule_record::{Returned, RuleRecord};
use crate::settings::CutoverRule;
use crate::unix_time::UnixTime;

/// Everything that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PersistedJson", into = "PersistedJson")]
pub struct PersistedRules {
    /// The key that the places of clients depend on.
    pub share_key: ShareKey,
    /// By name, also those that are not configured now.
    rules: BTreeMap<String, RuleRecord>,
    unreadable: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct PersistedJson {
    version: u32,
    share_key: String,
    rules: BTreeMap<String, RuleRecord>,
    /// Their number, after them: a text that was cut off among them does not pass for one with fewer.
    count: usize,
}

const VERSION: u32 = 1;

/// The most rules that are kept, so that names of the past do not add up.
const MOST_RULES: usize = 1_000;

// === impl PersistedRules ===

impl PersistedRules {
    /// No rules yet. `unreadable` is the reason why those of an earlier run cannot be read, if there is one: no guarded rule
    /// takes a call then until an operator resumes it.
    pub const fn new(share_key: ShareKey, unreadable: Option<String>) -> Self {
        Self {
            share_key,
            rules: BTreeMap::new(),
            unreadable,
        }
    }

    /// The kept state of a rule, which may be new.
    pub fn standing(&self, rule: &CutoverRule, now: UnixTime) -> RuleRecord {
        self.rules.get(&rule.name).cloned().unwrap_or_else(|| {
            let reason = self.unreadable.clone().filter(|_| rule.guard.is_some());
            let at = now.as_secs();
            RuleRecord {
                returned: reason.map(|reason| Returned { reason, at }),
                ..RuleRecord::default()
            }
        })
    }

    /// Keeps the state of a rule.
    pub fn keep(&mut self, name: &str, standing: RuleRecord) {
        if self.rules.contains_key(name) || self.rules.len() < MOST_RULES {
            self.rules.insert(name.to_owned(), standing);
        }
    }
}

impl From<PersistedRules> for PersistedJson {
    fn from(kept: PersistedRules) -> Self {
        Self {
            version: VERSION,
            share_key: kept.share_key.to_hex(),
            count: kept.rules.len(),
            rules: kept.rules,
        }
    }
}

impl TryFrom<PersistedJson> for PersistedRules {
    type Error = String;

    fn try_from(json: PersistedJson) -> Result<Self, String> {
        if json.version != VERSION {
            return Err(format!("it has version {}, not {VERSION}", json.version));
        }
        let (found, count) = (json.rules.len(), json.count);
        if found != count {
            return Err(format!("it has {found} rules, not {count}"));
        }
        Ok(Self {
            share_key: ShareKey::of_hex(&json.share_key).ok_or("its key is broken")?,
            rules: json.rules,
            unreadable: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text() -> String {
        serde_json::to_string_pretty(&kept()).unwrap()
    }

    fn parse(text: &str) -> Result<PersistedRules, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    fn kept() -> PersistedRules {
        let standing = RuleRecord {
            returned: Some(Returned {
                reason: "20 of 20 calls failed, more than 1%".to_owned(),
                at: 1_800_000_000,
            }),
            resumed: Some(3),
            version: 4,
            agreed: 3,
        };
        PersistedRules {
            share_key: ShareKey::new([9; 32]),
            rules: BTreeMap::from([("venues-read".to_owned(), standing)]),
            unreadable: None,
        }
    }

    #[test]
    fn it_is_read_as_it_is_written() {
        assert_eq!(parse(&text()).unwrap(), kept());
        let other = text().replace("\"version\": 1", "\"version\": 2");
        assert_eq!(parse(&other).unwrap_err(), "it has version 2, not 1");
        let fewer = text().replace("\"count\": 1", "\"count\": 2");
        assert_eq!(parse(&fewer).unwrap_err(), "it has 1 rules, not 2");
    }

    proptest! {
        #[test]
        fn a_damaged_file_is_read_whole_or_not_at_all(at in 0_usize..400, junk in "[{}\",:a0 ]{0,3}") {
            let mut text = text();
            let at = text.floor_char_boundary(at);
            text.truncate(at);
            text.push_str(&junk);
            prop_assert!(parse(&text).map_or(true, |read| read == kept()));
        }
    }
}
