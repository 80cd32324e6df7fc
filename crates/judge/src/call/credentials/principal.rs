//! The accounts and tokens that a request is charged to, whatever their spelling.

use super::folded_name::fold;
use super::secret::Secret;

/// Accounts that one request may name; a request that names more counts as one with an unusual name.
const MOST_ACCOUNTS: usize = 4;

/// An account or token that a request is charged to. Nothing of it is verified.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Principal {
    /// The account that WordPress finds by a name, as far as the edge can fold it: the name as WordPress and its
    /// database fold it.
    Account(Secret<String>),
    /// Every account whose name is not plain, besides its own, and every one that cannot be read. Plugins, languages and
    /// databases may take more names as equal than the edge folds.
    UnusualAccount,
    /// Any number of accounts, or none: a call to `xmlrpc.php` may try the passwords of all.
    AnyAccount,
    /// Credentials that show no account: the whole value.
    Token(Secret<Vec<u8>>),
}

// === impl Principal ===

impl Principal {
    /// The account of a name as it was sent; with every unusual one, if it is not plain.
    pub(super) fn account(name: &[u8]) -> impl Iterator<Item = Self> + use<> {
        let unusual = (!is_plain(name)).then_some(Self::UnusualAccount);
        [Self::Account(Secret::new(fold(name)))]
            .into_iter()
            .chain(unusual)
    }

    /// Credentials that show no account.
    pub(super) fn token(value: &[u8]) -> Self {
        Self::Token(Secret::new(value.to_vec()))
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

/// True if nothing but letters and blanks had to be folded.
fn is_plain(name: &[u8]) -> bool {
    name.iter()
        .all(|byte| byte.is_ascii_alphanumeric() || b"._@- ".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(name: &[u8]) -> Vec<Principal> {
        Principal::account(name).collect()
    }

    #[test]
    fn spellings_of_one_name_are_one_account() {
        let alice = account(b"alice");
        assert_eq!(alice.len(), 1);
        for name in ["Alice", "ALICE", " alice", "alice  "] {
            assert_eq!(account(name.as_bytes()), alice, "{name}");
        }
        for name in ["alice2", "al ice", "alice@example.org", ""] {
            assert_ne!(account(name.as_bytes()), alice, "{name}");
        }
    }

    #[test]
    fn an_odd_spelling_is_its_account_and_an_unusual_one() {
        let alice = account(b"alice").pop();
        for name in [
            &b"\xc3\xa1lice"[..],
            b"\xef\xbc\xa1lice",
            b"alice\0",
            b"al<b>ice",
            b"alice%41",
            b"ali\xffce",
        ] {
            let named = account(name);
            assert_eq!(named.first(), alice.as_ref(), "{name:?}");
            assert_eq!(named.get(1), Some(&Principal::UnusualAccount), "{name:?}");
        }
        assert_ne!(account(b"a+b"), account(b"a+c"));
    }

    #[test]
    fn too_many_accounts_are_one() {
        let named = |count: u8| (0..count).flat_map(|index| Principal::account(&[b'a' + index]));
        assert_eq!(Principal::distinct(named(4).chain(named(4))).len(), 4);
        assert_eq!(Principal::distinct(named(5)), [Principal::UnusualAccount]);
    }
}
