//! The items of two lists, paired: records by their number, other items by their place.

use std::collections::{HashMap, HashSet};

use super::node::Node;
use calendar_edge_judge::contract::RECORD_NUMBER;

/// The items of two lists: first those that belong together, then those that only the primary's list has, then those
/// that only the other list has.
type PairedItems<'n, 'a> = Vec<(Option<&'n Node<'a>>, Option<&'n Node<'a>>)>;

/// Items by what identifies them.
type Known<'n, 'a> = Vec<(String, &'n Node<'a>)>;

/// Pairs the items of two lists. Those without an order are paired by their value, if they are texts and numbers. True if
/// items that both have come in another order.
pub(super) fn paired<'n, 'a>(
    primary: &'n [Node<'a>],
    other: &'n [Node<'a>],
    is_unordered: bool,
) -> (PairedItems<'n, 'a>, bool) {
    let known = |key: fn(&Node<'_>) -> Option<String>| distinct(primary, key).zip(distinct(other, key));
    let by_value = is_unordered.then(|| known(scalar)).flatten();
    let by_key = by_value.or_else(|| known(number));
    let by_key = by_key.and_then(|(primary, other)| paired_by_key(&primary, &other));
    by_key.unwrap_or_else(|| {
        let places = 0..primary.len().max(other.len());
        let pairs = places.map(|place| (primary.get(place), other.get(place)));
        (pairs.collect(), false)
    })
}

/// Pairs known items; none if the lists have no item in common, which are other records in the same places.
fn paired_by_key<'n, 'a>(
    primary: &Known<'n, 'a>,
    other: &Known<'n, 'a>,
) -> Option<(PairedItems<'n, 'a>, bool)> {
    let twins = other.iter().enumerate();
    let mut twins: HashMap<&str, (usize, &'n Node<'a>)> = twins
        .map(|(place, (key, item))| (key.as_str(), (place, *item)))
        .collect();
    let (mut pairs, mut only_owner) = (Vec::new(), Vec::new());
    let (mut is_moved, mut last) = (false, 0);
    for (key, item) in primary {
        if let Some((place, twin)) = twins.remove(key.as_str()) {
            is_moved |= place < last;
            last = place;
            pairs.push((Some(*item), Some(twin)));
        } else {
            only_owner.push((Some(*item), None));
        }
    }
    let is_disjoint = pairs.is_empty() && !primary.is_empty() && !other.is_empty();
    let only_other = other.iter().filter(|(key, _)| twins.contains_key(key.as_str()));
    pairs.extend(only_owner);
    pairs.extend(only_other.map(|(_, item)| (None, Some(*item))));
    (!is_disjoint).then_some((pairs, is_moved))
}

/// The items of a list by their key, if every item has its own.
fn distinct<'n, 'a>(items: &'n [Node<'a>], key: fn(&Node<'_>) -> Option<String>) -> Option<Known<'n, 'a>> {
    let keyed: Option<Known<'n, 'a>> = items.iter().map(|item| Some((key(item)?, item))).collect();
    keyed.filter(|keyed| {
        let keys: HashSet<&str> = keyed.iter().map(|(key, _)| key.as_str()).collect();
        keys.len() == keyed.len()
    })
}

/// The number of a record.
fn number(item: &Node<'_>) -> Option<String> {
    match item {
        Node::Map(members) => scalar(members.get(RECORD_NUMBER)?),
        _ => None,
    }
}

/// The value of a text or a number.
fn scalar(node: &Node<'_>) -> Option<String> {
    match node {
        Node::Number(number) => Some((*number).to_owned()),
        Node::Text(_) => node.text(),
        Node::Null | Node::Bool(_) | Node::List(_) | Node::Map(_) => None,
    }
}
