//! The last requests that were refused or that `enforce` would refuse, kept in memory for their explanation: bounded in
//! number and bytes, and without secrets.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;

use http::Method;
use parking_lot::Mutex;
use serde::{Serialize, Serializer};

use super::site_verdict::SiteVerdict;
use super::wall_clock::as_moment;
use calendar_edge_core::gateway::refusals::KeptRequest;
use calendar_edge_core::unix_time::UnixTime;
use calendar_edge_judge::call::Finding;
use calendar_edge_judge::problem::Refusal;

/// Memory for each refusal that may be kept, in bytes, on average.
const BYTES_EACH: usize = 4 * 1024;

/// The kept refusals of one edge; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Refusals(Arc<Mutex<RecordedRefusals>>);

/// A request that is kept.
#[derive(Debug, Serialize)]
pub(crate) struct RecordedRefusal {
    /// The id of the request.
    pub(crate) id: Box<str>,
    /// The time of the response.
    #[serde(rename = "time", serialize_with = "as_moment")]
    pub(crate) at: UnixTime,
    /// The client's address.
    pub(crate) client: Option<IpAddr>,
    /// The method as sent.
    #[serde(serialize_with = "as_text")]
    pub(crate) method: Method,
    /// The path as sent.
    pub(crate) path: Box<str>,
    /// The operation's name, `site` or `none`.
    pub(crate) operation: &'static str,
    /// The mode of the operation.
    pub(crate) mode: &'static str,
    /// The status of the response.
    pub(crate) status: u16,
    /// The code of the refusal, or of the first finding.
    pub(crate) code: &'static str,
    /// The response of the site to a request that was forwarded although it breaks rules, as in mode `report`; none: the
    /// edge refused it.
    #[serde(skip)]
    pub(crate) forwarded: Option<SiteVerdict>,
    /// The reason, where it was noted.
    #[serde(skip)]
    pub(crate) note: Option<RefusalNote>,
}

/// The reason for a refusal.
#[derive(Debug, Clone)]
pub(crate) struct RefusalNote {
    /// The request without its secrets; none where it was too large, and until it is kept.
    pub(crate) request: Option<KeptRequest>,
    /// The rules that it breaks.
    pub(crate) findings: Vec<Finding>,
    /// The part of the edge that refused it.
    pub(crate) decided_by: DecidedBy,
    /// The reason why it is refused in modes that forward what breaks a rule.
    pub(crate) insists: &'static str,
}

/// The part that refused a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DecidedBy {
    /// The rules: the same request is refused again.
    Rules,
    /// The moment: a rate limit, the body's arrival, capacity, or the site.
    Moment,
    /// The site: the request breaks rules, and the edge forwards it, as in mode `report`.
    Site,
}

/// Requests that are explained alike. All words are from closed sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct RecordKind {
    code: &'static str,
    is_forwarded: bool,
    operation: &'static str,
    /// The first broken rule, and its parameter where the table declares it.
    rule: &'static str,
    parameter: &'static str,
}

#[derive(Debug, Default)]
struct RecordedRefusals {
    /// The number of entries with a code: a flood of one leaves the others alone.
    by_code: HashMap<&'static str, usize>,
    /// The oldest first: a flood of one kind leaves the others of its code alone.
    by_kind: HashMap<RecordKind, VecDeque<Arc<RecordedRefusal>>>,
    count: usize,
    bytes: usize,
    most: usize,
}

fn as_text<S: Serializer>(method: &Method, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(method.as_str())
}

// === impl RecordedRefusal ===

impl RecordedRefusal {
    fn weight(&self) -> usize {
        let request = self.note.as_ref().and_then(|note| note.request.as_ref());
        size_of::<Self>() + self.id.len() + self.path.len() + request.map_or(0, KeptRequest::weight)
    }

    fn kind(&self) -> RecordKind {
        let first = self.note.as_ref().and_then(|note| note.findings.first());
        RecordKind {
            code: self.code,
            is_forwarded: self.forwarded.is_some(),
            operation: self.operation,
            rule: first.map_or("", |finding| finding.rule),
            parameter: match first.and_then(|finding| finding.parameter.as_ref()) {
                Some(Cow::Borrowed(declared)) => declared,
                Some(Cow::Owned(_)) | None => "",
            },
        }
    }
}

// === impl RefusalNote ===

impl RefusalNote {
    /// A rule about heads, or about bodies that cannot be read.
    pub(crate) fn rules(refusal: &Refusal) -> Self {
        Self {
            request: None,
            findings: Vec::new(),
            decided_by: DecidedBy::Rules,
            insists: refusal.problem().held_in_every_mode(),
        }
    }

    /// A reason of this moment; the same request may pass later.
    pub(crate) const fn moment(insists: &'static str) -> Self {
        Self {
            request: None,
            findings: Vec::new(),
            decided_by: DecidedBy::Moment,
            insists,
        }
    }
}

// === impl Refusals ===

impl Refusals {
    /// Keeps so many refusals from now on.
    pub(crate) fn keep_most(&self, most: usize) {
        let mut kept = self.0.lock();
        kept.most = most;
        kept.shrink();
    }

