//! What the edge keeps of its rules in a file, as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::place::ShareKey;
use super::rule_record::RuleRecord;

/// Everything that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersistedRules {
    /// The key that the places of clients depend on.
    pub share_key: ShareKey,
    /// The rules by name, also those that are not configured now.
    pub rules: BTreeMap<String, RuleRecord>,
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

// === impl PersistedRules ===

impl PersistedRules {
    /// The text of the file.
    pub fn to_json(&self) -> String {
        let json = PersistedJson {
            version: VERSION,
            share_key: self.share_key.to_hex(),
            rules: self.rules.clone(),
            count: self.rules.len(),
        };
        // Texts and numbers are JSON.
        serde_json::to_string_pretty(&json).unwrap_or_default()
    }

    /// Reads what [`Self::to_json`] writes.
    ///
    /// # Errors
    ///
    /// Why it is anything else.
    pub fn parse(text: &str) -> Result<Self, String> {
        let json: PersistedJson = serde_json::from_str(text)
            .map_err(|error| format!("it is not the JSON that the edge writes: {error}"))?;
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
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::rule_record::Returned;
    use super::*;

    fn kept() -> PersistedRules {
        let standing = RuleRecord {
            returned: Some(Returned {
                reason: "20 of 20 calls failed, more than 1%".to_owned(),
                at: 1_800_000_000,
            }),
            steps: vec!["1%".to_owned()],
            step: 0,
            since: 5,
            calls: 7,
            resumed: Some(3),
            version: 4,
            agreed: 3,
        };
        PersistedRules {
            share_key: ShareKey::new([9; 32]),
            rules: BTreeMap::from([("venues-read".to_owned(), standing)]),
        }
    }

    #[test]
    fn it_is_read_as_it_is_written() {
        assert_eq!(PersistedRules::parse(&kept().to_json()).unwrap(), kept());
        let other = kept().to_json().replace("\"version\": 1", "\"version\": 2");
        assert_eq!(
            PersistedRules::parse(&other).unwrap_err(),
            "it has version 2, not 1"
        );
        let fewer = kept().to_json().replace("\"count\": 1", "\"count\": 2");
        assert_eq!(
            PersistedRules::parse(&fewer).unwrap_err(),
            "it has 1 rules, not 2"
        );
    }

    proptest! {
        #[test]
        fn a_damaged_file_is_read_whole_or_not_at_all(at in 0_usize..400, junk in "[{}\",:a0 ]{0,3}") {
            let mut text = kept().to_json();
            let at = text.floor_char_boundary(at);
            text.truncate(at);
            text.push_str(&junk);
            prop_assert!(PersistedRules::parse(&text).map_or(true, |read| read == kept()));
        }
    }
}
