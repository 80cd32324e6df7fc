//! The line of each edge for the others.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// One edge of a fleet. Members of the document that this edge does not have are ignored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FleetMember {
    /// Its name, a random number that each process has anew.
    #[serde(skip)]
    pub edge: String,
    /// The version of the program.
    pub version: String,
    /// The hash of its configuration.
    pub configuration: String,
    /// When it started, in seconds since 1970 of its own clock.
    pub started: u64,
    /// The demand of its calls, by the name of the backend.
    #[serde(default)]
    pub demand: BTreeMap<String, Demand>,
}

/// The demand of the calls of one edge to one backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demand {
    /// The calls that run or wait.
    pub calls: usize,
    /// The permits that no other edge may use.
    pub permits: usize,
}

/// The edges that are alive, in the order of their names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemberTable {
    /// The edges.
    pub members: Vec<FleetMember>,
}

// === impl FleetMember ===

impl FleetMember {
    /// The kind of its sealed line.
    pub const KIND: &'static str = "member";

    /// The line as JSON.
    pub fn body(&self) -> String {
        // Numbers and texts always have a form in JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the line of an edge; none if it is no such document.
    pub fn read(edge: &str, body: &str) -> Option<Self> {
        let member: Self = serde_json::from_str(body).ok()?;
        Some(Self {
            edge: edge.to_owned(),
            ..member
        })
    }
}

// === impl MemberTable ===

impl MemberTable {
    /// The table of these edges.
    pub fn new(mut members: Vec<FleetMember>) -> Self {
        members.sort_by(|one, other| one.edge.cmp(&other.edge));
        Self { members }
    }

    /// The number of different versions of the program.
    pub fn versions(&self) -> usize {
        let versions = self.members.iter().map(|member| &member.version);
        versions.collect::<BTreeSet<_>>().len()
    }

    /// The number of different configurations.
    pub fn configurations(&self) -> usize {
        let hashes = self.members.iter().map(|member| &member.configuration);
        hashes.collect::<BTreeSet<_>>().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(edge: &str, version: &str) -> FleetMember {
        FleetMember {
            edge: edge.to_owned(),
            version: version.to_owned(),
            configuration: "c".to_owned(),
            started: 7,
            demand: BTreeMap::from([("origin".to_owned(), Demand { calls: 5, permits: 4 })]),
        }
    }

    #[test]
    fn a_line_is_read_as_it_was_written_and_may_hold_more() {
        let written = member("aa", "1");
        assert_eq!(FleetMember::read("aa", &written.body()), Some(written.clone()));
        let more = written.body().replacen('{', "{\"new\":1,", 1);
        assert_eq!(FleetMember::read("aa", &more).unwrap().version, "1");
        assert_eq!(FleetMember::read("aa", "{}"), None);
    }

    #[test]
    fn variants_are_counted() {
        let table = MemberTable::new(vec![member("b", "2"), member("a", "1"), member("c", "2")]);
        assert_eq!(table.members[0].edge, "a");
        assert_eq!((table.versions(), table.configurations()), (2, 1));
    }
}
