//! A response of the copy compared with that of the site, beside the client's response.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Empty;

use super::copying::{CopiedRead, ShapedResponse};
use super::record_copies::{MadeCopy, RecordCopies};
use crate::backend::QueueWatch;
use crate::calls::{BackendResult, CalendarCall, Stage};
use crate::telemetry::CopyComparison;
use calendar_edge_core::cache::{Folded, same_text};
use calendar_edge_core::copy::{CopyResponse, Standing};
use calendar_edge_core::relay::AcceptedResponse;

/// Asks the site on behalf of nobody, and compares.
#[derive(Debug)]
pub(super) struct Comparing<S> {
    pub(super) inner: Arc<S>,
    pub(super) copies: RecordCopies,
    pub(super) call: CalendarCall,
}

/// A response of the site, read whole.
pub(super) type SiteResponse = AcceptedResponse<Empty<Bytes>>;

// === impl Comparing ===

impl<S: Stage<CalendarCall, BackendResult>> Comparing<S> {
    /// Compares a response of the copy with the site's. True if they were equal and do not prove the shape yet.
    pub(super) async fn compare(
        &self,
        read: &CopiedRead,
        made: &Arc<MadeCopy>,
        shaped: ShapedResponse,
        site: &SiteResponse,
    ) -> bool {
        let compared = self.compared(shaped, made, site);
        self.note(read, compared).await
    }

    /// Asks the site, and compares its response with the copy's, unless the question would wait for the site. True if it
    /// would, or they were equal and do not prove the shape yet.
    pub(super) async fn compare_unless_queued(mut self, read: &CopiedRead) -> bool {
        let watch = QueueWatch::default();
        let _given_up = watch.give_up_on_drop();
        self.call.queue = Some(watch.clone());
        let comparing = async {
            let compared = self.compare_now(read).await;
            self.note(read, compared).await
        };
        tokio::select! {
            is_open = comparing => is_open,
            () = watch.queued() => true,
        }
    }

    /// Notes a comparison. Where the two are different, the site is asked once more: something may have changed in between.
    async fn note(&self, read: &CopiedRead, mut compared: Option<(String, bool)>) -> bool {
        if compared.as_ref().is_some_and(|(_, is_equal)| !is_equal) {
            compared = self.compare_now(read).await;
        }
        let Some((shape, is_equal)) = compared else {
            self.copies.metrics().compared(CopyComparison::Overtaken);
            return false;
        };
        if is_equal {
            self.copies.is_equal(&shape, &read.question);
            return self.copies.standing(&shape) != Standing::Proven;
        }
        self.copies.metrics().compared(CopyComparison::Different);
        self.copies.differs(&shape, &self.target());
        false
    }

    async fn compare_now(&self, read: &CopiedRead) -> Option<(String, bool)> {
        let made = self.copies.current()?;
        let site = self.ask().await?;
        self.compared(read.answer(&made).ok()?, &made, &site)
    }

    async fn ask(&self) -> Option<SiteResponse> {
        self.inner.call(self.call.clone()).await.ok()?.whole()
    }

    /// The shape, and whether both say the same; none if the site failed, or something changed since the copy was made.
    fn compared(
        &self,
        shaped: ShapedResponse,
        made: &Arc<MadeCopy>,
        site: &SiteResponse,
    ) -> Option<(String, bool)> {
        if site.status().is_server_error() || !self.copies.is_current(made) {
            return None;
        }
        let ShapedResponse { shape, response } = shaped;
        let body = site.whole_body().unwrap_or_default();
        let folded = same_text(&body, &response.body);
        let is_equal = site.status() == response.status && has_totals(site, &response) && folded.is_some();
        if is_equal {
            let is_folded = folded.is_some_and(Folded::any);
            let result = if is_folded {
                CopyComparison::Folded
            } else {
                CopyComparison::Equal
            };
            self.copies.metrics().compared(result);
        }
        Some((shape, is_equal))
    }

    fn target(&self) -> String {
        let request = self.call.call.request();
        [&request.path(""), "?", &request.query.pairs].concat()
    }
}

fn has_totals(site: &SiteResponse, copied: &CopyResponse) -> bool {
    let said = |name: &str| {
        site.headers()
            .get(name)
            .and_then(|value| value.to_str().ok()?.parse().ok())
    };
    let totals = said("x-tec-total").zip(said("x-tec-totalpages"));
    totals == copied.totals
}
