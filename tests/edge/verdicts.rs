//! Every refusal of the edge compared with the response of a real backend to the same request.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use calendar_edge_judge::call::Outcome;
use calendar_edge_judge::problem::Refusal;
use calendar_edge_judge::wordpress::value::Why;

use crate::corpus::Record;
use crate::judging::{Edge, Request, settings, well_formed};

const DISAGREEMENTS: &str = include_str!("../../fixtures/corpus/disagreements.tsv");

/// The reason for a refusal with another text, or of a request that the backend does not refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// An override of path, method or response that the edge refuses on purpose.
    Override,
    /// A value that crashes PHP.
    Crash,
    /// A limit of size or count.
    Limit,
    /// A target that is a page of the web server or of the site, not of its REST API.
    Target,
    /// Credentials are checked in another order.
    Credentials,
}

// === impl Reason ===

impl Reason {
    fn read(name: &str) -> Self {
        match name {
            "override" => Self::Override,
            "crash" => Self::Crash,
            "limit" => Self::Limit,
            "target" => Self::Target,
            "credentials" => Self::Credentials,
            other => panic!("no reason to disagree: {other}"),
        }
    }

    /// True if a request that the backend served may be refused for this reason.
    fn excuses_a_refused_success(self) -> bool {
        matches!(self, Self::Override | Self::Limit | Self::Target)
    }
}

/// The listed disagreements: record, reason.
fn listed() -> BTreeMap<&'static str, Reason> {
    let rows = DISAGREEMENTS
        .lines()
        .filter(|row| !row.is_empty() && !row.starts_with('#'));
    let rows = rows.map(|row| {
        let mut cells = row.split('\t');
        let id = cells.next().expect("an id");
        let reason = Reason::read(cells.next().expect("a reason"));
        assert!(cells.next().is_some_and(|note| !note.is_empty()), "{id}: a note");
        (id, reason)
    });
    rows.collect()
}

/// The result of comparing a record.
#[derive(Debug)]
enum Comparison {
    /// Forwarded: the backend decides what the edge deferred.
    Forwarded(Vec<Why>),
    /// The edge refuses like the backend.
    Equal,
    /// The edge refuses in another way.
    Differs(Refusal),
}

fn compare(edge: &Edge, record: &Record, request: &Request) -> Comparison {
    match edge.outcome(request) {
        Outcome::Forward(call) => {
            Comparison::Forwarded(call.deferred.iter().map(|deferred| deferred.why).collect())
        }
        Outcome::Refuse(refusal) if says_the_same(&refusal, record) => Comparison::Equal,
        Outcome::Refuse(refusal) => Comparison::Differs(refusal),
    }
}

fn says_the_same(refusal: &Refusal, record: &Record) -> bool {
    let bodyless = record.request.method == "HEAD";
    refusal.status().as_u16() == record.response.status && (bodyless || refusal.body() == answer(record))
}

fn answer(record: &Record) -> &str {
    record.response.body.as_deref().unwrap_or_default()
}

/// True if WordPress's argument checks refused the request.
fn is_validation_error(record: &Record) -> bool {
    [
        "rest_invalid_param",
        "rest_missing_callback_param",
        "rest_invalid_json",
    ]
    .iter()
    .any(|code| answer(record).contains(code))
}

/// Counts for people that read the test's output.
#[derive(Debug, Default)]
struct Counts {
    areas: BTreeMap<String, [usize; 3]>,
    reasons: BTreeMap<Reason, usize>,
    validation_errors: usize,
    decided: usize,
    left: BTreeMap<String, usize>,
}

// === impl Counts ===

impl Counts {
    fn add(&mut self, record: &Record, comparison: &Comparison) {
        let area = self.areas.entry(record.area.clone()).or_default();
        let is_error = is_validation_error(record);
        self.validation_errors += usize::from(is_error);
        match comparison {
            Comparison::Forwarded(open) => {
                area[0] += 1;
                for why in open.iter().filter(|_| is_error) {
                    *self.left.entry(format!("{why:?}")).or_default() += 1;
                }
                if is_error && open.is_empty() {
                    *self.left.entry("nothing deferred".to_owned()).or_default() += 1;
                }
            }
            Comparison::Equal => {
                area[1] += 1;
                self.decided += usize::from(is_error);
            }
            Comparison::Differs(_) => area[2] += 1,
        }
    }

    fn report(&self) -> String {
        let mut report = String::from("area, forwarded, refused in the same words, in others:\n");
        for (area, [forwarded, equal, other]) in &self.areas {
            let _ = writeln!(report, "  {area:20} {forwarded:5} {equal:5} {other:5}");
        }
        let _ = writeln!(report, "disagreements by reason: {:?}", self.reasons);
        let _ = writeln!(
            report,
            "validation errors decided at the edge: {} of {}; the others hang on: {:?}",
            self.decided, self.validation_errors, self.left
        );
        report
    }
}

#[test]
fn refuses_in_the_recorded_words() {
    let edge = Edge::new(&settings());
    let listed = listed();
    let mut counts = Counts::default();
    let mut met = BTreeSet::new();
    let mut unexpected = Vec::new();
    let well_formed = well_formed();
    for (record, request) in &well_formed {
        let comparison = compare(&edge, record, request);
        counts.add(record, &comparison);
        let Comparison::Differs(refusal) = comparison else {
            continue;
        };
        match listed.get(record.id.as_str()) {
            Some(reason) if record.response.status >= 300 || reason.excuses_a_refused_success() => {
                *counts.reasons.entry(*reason).or_default() += 1;
                met.insert(record.id.as_str());
            }
            _ => unexpected.push(describe(record, request, &refusal)),
        }
    }
    println!("{}", counts.report());
    // Requests that no server accepts are listed for the tests over sockets.
    let readable = |id: &&&str| well_formed.iter().any(|(record, _)| record.id == **id);
    let stale: Vec<&&str> = listed
        .keys()
        .filter(readable)
        .filter(|id| !met.contains(**id))
        .collect();
    assert!(unexpected.is_empty(), "not listed:\n{}", unexpected.join("\n"));
    assert!(counts.decided >= 904, "{} decided", counts.decided);
    assert!(stale.is_empty(), "listed, and yet forwarded or equal: {stale:?}");
}

fn describe(record: &Record, request: &Request, refusal: &Refusal) -> String {
    let short = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes)
            .chars()
            .take(160)
            .collect::<String>()
    };
    format!(
        "{} {} {} {}?{} {:?} {}\n    backend {} {}\n    edge    {} {}",
        record.id,
        record.area,
        request.method,
        request.path,
        short(request.query.as_deref().unwrap_or_default().as_bytes()),
        request.headers,
        short(&request.body),
        record.response.status,
        short(answer(record).as_bytes()),
        refusal.status().as_u16(),
        short(refusal.body())
    )
}