    /// Keeps a refusal, and drops what no longer has room.
    pub(crate) fn keep(&self, refusal: RecordedRefusal) {
        let weight = refusal.weight();
        let mut kept = self.0.lock();
        if kept.most == 0 {
            return;
        }
        kept.count += 1;
        kept.bytes += weight;
        *kept.by_code.entry(refusal.code).or_default() += 1;
        let kind = kept.by_kind.entry(refusal.kind()).or_default();
        kind.push_back(Arc::new(refusal));
        kept.shrink();
    }

    /// The refusal of the request with this id; the newest, where a proxy gave an id twice.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<RecordedRefusal>> {
        let kept = self.0.lock();
        kept.all()
            .filter(|refusal| &*refusal.id == id)
            .max_by_key(|refusal| refusal.at)
            .map(Arc::clone)
    }

    /// All kept requests that were refused, newest first.
    pub(crate) fn newest(&self) -> Vec<Arc<RecordedRefusal>> {
        let kept = self.0.lock();
        let refused = kept.all().filter(|kept| kept.forwarded.is_none());
        let mut all: Vec<_> = refused.map(Arc::clone).collect();
        drop(kept);
        all.sort_by_key(|refusal| std::cmp::Reverse(refusal.at));
        all
    }
}

// === impl RecordedRefusals ===

impl RecordedRefusals {
    fn shrink(&mut self) {
        while self.count > self.most || self.bytes > self.most.saturating_mul(BYTES_EACH) {
            if !self.drop_one() {
                return;
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = &Arc<RecordedRefusal>> {
        self.by_kind.values().flatten()
    }

    /// Drops the oldest of the kind that has most, of the code that has most.
    fn drop_one(&mut self) -> bool {
        let most = self.by_code.iter().max_by_key(|(_, count)| **count);
        let Some(code) = most.map(|(code, _)| *code) else {
            return false;
        };
        let of_code = self.by_kind.iter_mut().filter(|(kind, _)| kind.code == code);
        let most = of_code.max_by_key(|(_, kept)| kept.len());
        let Some((kind, Some(dropped))) = most.map(|(kind, kept)| (*kind, kept.pop_front())) else {
            return false;
        };
        if self.by_kind.get(&kind).is_some_and(VecDeque::is_empty) {
            self.by_kind.remove(&kind);
        }
        *self.by_code.entry(code).or_default() -= 1;
        self.count -= 1;
        self.bytes -= dropped.weight();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(id: usize, code: &'static str, path: &str) -> RecordedRefusal {
        RecordedRefusal {
            id: id.to_string().into(),
            at: UnixTime::from_secs(u64::try_from(id).unwrap()),
            client: None,
            method: Method::GET,
            path: path.into(),
            status: 404,
            code,
            forwarded: None,
            operation: "none",
            mode: "enforce",
            note: None,
        }
    }

    #[test]
    fn a_flood_of_one_code_leaves_the_others() {
        let refusals = Refusals::default();
        refusals.keep_most(10);
        refusals.keep(refusal(0, "rare", "/"));
        for id in 1..100 {
            refusals.keep(refusal(id, "flood", "/"));
        }
        assert!(refusals.find("0").is_some());
        assert!(refusals.find("90").is_none());
        let newest: Vec<_> = refusals.newest().iter().map(|kept| kept.id.to_string()).collect();
        assert_eq!(
            newest,
            ["99", "98", "97", "96", "95", "94", "93", "92", "91", "0"]
        );
        refusals.keep_most(0);
        refusals.keep(refusal(1, "rare", "/"));
        assert!(refusals.newest().is_empty());
    }

    #[test]
    fn a_flood_of_one_rule_leaves_the_samples_of_others_with_its_code() {
        let refusals = Refusals::default();
        refusals.keep_most(10);
        let forwarded = |id: usize, parameter: &'static str| RecordedRefusal {
            forwarded: Some(SiteVerdict::new(200, None)),
            note: Some(RefusalNote {
                request: None,
                findings: vec![Finding {
                    code: "rest_invalid_param",
                    parameter: Some(Cow::Borrowed(parameter)),
                    rule: "positive_int",
                }],
                decided_by: DecidedBy::Site,
                insists: "",
            }),
            ..refusal(id, "rest_invalid_param", "/")
        };
        refusals.keep(forwarded(0, "per_page"));
        for id in 1..100 {
            refusals.keep(forwarded(id, "page"));
        }
        assert!(refusals.find("0").is_some() && refusals.find("99").is_some());
        assert!(refusals.find("50").is_none());
        assert!(refusals.newest().is_empty(), "none of them was refused");
    }

    #[test]
    fn the_memory_is_bounded() {
        let refusals = Refusals::default();
        refusals.keep_most(16);
        let long = "/".repeat(3 * BYTES_EACH);
        for id in 0..100 {
            refusals.keep(refusal(id, "code", &long));
        }
        let kept = refusals.0.lock();
        assert!(kept.bytes <= 16 * BYTES_EACH, "{}", kept.bytes);
        assert!((3..=5).contains(&kept.count), "{}", kept.count);
    }

    #[test]
    fn the_newest_of_two_requests_with_one_id_is_found() {
        let refusals = Refusals::default();
        refusals.keep_most(4);
        let again = RecordedRefusal {
            id: "1".into(),
            ..refusal(2, "b", "/")
        };
        refusals.keep(refusal(1, "a", "/"));
        refusals.keep(again);
        assert_eq!(refusals.find("1").unwrap().code, "b");
    }
}
