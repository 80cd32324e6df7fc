//! A write by somebody with credentials, to whatever part of the site, until its change is shown.

use http::StatusCode;

use super::companions::Companions;
use crate::telemetry::unix_time;
use calendar_edge_core::companion::purge::SiteCompanion;

/// A write that is under way; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct EditorWrite {
    companions: Companions,
    /// Whether the site responded when it began.
    may_arrive: bool,
    status: Option<StatusCode>,
}

// === impl Companions ===

impl Companions {
    /// Begins a write.
    pub(crate) fn write(&self) -> EditorWrite {
        EditorWrite {
            may_arrive: self.sites().values().any(SiteCompanion::responds),
            companions: self.clone(),
            status: None,
        }
    }
}

// === impl EditorWrite ===

impl EditorWrite {
    /// Its response has this status.
    pub(crate) const fn ended_with(&mut self, status: StatusCode) {
        self.status = Some(status);
    }
}

impl Drop for EditorWrite {
    fn drop(&mut self) {
        let may_be_stored = SiteCompanion::may_have_stored(self.status, self.may_arrive);
        let now = unix_time();
        for site in self.companions.sites().values_mut() {
            site.wrote(may_be_stored, now);
        }
        self.companions.called();
    }
}
