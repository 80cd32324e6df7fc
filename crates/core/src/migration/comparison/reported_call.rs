//! A compared call as reports name it, so that it can be repeated and nothing secret is shown.

use super::redact::{is_private, text};
use calendar_edge_judge::call::CanonicalRequest;
use calendar_edge_judge::contract::Operation;

/// The longest target that is kept, in bytes.
const LONGEST_TARGET: usize = 512;

/// A compared call.
#[derive(Debug, Clone)]
pub struct ReportedCall {
    /// The operation.
    pub operation: &'static Operation,
    /// The arguments of the operation that it sent.
    pub arguments: Vec<&'static str>,
    /// Path and query by which a client can repeat it; none where they would show something personal.
    pub target: Option<String>,
}

// === impl ReportedCall ===

impl ReportedCall {
    /// A call to a REST root, `/wp-json/`, in a public namespace; without both it is one that may be private to its
    /// client.
    pub fn new(
        operation: &'static Operation,
        request: &CanonicalRequest,
        public: Option<(&str, &str)>,
    ) -> Self {
        let sent: Vec<&str> = request.query_names().collect();
        let target = public.map(|(root, namespace)| {
            let (path, query) = (request.path(namespace), request.query(namespace));
            let query = query.map_or_else(String::new, |query| format!("?{query}"));
            format!("{}{path}{query}", root.trim_end_matches('/'))
        });
        Self {
            operation,
            arguments: operation
                .arguments
                .iter()
                .map(|argument| argument.name)
                .filter(|name| sent.contains(name))
                .collect(),
            target: target.filter(|target| target.len() <= LONGEST_TARGET && is_harmless(target)),
        }
    }
}

/// True if neither a name nor a value of the query is one that reports hide.
fn is_harmless(target: &str) -> bool {
    let query = target.split_once('?').map_or("", |(_, query)| query);
    query.split('&').all(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let shown: String = value.chars().take(100).collect();
        !is_private(name) && text(&shown) == shown
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_personal_is_not_kept() {
        for target in [
            "/e?page=2&search=tea",
            "/e/12345678",
            "/e?start_date=2026-01-01%2000%3A00%3A00",
            "/e?author=3",
        ] {
            assert!(is_harmless(target), "{target}");
        }
        for target in [
            "/e?search=jane%40b.example",
            "/e?api_token=x",
            "/e?search=4912345678",
            "/e?password=x",
        ] {
            assert!(!is_harmless(target), "{target}");
        }
    }
}
