//! The items of two lists, paired: records by their number, other items by their place.

use std::collections::{HashMap, HashSet};

use super::node::Node;
use calendar_edge_judge::contract::RECORD_NUMBER;

/// The items of two lists.
#[derive(Debug)]
pub(super) struct PairedItems<'n, 'a> {
    /// Items that belong together.
    pub(super) pairs: Vec<(&'n Node<'a>, &'n Node<'a>)>,
    /// Items that only the primary's list has.
    pub(super) only_owner: Vec<&'n Node<'a>>,
    /// Items that only the other list has.
    pub(super) only_other: Vec<&'n Node<'a>>,
    /// True if items that both have come in another order.
    pub(super) is_moved: bool,
}

/// Items by what identifies them.
type Known<'n, 'a> = Vec<(String, &'n Node<'a>)>;

// === impl PairedItems ===

impl<'n, 'a> PairedItems<'n, 'a> {
    /// Pairs the items of two lists whose order matters.
    pub(super) fn ordered(primary: &'n [Node<'a>], other: &'n [Node<'a>]) -> Self {
        match (numbered(primary), numbered(other)) {
            (Some(one), Some(two)) => {
                Self::known(&one, &two).unwrap_or_else(|| Self::by_place(primary, other))
            }
            _ => Self::by_place(primary, other),
        }
    }

    /// Pairs the items of two lists without an order: texts and numbers by their value.
    pub(super) fn unordered(primary: &'n [Node<'a>], other: &'n [Node<'a>]) -> Self {
        match (named(primary), named(other)) {
            (Some(one), Some(two)) => {
                Self::known(&one, &two).unwrap_or_else(|| Self::by_place(primary, other))
            }
            _ => Self::ordered(primary, other),
        }
    }

    fn by_place(primary: &'n [Node<'a>], other: &'n [Node<'a>]) -> Self {
        let both = primary.len().min(other.len());
        Self {
            pairs: primary.iter().zip(other).collect(),
            only_owner: primary.iter().skip(both).collect(),
            only_other: other.iter().skip(both).collect(),
            is_moved: false,
        }
    }

    /// Pairs known items; none if the lists have no item in common, which are other records in the same places.
    fn known(primary: &Known<'n, 'a>, other: &Known<'n, 'a>) -> Option<Self> {
        let places: HashMap<&str, usize> = other
            .iter()
            .enumerate()
            .map(|(place, (key, _))| (key.as_str(), place))
            .collect();
        let mut paired = Self {
            pairs: Vec::new(),
            only_owner: Vec::new(),
            only_other: Vec::new(),
            is_moved: false,
        };
        let mut taken = HashSet::new();
        let mut last = None;
        for (key, item) in primary {
            let found = places
                .get(key.as_str())
                .and_then(|place| Some((*place, other.get(*place)?.1)));
            let Some((place, twin)) = found else {
                paired.only_owner.push(item);
                continue;
            };
            paired.is_moved |= last.is_some_and(|last| place < last);
            last = Some(place);
            taken.insert(place);
            paired.pairs.push((item, twin));
        }
        let left = other
            .iter()
            .enumerate()
            .filter(|(place, _)| !taken.contains(place));
        paired.only_other = left.map(|(_, (_, item))| *item).collect();
        let is_disjoint = paired.pairs.is_empty() && !primary.is_empty() && !other.is_empty();
        (!is_disjoint).then_some(paired)
    }
}

/// The records of a list by their numbers, if every item has its own.
fn numbered<'n, 'a>(items: &'n [Node<'a>]) -> Option<Known<'n, 'a>> {
    distinct(items, |item| match item {
        Node::Map(members) => scalar(members.get(RECORD_NUMBER)?),
        _ => None,
    })
}

/// The texts and numbers of a list by their value, if no two are equal.
fn named<'n, 'a>(items: &'n [Node<'a>]) -> Option<Known<'n, 'a>> {
    distinct(items, scalar)
}

fn distinct<'n, 'a>(
    items: &'n [Node<'a>],
    key: impl Fn(&'n Node<'a>) -> Option<String>,
) -> Option<Known<'n, 'a>> {
    let keyed: Option<Known<'n, 'a>> = items.iter().map(|item| Some((key(item)?, item))).collect();
    let keyed = keyed?;
    let keys: HashSet<&str> = keyed.iter().map(|(key, _)| key.as_str()).collect();
    (keys.len() == keyed.len()).then_some(())?;
    Some(keyed)
}

fn scalar(node: &Node<'_>) -> Option<String> {
    match node {
        Node::Number(number) => Some((*number).to_owned()),
        Node::Text(_) => node.text(),
        Node::Null | Node::Bool(_) | Node::List(_) | Node::Map(_) => None,
    }
}
