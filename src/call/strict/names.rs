//! Parameter names byte for byte: no mangling, no repetition, brackets only behind list parameters.

use std::collections::HashSet;

use crate::contract::{Argument, Documented, Operation};
use crate::payload::{Plus, decode};

/// Pairs of a query.
const QUERY_PAIRS: usize = 64;

/// Elements of one list parameter.
const LIST_ELEMENTS: usize = 100;

/// Whether every name of a query is declared for reading; writable fields belong into the body.
pub(super) fn query_names_hold(query: &str, operation: &Operation) -> bool {
    if operation.is_write() {
        return query.is_empty();
    }
    names_hold(query.as_bytes(), operation, QUERY_PAIRS)
}

/// Whether every name of an urlencoded body is a writable field.
pub(super) fn form_names_hold(body: &[u8], operation: &Operation) -> bool {
    names_hold(body, operation, usize::MAX)
}

fn names_hold(text: &[u8], operation: &Operation, limit: usize) -> bool {
    let mut scalars = HashSet::new();
    let mut lists: Vec<(&'static str, usize)> = Vec::new();
    for (count, pair) in text.split(|&byte| byte == b'&').enumerate() {
        if text.is_empty() {
            return true;
        }
        let name = decode(
            pair.split(|&byte| byte == b'=').next().unwrap_or_default(),
            Plus::Space,
        );
        let (base, is_element) = match name.strip_suffix(b"[]") {
            Some(base) => (base, true),
            None => (name.as_slice(), false),
        };
        let Some(argument) = declared(operation, base) else {
            return false;
        };
        if count >= limit || (is_element && !is_list(argument)) {
            return false;
        }
        let fresh = if is_element {
            !scalars.contains(argument.name) && count_element(&mut lists, argument.name) <= LIST_ELEMENTS
        } else {
            lists.iter().all(|(known, _)| *known != argument.name) && scalars.insert(argument.name)
        };
        if !fresh {
            return false;
        }
    }
    true
}

fn declared<'a>(operation: &'a Operation, name: &[u8]) -> Option<&'a Argument> {
    let in_path = operation.id.route.path_parameter();
    operation
        .argument(name)
        .filter(|argument| Some(argument.name) != in_path)
}

fn is_list(argument: &Argument) -> bool {
    matches!(argument.documented, Documented::IntegerList)
}

fn count_element(lists: &mut Vec<(&'static str, usize)>, name: &'static str) -> usize {
    if let Some((_, count)) = lists.iter_mut().find(|(known, _)| *known == name) {
        *count += 1;
        return *count;
    }
    lists.push((name, 1));
    1
}
