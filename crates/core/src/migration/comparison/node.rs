//! A JSON document that keeps the spelling of texts and numbers.

use std::collections::{HashMap, HashSet};

use calendar_edge_judge::wordpress::payload::{JsonToken, JsonTokens, RawText};

/// The deepest nesting that is compared by path.
const DEPTH: usize = 512;

/// The most values that are compared by path: a document of them takes some 16 MiB.
const MOST_VALUES: usize = 200_000;

/// A value that borrows from its document.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node<'a> {
    Null,
    Bool(bool),
    /// A number as it is spelt.
    Number(&'a str),
    Text(RawText<'a>),
    List(Vec<Node<'a>>),
    Map(NodeMembers<'a>),
}

/// The members of an object.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct NodeMembers<'a> {
    /// In the order of the document; of two members of one name the last one counts.
    entries: Vec<(String, Node<'a>)>,
}

struct NodeReader<'a> {
    tokens: JsonTokens<'a>,
    depth: usize,
    values: usize,
}

// === impl Node ===

impl<'a> Node<'a> {
    /// Reads a document in time and memory proportional to its bytes; none if it is not JSON, nested too deep, or has too many
    /// values.
    pub(super) fn read(document: &'a [u8]) -> Option<Self> {
        let mut reader = NodeReader {
            tokens: JsonTokens::new(document),
            depth: DEPTH,
            values: MOST_VALUES,
        };
        let first = reader.tokens.next().ok()?;
        let root = reader.value(first)?;
        match reader.tokens.next().ok()? {
            JsonToken::End => Some(root),
            _ => None,
        }
    }

    /// The decoded text of a string.
    pub(super) fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(decoded(*text)),
            _ => None,
        }
    }
}

/// The meaning of a text.
pub(super) fn decoded(text: RawText<'_>) -> String {
    let bytes = text.decode().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

// === impl NodeMembers ===

impl<'a> NodeMembers<'a> {
    pub(super) const fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Node<'a>)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The member of a name; for few look-ups only.
    pub(super) fn get(&self, name: &str) -> Option<&Node<'a>> {
        let found = self.entries.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// All members by name, with their places.
    pub(super) fn by_name(&self) -> HashMap<&str, (usize, &Node<'a>)> {
        let places = self.iter().enumerate();
        places
            .map(|(place, (name, value))| (name, (place, value)))
            .collect()
    }
}

// === impl NodeReader ===

impl<'a> NodeReader<'a> {
    fn value(&mut self, token: JsonToken<'a>) -> Option<Node<'a>> {
        self.values = self.values.checked_sub(1)?;
        match token {
            JsonToken::Null => Some(Node::Null),
            JsonToken::Bool(value) => Some(Node::Bool(value)),
            JsonToken::Number(text) => Some(Node::Number(text)),
            JsonToken::Text(text) => Some(Node::Text(text)),
            JsonToken::OpenList => self.nested(|reader| Some(Node::List(reader.list()?))),
            JsonToken::OpenMap => self.nested(|reader| Some(Node::Map(reader.map()?))),
            _ => None,
        }
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Option<Node<'a>>) -> Option<Node<'a>> {
        self.depth = self.depth.checked_sub(1)?;
        let node = read(self)?;
        self.depth += 1;
        Some(node)
    }

    fn list(&mut self) -> Option<Vec<Node<'a>>> {
        let mut items = Vec::new();
        let mut token = self.tokens.next().ok()?;
        if matches!(token, JsonToken::CloseList) {
            return Some(items);
        }
        loop {
            items.push(self.value(token)?);
            match self.tokens.next().ok()? {
                JsonToken::Comma => token = self.tokens.next().ok()?,
                JsonToken::CloseList => return Some(items),
                _ => return None,
            }
        }
    }

    fn map(&mut self) -> Option<NodeMembers<'a>> {
        let mut entries = Vec::new();
        let mut token = self.tokens.next().ok()?;
        if matches!(token, JsonToken::CloseMap) {
            return Some(NodeMembers { entries });
        }
        loop {
            let JsonToken::Text(name) = token else {
                return None;
            };
            let JsonToken::Colon = self.tokens.next().ok()? else {
                return None;
            };
            let value = self.tokens.next().ok()?;
            entries.push((decoded(name), self.value(value)?));
            match self.tokens.next().ok()? {
                JsonToken::Comma => token = self.tokens.next().ok()?,
                JsonToken::CloseMap => return Some(NodeMembers::of(entries)),
                _ => return None,
            }
        }
    }
}

impl<'a> NodeMembers<'a> {
    /// Members with each name once, at its first place and with its last value, as PHP reads them.
    fn of(entries: Vec<(String, Node<'a>)>) -> Self {
        let distinct: HashSet<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
        if distinct.len() == entries.len() {
            return Self { entries };
        }
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut kept: Vec<(String, Node<'a>)> = Vec::new();
        for (name, value) in entries {
            if let Some((_, known)) = places.get(&name).and_then(|place| kept.get_mut(*place)) {
                *known = value;
            } else {
                places.insert(name.clone(), kept.len());
                kept.push((name, value));
            }
        }
        Self { entries: kept }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn repeated_members_are_read_as_php_reads_them() {
        let Some(Node::Map(members)) = Node::read(br#"{"a":1,"b":2,"\u0061":3}"#) else {
            panic!("an object");
        };
        let read: Vec<_> = members.iter().collect();
        assert_eq!(read, [("a", &Node::Number("3")), ("b", &Node::Number("2"))]);
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let nested = |depth: usize| [b"[".repeat(depth), b"]".repeat(depth)].concat();
        assert!(Node::read(&nested(DEPTH)).is_some());
        assert_eq!(Node::read(&nested(DEPTH + 1)), None);
        let list = format!("[{}0]", "0,".repeat(MOST_VALUES));
        assert_eq!(Node::read(list.as_bytes()), None);
    }

    proptest! {
        #[test]
        fn takes_what_serde_takes(value in super::super::tests::json()) {
            let text = serde_json::to_vec(&value).unwrap();
            prop_assert!(Node::read(&text).is_some());
        }

        #[test]
        fn takes_any_bytes(text: Vec<u8>) {
            let _ = Node::read(&text);
        }
    }
}
