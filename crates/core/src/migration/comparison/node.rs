//! A JSON document that keeps the spelling of texts and numbers.

use indexmap::IndexMap;

use calendar_edge_judge::wordpress::payload::{JsonToken, JsonTokens, RawText};

/// The deepest nesting that is compared by path.
const DEPTH: usize = 512;

/// The most values that are compared by path: a document of them takes some 32 MiB.
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

/// The members of an object in the order of the document. As PHP reads them, a repeated name has the place of its first
/// member, and the value of its last one.
pub(super) type NodeMembers<'a> = IndexMap<String, Node<'a>>;

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
        self.items(&JsonToken::CloseList, Self::value)
    }

    fn map(&mut self) -> Option<NodeMembers<'a>> {
        let entries = self.items(&JsonToken::CloseMap, |reader, token| {
            let (JsonToken::Text(name), JsonToken::Colon) = (token, reader.tokens.next().ok()?) else {
                return None;
            };
            let value = reader.tokens.next().ok()?;
            Some((decoded(name), reader.value(value)?))
        })?;
        Some(entries.into_iter().collect())
    }

    /// The items between commas up to the closing token.
    fn items<T>(
        &mut self,
        close: &JsonToken<'_>,
        item: impl Fn(&mut Self, JsonToken<'a>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut items = Vec::new();
        let mut token = self.tokens.next().ok()?;
        if token == *close {
            return Some(items);
        }
        loop {
            items.push(item(self, token)?);
            match self.tokens.next().ok()? {
                JsonToken::Comma => token = self.tokens.next().ok()?,
                end if end == *close => return Some(items),
                _ => return None,
            }
        }
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
        let read: Vec<_> = members
            .iter()
            .map(|(name, value)| (name.as_str(), value))
            .collect();
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
