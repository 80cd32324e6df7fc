//! The table itself: every operation of every route, built once from the rows.

use std::sync::LazyLock;

use http::Method;

use super::argument::Argument;
use super::kind::{Kind, Route};
use super::operation::{Action, Operation, OperationId};
use super::{fields, query};

/// All operations of the API.
#[derive(Debug)]
pub struct Table {
    operations: Vec<Operation>,
}

static TABLE: LazyLock<Table> = LazyLock::new(Table::build);

/// The only table of the program.
pub fn table() -> &'static Table {
    &TABLE
}

// === impl Table ===

impl Table {
    fn build() -> Self {
        let ids = Route::all().flat_map(|route| {
            actions(route)
                .iter()
                .map(move |&action| OperationId { route, action })
        });
        let operations = ids.enumerate().map(|(position, id)| Operation {
            id,
            position,
            name: id.name(),
            arguments: arguments(id.route, id.action),
        });
        Self {
            operations: operations.collect(),
        }
    }

    /// Every operation, route by route.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The operations of one route, in the order the backend registers them.
    pub fn on_route(&self, route: Route) -> impl Iterator<Item = &Operation> {
        self.operations
            .iter()
            .filter(move |operation| operation.id.route == route)
    }

    /// The operation of a method on a route. HEAD is read as GET (backend.md section 6).
    pub fn find(&self, route: Route, method: &Method) -> Option<&Operation> {
        let method = if method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        self.on_route(route)
            .find(|operation| operation.id.action.methods().contains(method))
    }

    /// The operation with this name, as settings spell it.
    pub fn named(&self, name: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.name == name)
    }
}

/// The actions of a route in the backend's order, which is the order of its `Allow` header.
fn actions(route: Route) -> &'static [Action] {
    match route {
        Route::Index | Route::Doc => &[Action::Describe],
        Route::Collection(_) => &[Action::List, Action::Create],
        Route::Item(kind) if kind.is_term() => &[Action::Read, Action::Update, Action::Delete],
        Route::Item(_) | Route::BySlug(_) => &[Action::Read, Action::Delete, Action::Update],
    }
}

fn arguments(route: Route, action: Action) -> Vec<Argument> {
    match (route, action) {
        (Route::Index, _) => query::INDEX.to_vec(),
        (Route::Collection(kind), Action::List) => query::list(kind).to_vec(),
        (Route::Collection(kind), Action::Create) => fields::writable(kind).to_vec(),
        (Route::Item(kind), Action::Read | Action::Delete) => by_id(kind),
        (Route::Item(kind), Action::Update) => [by_id(kind), on_update(kind, None)].concat(),
        (Route::BySlug(Kind::Event), Action::Update) => [
            vec![query::event_slug_on_update()],
            on_update(Kind::Event, Some("slug")),
        ]
        .concat(),
        (Route::BySlug(kind), Action::Update) => {
            [vec![query::slug(kind)], on_update(kind, Some("slug"))].concat()
        }
        (Route::BySlug(kind), Action::Read | Action::Delete) => vec![query::slug(kind)],
        (Route::Doc | Route::Collection(_) | Route::Item(_) | Route::BySlug(_), _) => Vec::new(),
    }
}

fn by_id(kind: Kind) -> Vec<Argument> {
    let password = matches!(kind, Kind::Event).then_some(query::PASSWORD);
    std::iter::once(query::id(kind)).chain(password).collect()
}

fn on_update(kind: Kind, except: Option<&str>) -> Vec<Argument> {
    let kept = fields::writable(kind)
        .iter()
        .filter(|field| Some(field.name) != except);
    kept.cloned().map(Argument::optional).collect()
}

#[cfg(test)]
mod tests {
    use super::super::argument::Role;
    use super::super::strict::Relation;
    use super::*;

    #[test]
    fn holds_fifteen_paths_and_fifty_two_pairs() {
        let pairs: usize = table()
            .operations()
            .iter()
            .map(|operation| operation.id.action.methods().len())
            .sum();
        assert_eq!((Route::all().count(), pairs), (15, 52));
    }

    #[test]
    fn arguments_that_rows_name_exist() {
        for operation in table().operations() {
            for (at, argument) in operation.arguments.iter().enumerate() {
                // A canonical query begins with the namespace.
                assert!(argument.role != Role::Namespace || at == 0, "{}", operation.name);
                if let Some(Relation::OtherCoordinate(other) | Relation::NotBefore(other)) = argument.relation
                {
                    assert!(operation.argument(other.as_bytes()).is_some(), "{other}");
                }
            }
        }
    }

    #[test]
    fn finds_the_update_under_each_of_its_methods() {
        for method in [Method::POST, Method::PUT, Method::PATCH] {
            let operation = table().find(Route::Item(Kind::Event), &method).expect("listed");
            assert_eq!(operation.name, "events.update");
        }
        assert!(
            table()
                .find(Route::Collection(Kind::Event), &Method::PUT)
                .is_none()
        );
    }
}
