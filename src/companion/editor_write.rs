//! A write by somebody with credentials, to whatever part of the site, and whether its end is known.

use super::companions::Companions;
use crate::telemetry::unix_time;
use calendar_edge_core::companion::purge::SiteCompanion;

/// A write that is under way; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct EditorWrite {
    companions: Companions,
    /// Whether the site responded when it began. What is sent to a site that is away is not stored.
    may_arrive: bool,
    has_response: bool,
}

// === impl Companions ===

impl Companions {
    /// Begins a write.
    pub(crate) fn write(&self) -> EditorWrite {
        EditorWrite {
            may_arrive: self.sites().values().any(SiteCompanion::responds),
            companions: self.clone(),
            has_response: false,
        }
    }

    /// Whether the end of each write through this edge is known, or the site has responded since.
    pub(crate) fn have_ended_writes(&self) -> bool {
        self.sites().values().all(SiteCompanion::has_ended_writes)
    }
}

// === impl EditorWrite ===

impl EditorWrite {
    /// It has a response, which is not that of a server that failed.
    pub(crate) const fn is_answered(&mut self) {
        self.has_response = true;
    }
}

impl Drop for EditorWrite {
    fn drop(&mut self) {
        let (now, is_lost) = (unix_time(), self.may_arrive && !self.has_response);
        for site in self.companions.sites().values_mut() {
            site.wrote(now);
            if is_lost {
                site.lost_write(now);
            }
        }
        self.companions.called();
    }
}
