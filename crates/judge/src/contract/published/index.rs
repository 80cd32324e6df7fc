//! The arguments that a site publishes for each operation of the table.

use serde_json::{Map, Value};
use thiserror::Error;

use super::super::event_ids::EventIds;
use super::super::operation::Operation;
use super::super::table::table;

/// Maximum size of an index, in bytes; measured ones have 28 to 45 kB.
pub const MOST_INDEX_BYTES: usize = 1 << 20;

/// Maximum number of arguments of one operation; the table has at most 29.
const MOST_ARGUMENTS: usize = 256;

/// Maximum length of an argument's name, in bytes.
const MOST_NAME_BYTES: usize = 64;

/// The index of a site: for each operation of the table the names of its arguments, and its check of event ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedIndex {
    /// By the position of the operation in the table; none: not published, or not credibly.
    operations: Vec<Option<Vec<Box<str>>>>,
    /// The site's check of event ids, as the probe showed it; none: not known.
    pub(in crate::contract) event_ids: Option<EventIds>,
}

/// The reason why a document is not the index of a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IndexFault {
    /// It exceeds [`MOST_INDEX_BYTES`].
    #[error("it is larger than {MOST_INDEX_BYTES} bytes")]
    TooLarge,
    /// It is not JSON.
    #[error("it is not JSON")]
    NotJson,
    /// It has no routes, or it is the index of another namespace.
    #[error("it is not the index of this namespace")]
    OtherNamespace,
    /// No operation of the table is in it, or none with the arguments that every version of the plugin has.
    #[error("it has no operation of the calendar")]
    NoOperations,
}

// === impl PublishedIndex ===

impl PublishedIndex {
    /// Reads the body of `GET {root}/{namespace}`.
    ///
    /// An operation counts as published if its entry has each argument that the table requires and at least half of
    /// all. An entry with less is damaged or of another plugin, and shows nothing about the operation.
    ///
    /// # Errors
    /// The reason why the body is not an index of this namespace.
    pub fn read(body: &[u8], namespace: &str) -> Result<Self, IndexFault> {
        if body.len() > MOST_INDEX_BYTES {
            return Err(IndexFault::TooLarge);
        }
        let index = serde_json::from_slice(body).map_err(|_| IndexFault::NotJson)?;
        Self::of_document(&index, namespace)
    }

    /// The same of a body that was parsed; the caller has bounded its size.
    ///
    /// # Errors
    /// The reason why the document is not an index of this namespace.
    pub fn of_document(index: &Value, namespace: &str) -> Result<Self, IndexFault> {
        let found = index.get("namespace").and_then(Value::as_str);
        let routes = index.get("routes").and_then(Value::as_object);
        let (Some(routes), true) = (routes, found == Some(namespace)) else {
            return Err(IndexFault::OtherNamespace);
        };
        Self::of(|operation| arguments(routes, operation, namespace), None)
    }

    /// An index of the arguments that a function finds for each operation; `None`: not published.
    pub(super) fn of<'a>(
        find: impl Fn(&Operation) -> Option<Vec<&'a str>>,
        event_ids: Option<EventIds>,
    ) -> Result<Self, IndexFault> {
        let credible = |operation: &Operation| {
            let names = find(operation).filter(|names| is_credible(operation, names))?;
            Some(names.into_iter().map(Box::from).collect())
        };
        let this = Self {
            operations: table().operations().iter().map(credible).collect(),
            event_ids,
        };
        let of_records = |operation: &&Operation| operation.id.kind().is_some();
        let mut records = table().operations().iter().filter(of_records);
        if records.any(|operation| this.arguments(operation).is_some()) {
            Ok(this)
        } else {
            Err(IndexFault::NoOperations)
        }
    }

    /// The same index with the result of the probe of event ids; none: the probe showed nothing.
    #[must_use]
    pub fn with_event_ids(self, event_ids: Option<EventIds>) -> Self {
        Self { event_ids, ..self }
    }

    /// This index, completed by an earlier one of the same site where this one has nothing.
    #[must_use]
    pub fn over(mut self, earlier: &Self) -> Self {
        for (now, before) in self.operations.iter_mut().zip(&earlier.operations) {
            if now.is_none() {
                now.clone_from(before);
            }
        }
        self.event_ids = self.event_ids.or(earlier.event_ids);
        self
    }

    /// The published arguments of an operation, in the site's order; none: it is not published.
    pub fn arguments(&self, operation: &Operation) -> Option<impl Iterator<Item = &str>> {
        let names = self.operations.get(operation.position)?.as_ref()?;
        Some(names.iter().map(|name| &**name))
    }

    /// Returns true if an operation has an argument; none: the operation is not published.
    pub fn publishes(&self, operation: &Operation, argument: &str) -> Option<bool> {
        let mut names = self.arguments(operation)?;
        Some(names.any(|name| name == argument))
    }
}

