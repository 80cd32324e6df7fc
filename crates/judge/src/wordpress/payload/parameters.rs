//! The parameters of a request by their source, and the source that wins (backend.md section 4).

use std::sync::Arc;

use crate::wordpress::value::{KeyRef, PhpArray, Value};

/// The source of a parameter, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Source {
    /// A member of the JSON body.
    Json,
    /// A field of a form body.
    Form,
    /// A query parameter.
    Query,
    /// The path. It is the weakest source in WordPress and the strongest at the edge.
    Path,
}

/// The parameters of one source.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceParameters {
    /// The source.
    pub source: Source,
    /// The parameters in the order in which they were sent; those of a query are shared with its target.
    pub parameters: Arc<PhpArray>,
}

/// All parameters of a request, strongest source first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parameters {
    parameters: Vec<SourceParameters>,
    /// The bits of all sent names, and of few others: the rules look up many names that were not sent.
    name_bits: u64,
}

// === impl Source ===

impl Source {
    /// The name shown to people: `json`, `form`, `query`, `path`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

// === impl Parameters ===

impl Parameters {
    /// Adds the parameters of a source.
    pub fn add(&mut self, source: Source, parameters: impl Into<Arc<PhpArray>>) {
        let parameters = parameters.into();
        for (key, _) in parameters.entries() {
            if let KeyRef::Text(name) = key {
                self.name_bits |= name_bit(name);
            }
        }
        self.parameters.push(SourceParameters { source, parameters });
        self.parameters.sort_by_key(|sent| sent.source);
    }

    /// The parameters in the order WordPress reads and checks them.
    pub fn in_order(&self) -> &[SourceParameters] {
        &self.parameters
    }

    /// The parameters of one source.
    pub fn of(&self, source: Source) -> Option<&PhpArray> {
        self.parameters
            .iter()
            .find(|sent| sent.source == source)
            .map(|sent| &*sent.parameters)
    }

    /// The value that WordPress reads under a name: the first that is not null, with its source.
    pub fn get<'a>(&'a self, name: &'a str) -> Option<(Source, &'a Value)> {
        self.all(name).find(|(_, value)| **value != Value::Null)
    }

    /// Every value sent under a name, strongest first, nulls included.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (Source, &'a Value)> {
        let sources: &[SourceParameters] = if self.name_bits & name_bit(name.as_bytes()) != 0 {
            &self.parameters
        } else {
            &[]
        };
        sources
            .iter()
            .filter_map(move |sent| Some((sent.source, sent.parameters.get(name)?)))
    }
}

/// Names of the same length and the same ends share a bit.
fn name_bit(name: &[u8]) -> u64 {
    let end = |byte: Option<&u8>| byte.copied().map_or(0, usize::from);
    let mixed = name.len() + 3 * end(name.first()) + 7 * end(name.last());
    1 << (mixed % 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordpress::value::Key;

    #[test]
    fn most_names_that_were_not_sent_are_known_as_such() {
        let sent = name_bit(b"hxa");
        for (name, expected) in [
            ("hza", true),
            ("hxxa", false),
            ("gxa", false),
            ("hxb", false),
            ("axb", false),
        ] {
            assert_eq!(sent & name_bit(name.as_bytes()) != 0, expected, "{name}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_sent_name_is_found(
            sent in proptest::collection::vec(("[a-c]{0,3}", 0..3usize), 0..12),
            asked in "[a-c]{0,3}",
        ) {
            let sources = [Source::Json, Source::Form, Source::Query];
            let mut parameters = Parameters::default();
            let mut expected = Vec::new();
            for (at, source) in sources.into_iter().enumerate() {
                let mut members = PhpArray::from_distinct(Vec::new());
                for (name, _) in sent.iter().filter(|(_, of)| *of == at) {
                    members.insert(Key::Text(name.as_bytes().into()), Value::text(name.as_str()));
                }
                if members.get(&asked).is_some() {
                    expected.push((source, Value::text(asked.as_str())));
                }
                parameters.add(source, members);
            }
            let found: Vec<_> = parameters.all(&asked).map(|(source, value)| (source, value.clone())).collect();
            proptest::prop_assert_eq!(found, expected);
        }
    }
}
