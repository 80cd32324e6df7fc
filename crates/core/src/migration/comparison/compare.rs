//! The walk through two responses.

use http::{HeaderMap, StatusCode};

use super::class::DifferenceClass;
use super::compared_headers::compare_headers;
use super::facts::is_unordered;
use super::findings::{ExamplePair, PathFindings};
use super::lists::{paired, paired_by_key};
use super::node::{Node, NodeMembers};
use super::own_hosts::{HostPair, OwnHosts, class_beside_hosts};
use super::redact::{ABSENT, shown, text};
use super::scalar::{Pair, class_of, class_of_absent};
use super::trail::{ROOT, Trail};
use calendar_edge_judge::contract::Operation;

/// One response as the client would have seen it: its URLs are public.
#[derive(Debug, Clone, Copy)]
pub struct ComparedResponse<'a> {
    /// The status.
    pub status: StatusCode,
    /// All headers; only those that clients use are compared.
    pub headers: &'a HeaderMap,
    /// The whole body.
    pub body: &'a [u8],
    /// The hosts of the backend that gave it, and the public one.
    pub own_hosts: &'a OwnHosts,
}

/// Another value that both have.
const ANOTHER: (DifferenceClass, bool) = (DifferenceClass::Different, false);

/// Two bodies on their way to findings.
struct Walk<'f> {
    operation: &'f Operation,
    hosts: HostPair<'f>,
    findings: &'f mut PathFindings,
}

/// Compares the primary's response to a call with another backend's.
///
/// Responses of different statuses differ at `:status` and are not compared any further. Bodies that are not JSON,
/// or too large to compare by path, differ at `:body`. Time and memory are proportional to the bytes.
///
/// # Example
///
/// ```
/// use calendar_edge_core::migration::comparison::{ComparedResponse, DifferenceClass, OwnHosts, compare};
/// use calendar_edge_judge::contract::table;
/// use http::{HeaderMap, StatusCode};
///
/// let headers = HeaderMap::new();
/// let own_hosts = OwnHosts::NONE;
/// let response = |body| ComparedResponse { status: StatusCode::OK, headers: &headers, body, own_hosts };
/// let read = table().named("events.read").expect("an operation");
/// let findings = compare(read, response(br#"{"cost":5,"id":7}"#), response(br#"{"cost":"5","id":8}"#));
/// let found: Vec<_> = findings.iter().map(|finding| (finding.path.clone(), finding.class)).collect();
/// assert_eq!(
///     found,
///     [
///         ("cost".to_owned(), DifferenceClass::Representation),
///         ("id".to_owned(), DifferenceClass::Different),
///     ]
/// );
/// ```
pub fn compare(
    operation: &Operation,
    primary: ComparedResponse<'_>,
    other: ComparedResponse<'_>,
) -> PathFindings {
    let mut findings = PathFindings::default();
    if primary.status != other.status {
        let example = || ExamplePair::new(primary.status.as_u16(), other.status.as_u16());
        findings.add(|| ":status".to_owned(), ANOTHER, example);
        return findings;
    }
    let hosts = (primary.own_hosts, other.own_hosts);
    compare_headers((primary.headers, other.headers), hosts, &mut findings);
    let one = Node::read(primary.body);
    findings.records = one.as_ref().map(record_numbers).unwrap_or_default();
    if primary.body != other.body {
        match (&one, &Node::read(other.body)) {
            (Some(primary), Some(other)) => {
                let mut walk = Walk {
                    operation,
                    hosts,
                    findings: &mut findings,
                };
                walk.values(&Trail::Root, Pair::of(primary, other));
            }
            _ => compare_bytes(primary.body, other.body, &mut findings),
        }
    }
    findings
}

/// Bodies that are not compared by path differ as a whole.
fn compare_bytes(primary: &[u8], other: &[u8], findings: &mut PathFindings) {
    let shown = |body: &[u8]| text(&String::from_utf8_lossy(body.get(..512).unwrap_or(body)));
    let example = || ExamplePair::new(shown(primary), shown(other));
    findings.add(|| ROOT.to_owned(), ANOTHER, example);
}

