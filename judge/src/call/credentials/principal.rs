//! The accounts and tokens that a request is charged to, whatever their spelling.

use super::secret::Secret;

/// Accounts that one request may name; a request that names more counts as one with an unusual name.
const MOST_ACCOUNTS: usize = 4;

/// An account or token that a request is charged to. Nothing of it is verified.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Principal {
    /// An account with a plain name, which the database compares by letters only.
    Account(AccountName),
    /// Every account whose name is not plain. To the database, names with accents and look-alikes may be equal, and
    /// the edge does not know which are.
    UnusualAccount,
    /// Credentials that show no account: the whole value.
    Token(Token),
}

/// A name of ASCII letters, digits and `._@- `, in lower case and with single blanks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AccountName(Secret<String>);

/// An `Authorization` that shows no account.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Token(Secret<Vec<u8>>);

// === impl Principal ===

impl Principal {
    /// The account of a name as it was sent.
    pub(super) fn account(name: &[u8]) -> Self {
        AccountName::of(name).map_or(Self::UnusualAccount, Self::Account)
    }

    /// Credentials that show no account.
    pub(super) fn token(value: &[u8]) -> Self {
        Self::Token(Token(Secret::new(value.to_vec())))
    }

    /// Each of them once; too many become one.
    pub(super) fn distinct(named: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut distinct = Vec::new();
        for principal in named {
            if distinct.len() == MOST_ACCOUNTS && !distinct.contains(&principal) {
                return vec![Self::UnusualAccount];
            }
            if !distinct.contains(&principal) {
                distinct.push(principal);
            }
        }
        distinct
    }
}

// === impl AccountName ===

impl AccountName {
    /// WordPress drops blanks around a name, and makes one of several, before it looks an account up.
    fn of(name: &[u8]) -> Option<Self> {
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._@- ".contains(byte);
        let text = std::str::from_utf8(name)
            .ok()
            .filter(|_| name.iter().all(is_plain))?;
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        Some(Self(Secret::new(words.join(" ").to_ascii_lowercase())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_are_one_account() {
        let alice = Principal::account(b"alice");
        for name in ["Alice", "ALICE", " alice", "alice  "] {
            assert_eq!(Principal::account(name.as_bytes()), alice, "{name}");
        }
        assert_eq!(Principal::account(b"A  b"), Principal::account(b"a b"));
        for name in ["alice2", "al ice", "alice@example.org", ""] {
            assert_ne!(Principal::account(name.as_bytes()), alice, "{name}");
        }
    }

    #[test]
    fn names_that_may_equal_others_are_one() {
        for name in [
            "\u{e1}lice",
            "\u{ff21}lice",
            "alice\0",
            "al<b>ice",
            "alice%41",
            "a&amp;",
            "ali\tce",
            "a+b",
        ] {
            assert_eq!(
                Principal::account(name.as_bytes()),
                Principal::UnusualAccount,
                "{name}"
            );
        }
        assert_eq!(Principal::account(b"\xff"), Principal::UnusualAccount);
    }

    #[test]
    fn too_many_accounts_are_one() {
        let named = |count: u8| (0..count).map(|index| Principal::account(&[b'a' + index]));
        assert_eq!(Principal::distinct(named(4).chain(named(4))).len(), 4);
        assert_eq!(Principal::distinct(named(5)), [Principal::UnusualAccount]);
    }
}
