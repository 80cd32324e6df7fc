//! A write with credentials, to any part of the site, until its change is shown.

use std::sync::Arc;

use super::companions::Companions;
use crate::telemetry::unix_time;

/// A write that is under way; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct EditorWrite(pub(crate) Arc<Companions>);

impl Drop for EditorWrite {
    fn drop(&mut self) {
        let now = unix_time();
        for site in self.0.sites().values_mut() {
            site.wrote(now);
        }
        self.0.called();
    }
}