/// The number of the record that a response is, or those of the records that it lists.
fn record_numbers(answer: &Node<'_>) -> Vec<u64> {
    let Node::Map(members) = answer else {
        return Vec::new();
    };
    if let Some(number) = number(members) {
        return vec![number];
    }
    let lists = members.iter().filter_map(|(_, value)| match value {
        Node::List(items) => Some(items),
        _ => None,
    });
    let records = lists.flatten().filter_map(|item| match item {
        Node::Map(record) => number(record),
        _ => None,
    });
    records.collect()
}

fn number(record: &NodeMembers<'_>) -> Option<u64> {
    match record.get("id")? {
        Node::Number(number) => number.parse().ok(),
        _ => None,
    }
}

// === impl Walk ===

impl Walk<'_> {
    fn values(&mut self, trail: &Trail<'_>, pair: Pair<'_, '_>) {
        match (pair.primary, pair.other) {
            (Node::List(one), Node::List(two)) => self.lists(trail, one, two),
            (Node::Map(one), Node::Map(two)) => self.maps(trail, one, two),
            _ => match self.class_of(pair, trail) {
                DifferenceClass::Identical => {}
                class => self.found(trail, class, (Some(pair.primary), Some(pair.other))),
            },
        }
    }

    fn class_of(&self, pair: Pair<'_, '_>, trail: &Trail<'_>) -> DifferenceClass {
        let class = class_of(pair, trail);
        if class == DifferenceClass::Different
            && let (Some(one), Some(two)) = (pair.primary.text(), pair.other.text())
        {
            return class_beside_hosts(self.hosts, &one, &two);
        }
        class
    }

    fn maps(&mut self, trail: &Trail<'_>, primary: &NodeMembers<'_>, other: &NodeMembers<'_>) {
        let (pairs, is_moved) = paired_by_key(primary, other);
        for (name, one, two) in pairs {
            let member = Trail::Member(trail, name);
            if let (Some(value), Some(twin)) = (one, two) {
                let records = Some((primary, other));
                let pair = Pair::of(value, twin);
                self.values(&member, Pair { records, ..pair });
            } else {
                self.found(&member, class_of_absent(one.or(two)), (one, two));
            }
        }
        if is_moved {
            let example = || orders(primary, other);
            self.findings
                .add(|| trail.path(), (DifferenceClass::Order, false), example);
        }
    }

    fn lists(&mut self, trail: &Trail<'_>, primary: &[Node<'_>], other: &[Node<'_>]) {
        let is_unordered = is_unordered(trail, self.operation);
        let (pairs, is_moved) = paired(primary, other, is_unordered);
        let item = Trail::Item(trail);
        for pair in pairs {
            if let (Some(primary), Some(other)) = pair {
                self.values(&item, Pair::of(primary, other));
            } else {
                self.found(&item, DifferenceClass::Different, pair);
            }
        }
        if is_moved {
            let class = if is_unordered {
                DifferenceClass::Order
            } else {
                DifferenceClass::Different
            };
            let example = || ExamplePair::new("(one order)", "(another order)");
            self.findings.add(|| trail.path(), (class, false), example);
        }
    }

    fn found(
        &mut self,
        trail: &Trail<'_>,
        class: DifferenceClass,
        (primary, other): (Option<&Node<'_>>, Option<&Node<'_>>),
    ) {
        let value = |node: Option<&Node<'_>>| node.map_or_else(|| ABSENT.into(), |node| shown(node, trail));
        let is_absent = primary.is_none() || other.is_none();
        let example = || ExamplePair::new(value(primary), value(other));
        self.findings.add(|| trail.path(), (class, is_absent), example);
    }
}

/// The first names of members in the order of each, from where the two part.
fn orders(primary: &NodeMembers<'_>, other: &NodeMembers<'_>) -> ExamplePair {
    let both = primary.keys().zip(other.keys());
    let same = both.take_while(|(one, two)| one == two).count();
    let first = |members: &NodeMembers<'_>| {
        let first: Vec<&str> = members.keys().skip(same).take(2).map(String::as_str).collect();
        text(&format!("{}, …", first.join(", ")))
    };
    ExamplePair::new(first(primary), first(other))
}
