//! A JSON document that keeps the spelling of texts and numbers.

use std::collections::{HashMap, HashSet};

use calendar_edge_judge::wordpress::payload::{JsonError, JsonToken, JsonTokens, RawText};

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

/// A document that is not compared by path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// It is not JSON, or nested too deep.
    NotJson,
    /// It has too many values.
    TooLarge,
}

struct NodeReader<'a> {
    tokens: JsonTokens<'a>,
    depth: usize,
    values: usize,
}

// === impl Node ===

impl<'a> Node<'a> {
    /// Reads a document in time and memory proportional to its bytes.
    pub(super) fn read(document: &'a [u8]) -> Result<Self, Unread> {
        let mut reader = NodeReader {
            tokens: JsonTokens::new(document),
            depth: DEPTH,
            values: MOST_VALUES,
        };
        let first = reader.tokens.next()?;
        let root = reader.value(first)?;
        match reader.tokens.next()? {
            JsonToken::End => Ok(root),
            _ => Err(Unread::NotJson),
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
    fn value(&mut self, token: JsonToken<'a>) -> Result<Node<'a>, Unread> {
        self.values = self.values.checked_sub(1).ok_or(Unread::TooLarge)?;
        match token {
            JsonToken::Null => Ok(Node::Null),
            JsonToken::Bool(value) => Ok(Node::Bool(value)),
            JsonToken::Number(text) => Ok(Node::Number(text)),
            JsonToken::Text(text) => Ok(Node::Text(text)),
            JsonToken::OpenList => self.nested(|reader| Ok(Node::List(reader.list()?))),
            JsonToken::OpenMap => self.nested(|reader| Ok(Node::Map(reader.map()?))),
            _ => Err(Unread::NotJson),
        }
    }

    fn nested(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Node<'a>, Unread>,
    ) -> Result<Node<'a>, Unread> {
        self.depth = self.depth.checked_sub(1).ok_or(Unread::NotJson)?;
        let node = read(self)?;
        self.depth += 1;
        Ok(node)
    }

    fn list(&mut self) -> Result<Vec<Node<'a>>, Unread> {
        let mut items = Vec::new();
        let mut token = self.tokens.next()?;
        if matches!(token, JsonToken::CloseList) {
            return Ok(items);
        }
        loop {
            items.push(self.value(token)?);
            match self.tokens.next()? {
                JsonToken::Comma => token = self.tokens.next()?,
                JsonToken::CloseList => return Ok(items),
                _ => return Err(Unread::NotJson),
            }
        }
    }

    fn map(&mut self) -> Result<NodeMembers<'a>, Unread> {
        let mut entries = Vec::new();
        let mut token = self.tokens.next()?;
        if matches!(token, JsonToken::CloseMap) {
            return Ok(NodeMembers { entries });
        }
        loop {
            let JsonToken::Text(name) = token else {
                return Err(Unread::NotJson);
            };
            let JsonToken::Colon = self.tokens.next()? else {
                return Err(Unread::NotJson);
            };
            let value = self.tokens.next()?;
            entries.push((decoded(name), self.value(value)?));
            match self.tokens.next()? {
                JsonToken::Comma => token = self.tokens.next()?,
                JsonToken::CloseMap => return Ok(NodeMembers::of(entries)),
                _ => return Err(Unread::NotJson),
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

impl From<JsonError> for Unread {
    fn from(_: JsonError) -> Self {
        Self::NotJson
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn repeated_members_are_read_as_php_reads_them() {
        let Ok(Node::Map(members)) = Node::read(br#"{"a":1,"b":2,"\u0061":3}"#) else {
            panic!("an object");
        };
        let read: Vec<_> = members.iter().collect();
        assert_eq!(read, [("a", &Node::Number("3")), ("b", &Node::Number("2"))]);
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let nested = |depth: usize| [b"[".repeat(depth), b"]".repeat(depth)].concat();
        assert!(Node::read(&nested(DEPTH)).is_ok());
        assert_eq!(Node::read(&nested(DEPTH + 1)), Err(Unread::NotJson));
        let list = format!("[{}0]", "0,".repeat(MOST_VALUES));
        assert_eq!(Node::read(list.as_bytes()), Err(Unread::TooLarge));
    }

    proptest! {
        #[test]
        fn takes_what_serde_takes(value in super::super::tests::json()) {
            let text = serde_json::to_vec(&value).unwrap();
            prop_assert!(Node::read(&text).is_ok());
        }

        #[test]
        fn takes_any_bytes(text: Vec<u8>) {
            let _ = Node::read(&text);
        }
    }
}
