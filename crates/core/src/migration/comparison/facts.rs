//! The facts of the contract table about the members of responses: their types, and lists whose order has no meaning.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::trail::Trail;
use calendar_edge_judge::contract::{Action, Argument, Documented, Kind, Operation, OperationId, table};

/// The members that writes of any record set as true or false.
static FLAGS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| members(|field| field.documented == Documented::Boolean));

/// The members that writes of any record set as terms, which have no order.
static TERMS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let is_collection = |name: &str| {
        Kind::ALL
            .iter()
            .any(|kind| kind.is_term() && kind.collection() == name)
    };
    members(|field| is_collection(field.name))
});

/// The methods of a route in descriptions.
const METHODS: &str = "methods";

/// Returns true for a list whose items have no order. The records of a list itself do have one.
pub(super) fn is_unordered(list: &Trail<'_>, operation: Option<OperationId>) -> bool {
    let Trail::Member(parent, name) = list else {
        return false;
    };
    match operation.map(|operation| operation.action) {
        Some(Action::List) if matches!(parent, Trail::Root) => false,
        None | Some(Action::Describe) if *name == METHODS => true,
        _ => TERMS.contains(name),
    }
}

/// Returns true for a member that the table documents as true or false.
pub(super) fn is_flag(trail: &Trail<'_>) -> bool {
    matches!(trail, Trail::Member(_, name) if FLAGS.contains(name))
}

fn members(holds: impl Fn(&Argument) -> bool) -> HashSet<&'static str> {
    let writes = table()
        .operations()
        .iter()
        .filter(|operation| operation.is_write());
    let fields = writes.flat_map(|operation: &'static Operation| &operation.arguments);
    fields
        .filter(|field| holds(field))
        .map(|field| field.name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use calendar_edge_judge::contract::Route;

    #[test]
    fn the_table_names_flags_and_terms() {
        assert!(FLAGS.contains("all_day") && FLAGS.contains("featured"));
        assert!(!FLAGS.contains("title"));
        let names: Vec<_> = ["categories", "tags", "organizer"]
            .map(|name| TERMS.contains(name))
            .into();
        assert_eq!(names, [true, true, false]);
    }

    #[test]
    fn a_list_of_records_has_an_order() {
        let list = |kind| OperationId {
            route: Route::Collection(kind),
            action: Action::List,
        };
        let (root, name) = (Trail::Root, "categories");
        let top = Trail::Member(&root, name);
        assert!(!is_unordered(&top, Some(list(Kind::Category))));
        let events = Trail::Member(&root, "events");
        let item = Trail::Item(&events);
        let inner = Trail::Member(&item, name);
        assert!(is_unordered(&inner, Some(list(Kind::Event))));
    }
}
