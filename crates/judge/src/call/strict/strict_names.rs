//! Parameter names byte for byte: no mangling, no repetition, brackets only after list parameters.

use std::collections::{HashMap, HashSet};

use crate::contract::{Action, Documented, Operation, strict};
use crate::policy::UndeclaredParameters;
use crate::wordpress::payload::{Plus, decode, escapes};

/// The parameter names that a call may use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names<'a> {
    /// The operation, whose declared arguments count, except the path's own.
    pub(super) operation: &'a Operation,
    /// Undeclared names that the settings allow.
    pub(super) extra: &'a [&'a str],
    /// The treatment of all other names.
    pub(super) others: UndeclaredParameters,
}

// === impl Names ===

impl<'a> Names<'a> {
    /// Returns true if every name of a query is known. A create or update must not have a query: its
    /// arguments belong in the body.
    pub(super) fn hold_in_query(self, query: &str) -> bool {
        match self.operation.id.action {
            Action::Create | Action::Update => query.is_empty(),
            Action::Describe | Action::List | Action::Read | Action::Delete => {
                self.hold(query.as_bytes(), strict::QUERY_PAIRS)
            }
        }
    }

    /// Returns true if every name of a urlencoded body is known.
    pub(super) fn hold_in_form(self, body: &[u8]) -> bool {
        self.hold(body, usize::MAX)
    }

    /// Returns true if a name is known, compared byte by byte.
    pub(super) fn hold_name(self, name: &[u8]) -> bool {
        self.known(name).is_some() || self.tolerates_others()
    }

    fn hold(self, text: &[u8], limit: usize) -> bool {
        let mut scalars = HashSet::new();
        let mut lists: HashMap<&str, usize> = HashMap::new();
        let pairs = text.split(|&byte| byte == b'&').filter(|_| !text.is_empty());
        for (count, pair) in pairs.enumerate() {
            if !is_well_escaped(pair) {
                return false;
            }
            let name = pair.split(|&byte| byte == b'=').next().unwrap_or_default();
            let name = decode(name, Plus::Space);
            let (base, is_element) = match name.strip_suffix(b"[]") {
                Some(base) => (base, true),
                None => (&*name, false),
            };
            let Some((known, is_list)) = self.known(base) else {
                if self.tolerates_others() && count < limit {
                    continue;
                }
                return false;
            };
            let fresh = if is_element {
                let elements = lists.entry(known).or_default();
                *elements += 1;
                is_list && *elements <= strict::LIST_ELEMENTS && !scalars.contains(known)
            } else {
                scalars.insert(known) && !lists.contains_key(known)
            };
            if count >= limit || !fresh {
                return false;
            }
        }
        true
    }

    /// The known name, and true if it names a list.
    fn known(self, name: &[u8]) -> Option<(&'a str, bool)> {
        let in_path = self.operation.id.route.path_parameter();
        let declared = self
            .operation
            .argument(name)
            .filter(|argument| Some(argument.name) != in_path);
        if let Some(argument) = declared {
            return Some((argument.name, argument.documented == Documented::IntegerList));
        }
        let extra = self.extra.iter().find(|extra| extra.as_bytes() == name);
        extra.map(|extra| (*extra, true))
    }

    fn tolerates_others(self) -> bool {
        self.others != UndeclaredParameters::Refuse
    }
}

/// Returns true if two digits follow each percent sign. PHP takes any other percent sign as text; other
/// parsers report an error.
fn is_well_escaped(pair: &[u8]) -> bool {
    escapes(pair).all(|escape| escape.is_some())
}