/// The names that an index lists for the canonical method of an operation.
fn arguments<'a>(
    routes: &'a Map<String, Value>,
    operation: &Operation,
    namespace: &str,
) -> Option<Vec<&'a str>> {
    let method = operation.id.action.methods().first()?;
    let route = routes.get(&operation.id.route.pattern(namespace))?;
    let mut endpoints = route.get("endpoints")?.as_array()?.iter();
    let endpoint = endpoints.find(|endpoint| {
        let methods = endpoint.get("methods").and_then(Value::as_array);
        let mut methods = methods.into_iter().flatten();
        methods.any(|name| name.as_str() == Some(method.as_str()))
    })?;
    match endpoint.get("args")? {
        Value::Object(arguments) => Some(arguments.keys().map(String::as_str).collect()),
        // PHP prints an empty map as a list.
        Value::Array(none) if none.is_empty() => Some(Vec::new()),
        _ => None,
    }
}

/// Returns true if an entry can be the site's own: neither damaged nor oversized.
fn is_credible(operation: &Operation, names: &[&str]) -> bool {
    let is_published = |name: &str| names.contains(&name);
    let known = operation.arguments.len();
    let published = operation
        .arguments
        .iter()
        .filter(|argument| is_published(argument.name));
    let published = published.count();
    let has_required = operation
        .arguments
        .iter()
        .all(|argument| !argument.is_required || is_published(argument.name));
    let is_bounded = names.len() <= MOST_ARGUMENTS && names.iter().all(|name| name.len() <= MOST_NAME_BYTES);
    has_required && is_bounded && published * 2 >= known
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const NAMESPACE: &str = "tribe/events/v1";

    const RECORDED: &str = include_str!("../../../../../fixtures/contract/index.json");

    /// The recorded index after a change to its routes.
    fn after(change: impl FnOnce(&mut Value)) -> Result<PublishedIndex, IndexFault> {
        let mut index: Value = serde_json::from_str(RECORDED).expect("the fixture is JSON");
        change(&mut index["routes"]);
        PublishedIndex::read(index.to_string().as_bytes(), NAMESPACE)
    }

    fn publishes(index: &PublishedIndex, operation: &str, argument: &str) -> Option<bool> {
        index.publishes(table().named(operation).expect("it exists"), argument)
    }

    #[test]
    fn reads_the_recorded_index_whole() {
        let index = PublishedIndex::read(RECORDED.as_bytes(), NAMESPACE).expect("an index");
        for operation in table().operations() {
            let names: Vec<&str> = index.arguments(operation).expect("published").collect();
            let ours: Vec<&str> = operation.arguments.iter().map(|known| known.name).collect();
            assert_eq!(names, ours, "{}", operation.name);
        }
    }

    #[test]
    fn what_is_no_index_is_refused() {
        let fault = |body: &str| PublishedIndex::read(body.as_bytes(), NAMESPACE).expect_err("no index");
        assert_eq!(fault("<html>"), IndexFault::NotJson);
        assert_eq!(fault(&RECORDED[..RECORDED.len() / 2]), IndexFault::NotJson);
        assert_eq!(fault(&" ".repeat(MOST_INDEX_BYTES + 1)), IndexFault::TooLarge);
        assert_eq!(fault("[]"), IndexFault::OtherNamespace);
        assert_eq!(
            fault(r#"{"namespace":"wp/v2","routes":{}}"#),
            IndexFault::OtherNamespace
        );
        assert_eq!(
            fault(r#"{"namespace":"tribe/events/v1","routes":[]}"#),
            IndexFault::OtherNamespace
        );
        assert_eq!(
            fault(r#"{"namespace":"tribe/events/v1","routes":{"/tribe/events/v1":{}}}"#),
            IndexFault::NoOperations
        );
        let other = PublishedIndex::read(RECORDED.as_bytes(), "calendar/events/v1");
        assert_eq!(other, Err(IndexFault::OtherNamespace));
    }

    #[test]
    fn a_damaged_entry_says_nothing_about_its_operation() {
        let list = |routes: &mut Value, arguments: Value| {
            routes["/tribe/events/v1/events"]["endpoints"][0]["args"] = arguments;
        };
        for arguments in [json!([]), json!({"page": {}}), json!("x")] {
            let index = after(|routes| list(routes, arguments)).expect("an index");
            assert_eq!(publishes(&index, "events.list", "page"), None);
            assert_eq!(publishes(&index, "events.create", "title"), Some(true));
        }
        // A required argument is missing.
        let index = after(|routes| {
            let arguments = routes["/tribe/events/v1/tags"]["endpoints"][1]["args"].as_object_mut();
            arguments.expect("a map").remove("name");
        });
        assert_eq!(publishes(&index.expect("an index"), "tags.create", "slug"), None);
        // Hostile names and numbers.
        let index = after(|routes| {
            let arguments = routes["/tribe/events/v1/events"]["endpoints"][0]["args"].as_object_mut();
            let arguments = arguments.expect("a map");
            for number in 0..300 {
                arguments.insert(format!("x{number}"), json!({}));
            }
        });
        assert_eq!(publishes(&index.expect("an index"), "events.list", "page"), None);
    }

    #[test]
    fn an_earlier_index_completes_a_partial_one() {
        let earlier = after(|routes| {
            routes["/tribe/events/v1/events"]["endpoints"][0]["args"]["wpml_language"] = json!({});
        });
        let earlier = earlier.expect("an index").with_event_ids(Some(EventIds::Numeric));
        let partial = after(|routes| {
            routes["/tribe/events/v1/events"]["endpoints"][0]["args"] = json!([]);
        });
        let partial = partial.expect("an index");
        assert_eq!(publishes(&partial, "events.list", "wpml_language"), None);
        let whole = partial.over(&earlier);
        assert_eq!(publishes(&whole, "events.list", "wpml_language"), Some(true));
        assert_eq!(whole.event_ids, Some(EventIds::Numeric));
        // A whole one replaces entries that differ.
        let now = after(|_| ()).expect("an index").over(&earlier);
        assert_eq!(publishes(&now, "events.list", "wpml_language"), Some(false));
    }

    proptest! {
        #[test]
        fn reads_any_bytes(body: Vec<u8>) {
            prop_assert!(PublishedIndex::read(&body, NAMESPACE).is_err());
        }

        #[test]
        fn survives_any_shape_of_an_entry(
            shape in prop_oneof![
                Just(json!(null)), Just(json!(7)), Just(json!("x")), Just(json!([1, {"methods": 3}])),
                Just(json!({"endpoints": {}})), Just(json!({"endpoints": [{"methods": ["GET"], "args": 1}]})),
                Just(json!({"endpoints": [{"methods": {"GET": true}, "args": {}}]})),
            ],
        ) {
            let index = after(|routes| routes["/tribe/events/v1/events"] = shape).expect("an index");
            prop_assert_eq!(publishes(&index, "events.list", "page"), None);
            prop_assert_eq!(publishes(&index, "venues.list", "page"), Some(true));
        }
    }
}
