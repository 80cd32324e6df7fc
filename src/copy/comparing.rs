//! A response of the copy compared with that of the site, beside the client's response.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Empty;

use super::copying::CopiedRead;
use super::record_copies::{MadeCopy, RecordCopies};
use crate::backend::QueueWatch;
use crate::calls::{BackendResult, CalendarCall, Stage};
use crate::telemetry::{CopyComparison, unix_time};
use calendar_edge_core::copy::{CopyResponse, same};
use calendar_edge_core::relay::AcceptedResponse;

/// Asks the site on behalf of nobody, and compares.
#[derive(Debug)]
pub(super) struct Comparing<S> {
    pub(super) inner: Arc<S>,
    pub(super) copies: RecordCopies,
    pub(super) call: CalendarCall,
}

/// A response of the site, read whole.
type SiteResponse = AcceptedResponse<Empty<Bytes>>;

// === impl Comparing ===

impl<S: Stage<CalendarCall, BackendResult>> Comparing<S> {
    /// Compares what the copy says with the site's response, which is asked for unless it is there. Where they are
    /// different, the site is asked once more: something may have changed in between.
    pub(super) async fn compare(self, read: CopiedRead, made: &Arc<MadeCopy>, site: Option<SiteResponse>) {
        let site = match site {
            Some(site) => Some(site),
            None => self.ask().await,
        };
        let is_equal = site.and_then(|site| self.is_equal(&read, made, &site));
        let is_equal = match is_equal {
            Some(false) => self.once_more(&read).await,
            known => known,
        };
        match is_equal {
            Some(true) => self.copies.is_equal(&read.shape),
            Some(false) => {
                self.copies.metrics().compared(CopyComparison::Different);
                let target = self.call.call.request().path("");
                self.copies.differs(&read.shape, &target);
            }
            None => self.copies.metrics().compared(CopyComparison::Overtaken),
        }
    }

    /// The same, unless the question would wait for the site.
    pub(super) async fn compare_unless_queued(mut self, read: CopiedRead, made: &Arc<MadeCopy>) {
        let watch = QueueWatch::default();
        let _given_up = watch.give_up_on_drop();
        self.call.queue = Some(watch.clone());
        let mut changes = watch.changes();
        tokio::select! {
            () = self.compare(read, made, None) => {}
            _ = changes.wait_for(|is_waiting| *is_waiting) => {}
        }
    }

    async fn once_more(&self, read: &CopiedRead) -> Option<bool> {
        let made = self.copies.current()?;
        let site = self.ask().await?;
        self.is_equal(read, &made, &site)
    }

    async fn ask(&self) -> Option<SiteResponse> {
        self.inner.call(self.call.clone()).await.ok()?.whole()
    }

    /// Whether both say the same; none if the site failed, or something changed since the copy was made.
    fn is_equal(&self, read: &CopiedRead, made: &Arc<MadeCopy>, site: &SiteResponse) -> Option<bool> {
        if site.status().is_server_error() || !self.copies.is_current(made) {
            return None;
        }
        let copied = made.records.respond(&read.question, unix_time()).ok()?;
        let body = site.whole_body().unwrap_or_default();
        let folded = same(&body, &copied.body);
        let is_equal = site.status() == copied.status && has_totals(site, &copied) && folded.is_some();
        if is_equal {
            let is_folded = folded.is_some_and(|folded| folded.any());
            let result = if is_folded { CopyComparison::Folded } else { CopyComparison::Equal };
            self.copies.metrics().compared(result);
        }
        Some(is_equal)
    }
}

fn has_totals(site: &SiteResponse, copied: &CopyResponse) -> bool {
    let said = |name: &str| site.headers().get(name).and_then(|value| value.to_str().ok()?.parse().ok());
    let totals = said("x-tec-total").zip(said("x-tec-totalpages"));
    totals == copied.totals
}
