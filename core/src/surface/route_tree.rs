//! Finds the listed route of a request: one look at each segment, and no expression of the site is run.

use super::route_shape::{RouteShape, RouteStep};

/// The listed routes by their segments.
#[derive(Debug, Clone, Default)]
pub(super) struct RouteTree {
    /// The first is the root of all.
    nodes: Vec<RouteNode>,
}

/// What may follow a beginning of routes.
#[derive(Debug, Clone, Default)]
struct RouteNode {
    /// Literal segments, sorted.
    literals: Vec<(Box<str>, usize)>,
    one: Option<usize>,
    some: Option<usize>,
    /// The route that ends here.
    route: Option<usize>,
}

// === impl RouteTree ===

impl RouteTree {
    /// Adds a route, and returns the position of the one with the same pattern: `position` if it is new.
    pub(super) fn add(&mut self, route: &RouteShape, position: usize) -> usize {
        let mut at = self.grow_root();
        for step in route.steps() {
            at = self.below(at, step);
        }
        match self.nodes.get_mut(at) {
            Some(node) => *node.route.get_or_insert(position),
            None => position,
        }
    }

    /// The position of the route that a request names, without outer slashes and in lower case. A literal segment counts
    /// more than a placeholder.
    pub(super) fn find(&self, route: &str) -> Option<usize> {
        self.from(0, (!route.is_empty()).then_some(route))
    }

    fn grow_root(&mut self) -> usize {
        if self.nodes.is_empty() {
            self.nodes.push(RouteNode::default());
        }
        0
    }

    /// The node behind a step, which is made if there is none.
    fn below(&mut self, at: usize, step: &RouteStep) -> usize {
        let fresh = self.nodes.len();
        let Some(node) = self.nodes.get_mut(at) else {
            return at;
        };
        let next = match step {
            RouteStep::Literal(text) => match node.literals.binary_search_by(|(known, _)| known.cmp(text)) {
                Ok(found) => node.literals.get(found).map_or(at, |(_, next)| *next),
                Err(place) => {
                    node.literals.insert(place, (text.clone(), fresh));
                    fresh
                }
            },
            RouteStep::One => *node.one.get_or_insert(fresh),
            RouteStep::Some => *node.some.get_or_insert(fresh),
        };
        if next == fresh {
            self.nodes.push(RouteNode::default());
        }
        next
    }

    /// The route behind a node that takes all of the rest; the rest is none at its end.
    fn from(&self, at: usize, rest: Option<&str>) -> Option<usize> {
        let node = self.nodes.get(at)?;
        let Some(rest) = rest else {
            return node.route;
        };
        let (segment, further) = first(rest);
        let literal = || {
            let found = node
                .literals
                .binary_search_by(|(known, _)| (**known).cmp(segment));
            let (_, next) = node.literals.get(found.ok()?)?;
            self.from(*next, further)
        };
        let one = || self.from(node.one?, further);
        literal()
            .or_else(one)
            .or_else(|| self.behind(node.some?, further))
    }

    /// The route behind a node at the end of one segment or more, of which the first is taken.
    fn behind(&self, at: usize, mut further: Option<&str>) -> Option<usize> {
        loop {
            if let Some(found) = self.from(at, further) {
                return Some(found);
            }
            further = first(further?).1;
        }
    }
}

/// The first segment, and what follows its slash.
fn first(rest: &str) -> (&str, Option<&str>) {
    rest.split_once('/')
        .map_or((rest, None), |(segment, further)| (segment, Some(further)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 9] = [
        "/",
        "/wp/v2/users",
        "/wp/v2/users/(?P<id>[\\d]+)",
        "/wp/v2/users/me",
        "/wp/v2/templates/(?P<id>[\\/\\w%-]+)",
        "/wp/v2/templates/(?P<id>[\\/\\w%-]+)/revisions",
        "/wp/v2/templates/(?P<id>[\\/\\w%-]+)/revisions/(?P<number>[\\d]+)",
        "/wp/v2/users/(?P<id>[\\d]+)/things",
        "/batch/v1",
    ];

    #[test]
    fn a_request_finds_its_route() {
        let mut tree = RouteTree::default();
        for (position, key) in KEYS.iter().enumerate() {
            let route = RouteShape::read(key).expect("few segments");
            assert_eq!(tree.add(&route, position), position);
        }
        for (route, expected) in [
            ("", Some(0)),
            ("wp/v2/users", Some(1)),
            ("wp/v2/users/7", Some(2)),
            ("wp/v2/users/me", Some(3)),
            ("wp/v2/users/me/things", Some(7)),
            ("wp/v2/templates/theme//home", Some(4)),
            ("wp/v2/templates/theme/a/b/revisions", Some(5)),
            ("wp/v2/templates/theme/a/b/revisions/7", Some(6)),
            ("batch/v1", Some(8)),
            ("batch", None),
            ("wp/v2", None),
            ("wp/v2/users/7/more", None),
            ("other/v1/users", None),
        ] {
            assert_eq!(tree.find(route), expected, "{route}");
        }
    }

    #[test]
    fn routes_with_the_same_pattern_are_one() {
        let mut tree = RouteTree::default();
        let add = |tree: &mut RouteTree, key, position| {
            tree.add(&RouteShape::read(key).expect("few segments"), position)
        };
        assert_eq!(add(&mut tree, "/x/(?P<id>\\d+)", 0), 0);
        assert_eq!(add(&mut tree, "/x/(?P<name>\\w+)", 1), 0);
        assert_eq!(RouteTree::default().find("x"), None);
    }
}
