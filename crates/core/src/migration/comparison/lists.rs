//! The values of two lists or objects, paired: members by their name, records by their number, other items by their place.

use indexmap::IndexMap;

use super::node::Node;
use calendar_edge_judge::contract::RECORD_NUMBER;

/// The items of two lists: first those that belong together, then those that only the primary's list has, then those
/// that only the other list has.
type PairedItems<'n, 'a> = Vec<(Option<&'n Node<'a>>, Option<&'n Node<'a>>)>;

/// Values with their key, of which only one side may have one.
type KeyedPairs<'m, T> = Vec<(&'m str, Option<&'m T>, Option<&'m T>)>;

/// Pairs the items of two lists. Those without an order are paired by their value, if they are texts and numbers. True if
/// items that both have come in another order.
pub(super) fn paired<'n, 'a>(
    primary: &'n [Node<'a>],
    other: &'n [Node<'a>],
    is_unordered: bool,
) -> (PairedItems<'n, 'a>, bool) {
    let known = |key: fn(&Node<'_>) -> Option<String>| distinct(primary, key).zip(distinct(other, key));
    let by_value = is_unordered.then(|| known(scalar)).flatten();
    if let Some((primary, other)) = by_value.or_else(|| known(number)) {
        let (pairs, is_moved) = paired_by_key(&primary, &other);
        let has_twins = pairs.iter().any(|(_, one, two)| one.is_some() && two.is_some());
        // Lists without an item in common are other records in the same places.
        if has_twins || primary.is_empty() || other.is_empty() {
            let pairs = pairs.into_iter();
            let pairs = pairs.map(|(_, one, two)| (one.copied(), two.copied()));
            return (pairs.collect(), is_moved);
        }
    }
    let places = 0..primary.len().max(other.len());
    let pairs = places.map(|place| (primary.get(place), other.get(place)));
    (pairs.collect(), false)
}

/// Pairs values by their key: first those that both have. True if these come in another order.
pub(super) fn paired_by_key<'m, T>(
    primary: &'m IndexMap<String, T>,
    other: &'m IndexMap<String, T>,
) -> (KeyedPairs<'m, T>, bool) {
    let (mut pairs, mut only_primary) = (Vec::new(), Vec::new());
    let (mut is_moved, mut last) = (false, 0);
    for (key, value) in primary {
        if let Some((place, _, twin)) = other.get_full(key) {
            is_moved |= place < last;
            last = place;
            pairs.push((key.as_str(), Some(value), Some(twin)));
        } else {
            only_primary.push((key.as_str(), Some(value), None));
        }
    }
    let only_other = other.iter().filter(|(key, _)| !primary.contains_key(*key));
    pairs.extend(only_primary);
    pairs.extend(only_other.map(|(key, value)| (key.as_str(), None, Some(value))));
    (pairs, is_moved)
}

/// The items of a list by their key, if every item has its own.
fn distinct<'n, 'a>(
    items: &'n [Node<'a>],
    key: fn(&Node<'_>) -> Option<String>,
) -> Option<IndexMap<String, &'n Node<'a>>> {
    let keyed = items.iter().map(|item| Some((key(item)?, item)));
    let keyed: IndexMap<String, &'n Node<'a>> = keyed.collect::<Option<_>>()?;
    (keyed.len() == items.len()).then_some(keyed)
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
