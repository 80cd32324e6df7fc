//! The last refusals, kept in memory for their explanation: bounded in number and bytes, and without secrets.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;

use http::Method;
use parking_lot::Mutex;

use calendar_edge_core::gateway::refusals::RefusedRequest;
use calendar_edge_core::unix_time::UnixTime;
use calendar_edge_judge::call::Finding;

/// Memory for each refusal that may be kept, in bytes, on average.
const BYTES_EACH: usize = 4 * 1024;

/// The kept refusals of one edge; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Refusals(Arc<Mutex<RecordedRefusals>>);

/// A refusal that is kept.
#[derive(Debug)]
pub(crate) struct RecordedRefusal {
    /// The id of the request.
    pub(crate) id: Box<str>,
    /// When it was answered.
    pub(crate) at: UnixTime,
    /// The client's address.
    pub(crate) client: Option<IpAddr>,
    /// The method as sent.
    pub(crate) method: Method,
    /// The path as sent.
    pub(crate) path: Box<str>,
    /// The status of the response.
    pub(crate) status: u16,
    /// The code of the refusal.
    pub(crate) code: &'static str,
    /// The operation's name, `site` or `none`.
    pub(crate) operation: &'static str,
    /// The mode of the operation.
    pub(crate) mode: &'static str,
    /// The reason, where it was noted.
    pub(crate) note: Option<RefusalNote>,
}

/// The reason for a refusal.
#[derive(Debug, Clone)]
pub(crate) struct RefusalNote {
    /// The request without its secrets; none where it was too large.
    pub(crate) request: Option<RefusedRequest>,
    /// The rules that it breaks.
    pub(crate) findings: Vec<Finding>,
    /// What refused it.
    pub(crate) decided_by: DecidedBy,
    /// Why it is refused in modes that forward what breaks a rule.
    pub(crate) insists: &'static str,
}

/// The part that refused a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecidedBy {
    /// The rules: the same request is refused again.
    Rules,
    /// The moment: a rate limit, the body's arrival, capacity, or the site.
    Moment,
}

#[derive(Debug, Default)]
struct RecordedRefusals {
    /// By code, oldest first: a flood of one kind leaves the others alone.
    by_code: HashMap<&'static str, VecDeque<Arc<RecordedRefusal>>>,
    count: usize,
    bytes: usize,
    most: usize,
}

// === impl DecidedBy ===

impl DecidedBy {
    /// Its stable name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Moment => "moment",
        }
    }
}

// === impl RecordedRefusal ===

impl RecordedRefusal {
    fn weight(&self) -> usize {
        let request = self.note.as_ref().and_then(|note| note.request.as_ref());
        size_of::<Self>() + self.id.len() + self.path.len() + request.map_or(0, RefusedRequest::weight)
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
        let code = refusal.code;
        kept.by_code.entry(code).or_default().push_back(Arc::new(refusal));
        kept.shrink();
    }

    /// The refusal of the request with this id; the newest, where a proxy gave an id twice.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<RecordedRefusal>> {
        let kept = self.0.lock();
        let all = kept.by_code.values().flatten();
        all.filter(|refusal| &*refusal.id == id)
            .max_by_key(|refusal| refusal.at)
            .map(Arc::clone)
    }

    /// All kept refusals, newest first.
    pub(crate) fn newest(&self) -> Vec<Arc<RecordedRefusal>> {
        let mut all: Vec<_> = self.0.lock().by_code.values().flatten().map(Arc::clone).collect();
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

    /// Drops the oldest refusal of the code that has most.
    fn drop_one(&mut self) -> bool {
        let Some(most) = self.by_code.values_mut().max_by_key(|queue| queue.len()) else {
            return false;
        };
        let Some(dropped) = most.pop_front() else {
            return false;
        };
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
