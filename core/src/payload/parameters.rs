//! The parameters of a request by their source, and the source that wins (backend.md section 4).

use std::sync::Arc;

use crate::value::{PhpArray, Value};

/// The source of a parameter, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
}

// === impl Source ===

impl Source {
    /// The name shown to people: `json`, `form`, `query`, `path`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Form => "form",
            Self::Query => "query",
            Self::Path => "path",
        }
    }
}

// === impl Parameters ===

impl Parameters {
    /// Adds the parameters of a source.
    pub fn add(&mut self, source: Source, parameters: impl Into<Arc<PhpArray>>) {
        let parameters = parameters.into();
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
        self.parameters
            .iter()
            .filter_map(move |sent| Some((sent.source, sent.parameters.get(name)?)))
    }
}
