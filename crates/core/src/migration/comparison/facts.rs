//! The facts of the contract table about the members of responses: their types, and lists whose order has no meaning.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::trail::Trail;
use calendar_edge_judge::contract::{Action, Documented, Kind, Operation, table};

/// The members that writes of any record set as true or false.
static FLAGS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let writes = table()
        .operations()
        .iter()
        .filter(|operation| operation.is_write());
    let fields = writes.flat_map(|operation| &operation.arguments);
    let flags = fields.filter(|field| field.documented == Documented::Boolean);
    flags.map(|field| field.name).collect()
});

/// The methods of a route in descriptions.
const METHODS: &str = "methods";

/// Returns true for a list whose items have no order. The records of a list itself do have one.
pub(super) fn is_unordered(list: &Trail<'_>, operation: &Operation) -> bool {
    let Trail::Member(parent, name) = list else {
        return false;
    };
    match operation.id.action {
        Action::List if matches!(parent, Trail::Root) => false,
        Action::Describe if *name == METHODS => true,
        _ => holds_terms(name),
    }
}

/// Returns true for a member that the table documents as true or false.
pub(super) fn is_flag(trail: &Trail<'_>) -> bool {
    matches!(trail, Trail::Member(_, name) if FLAGS.contains(name))
}

/// Returns true for the members of records that hold terms, which have no order.
fn holds_terms(name: &str) -> bool {
    Kind::ALL
        .iter()
        .any(|kind| kind.is_term() && kind.collection() == name)
}

#[cfg(test)]
mod tests {
    use super::super::tests::operation;
    use super::*;

    #[test]
    fn the_table_names_flags_and_terms() {
        assert!(FLAGS.contains("all_day") && FLAGS.contains("featured"));
        assert!(!FLAGS.contains("title"));
        let names = ["categories", "tags", "organizer"].map(holds_terms);
        assert_eq!(names, [true, true, false]);
    }

    #[test]
    fn a_list_of_records_has_an_order() {
        let (root, name) = (Trail::Root, "categories");
        let top = Trail::Member(&root, name);
        assert!(!is_unordered(&top, operation("categories.list")));
        let events = Trail::Member(&root, "events");
        let item = Trail::Item(&events);
        let inner = Trail::Member(&item, name);
        assert!(is_unordered(&inner, operation("events.list")));
    }
}
