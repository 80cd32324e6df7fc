//! Anonymous reads answered by the copy where that is proven, and compared with the site's responses where it is not.

use std::sync::Arc;

use http::header::AGE;
use http_body_util::Full;

use super::comparing::Comparing;
use super::record_copies::{MadeCopy, RecordCopies};
use crate::calls::{BackendResult, CalendarCall, Stage};
use crate::telemetry::{CopyOutcome, unix_time};
use calendar_edge_core::cache::CacheableCall;
use calendar_edge_core::copy::{Ask, CopyQuestion, CopyResponse, Standing};
use calendar_edge_core::relay::{CallContext, CopiedFrom, RelayRules, accept};
use calendar_edge_core::settings::{CopySettings, WhenAway};

/// Answers reads from the copy, or has the site asked.
#[derive(Debug)]
pub(crate) struct Copying<S> {
    inner: Arc<S>,
    /// None: the settings have no copy.
    plan: Option<CopyPlan>,
}

#[derive(Debug)]
struct CopyPlan {
    copies: RecordCopies,
    settings: CopySettings,
    rules: Arc<RelayRules>,
}

/// A read that the copy may answer.
#[derive(Debug)]
pub(super) struct CopiedRead {
    pub(super) question: CopyQuestion,
    pub(super) shape: String,
}

// === impl Copying ===

impl<S: Stage<CalendarCall, BackendResult>> Copying<S> {
    pub(crate) fn new(
        inner: S,
        settings: &CopySettings,
        copies: &RecordCopies,
        rules: &Arc<RelayRules>,
    ) -> Self {
        let plan = settings.enabled.then(|| CopyPlan {
            copies: copies.clone(),
            settings: settings.clone(),
            rules: Arc::clone(rules),
        });
        Self {
            inner: Arc::new(inner),
            plan,
        }
    }

    /// Asks the site, and compares its response with that of the copy.
    async fn watch(&self, plan: &CopyPlan, read: CopiedRead, call: CalendarCall) -> BackendResult {
        let before = plan.copies.current();
        let result = self.inner.call(call.clone()).await;
        let is_down = match &result {
            Ok(accepted) => accepted.status().is_server_error(),
            Err(_) => true,
        };
        if is_down {
            return match plan.away(&read, &call).await {
                Some(copied) => copied,
                None => result,
            };
        }
        let outcome = match before.as_deref().map(|made| plan.respond(made, &read)) {
            None => (CopyOutcome::Behind, "behind"),
            Some(Err(ask)) => (CopyOutcome::Asked, ask.name()),
            Some(Ok(_)) => (CopyOutcome::Unproven, "unproven"),
        };
        plan.copies.read(&read.shape, outcome.0, outcome.1);
        if let (Some(made), Ok(accepted), CopyOutcome::Unproven) = (before, &result, outcome.0)
            && let Some(site) = accepted.whole()
        {
            let comparing = self.comparing(plan, call);
            tokio::spawn(async move { comparing.compare(read, &made, Some(site)).await });
            self.probe(plan);
        }
        result
    }

    /// Asks the site for a read that some client asked of late, whose shape is not proven, if that is due.
    fn probe(&self, plan: &CopyPlan) {
        let Some(rate) = plan.settings.probe else { return };
        if let Some((read, call)) = plan.copies.recent().next(rate, std::time::Instant::now())
            && let Some(made) = plan.copies.current()
        {
            let comparing = self.comparing(plan, call);
            tokio::spawn(async move { comparing.compare_unless_queued(read, &made).await });
        }
    }

    fn comparing(&self, plan: &CopyPlan, call: CalendarCall) -> Comparing<S> {
        Comparing {
            inner: Arc::clone(&self.inner),
            copies: plan.copies.clone(),
            call: call.unattended(),
        }
    }
}

impl<S: Stage<CalendarCall, BackendResult>> Stage<CalendarCall, BackendResult> for Copying<S> {
    async fn call(&self, call: CalendarCall) -> BackendResult {
        let Some((plan, read)) = self.plan.as_ref().and_then(|plan| Some((plan, CopiedRead::of(&call)?))) else {
            return self.inner.call(call).await;
        };
        plan.copies.called();
        if plan.copies.standing(&read.shape) == Standing::Proven
            && let Some(made) = plan.copies.current()
            && let Ok(response) = plan.respond(&made, &read)
            && let Some(copied) = plan.sent(response, &made, &call, CopiedFrom::Current).await
        {
            plan.copies.read(&read.shape, CopyOutcome::Answered, "");
            if plan.copies.answers(&read.shape) {
                let comparing = self.comparing(plan, call);
                tokio::spawn(async move { comparing.compare(read, &made, None).await });
            }
            return copied;
        }
        Box::pin(self.watch(plan, read, call)).await
    }
}

// === impl CopyPlan ===

impl CopyPlan {
    fn respond(&self, made: &MadeCopy, read: &CopiedRead) -> Result<CopyResponse, Ask> {
        made.records.respond(&read.question, unix_time())
    }

    /// The response of the copy while the site fails; none where it may not answer such reads, or cannot.
    async fn away(&self, read: &CopiedRead, call: &CalendarCall) -> Option<BackendResult> {
        let is_permitted = self.settings.when_away == WhenAway::All
            || self.copies.standing(&read.shape) == Standing::Proven;
        let (made, age) = self.copies.last_known().filter(|_| is_permitted)?;
        let response = self.respond(&made, read).ok()?;
        let copied = self.sent(response, &made, call, CopiedFrom::Earlier(age)).await;
        if copied.is_some() {
            self.copies.read(&read.shape, CopyOutcome::AnsweredAway, "");
        }
        copied
    }

    /// A response of the copy as that of a backend; none if there is no memory for it.
    async fn sent(
        &self,
        response: CopyResponse,
        made: &MadeCopy,
        call: &CalendarCall,
        from: CopiedFrom,
    ) -> Option<BackendResult> {
        let response = response.into_site_response(made.records.site()).map(Full::new);
        let context = CallContext::of_call(&call.call, "");
        let accepted = accept(response, &context, &self.rules).await.ok()?;
        Some(Ok(accepted.whole()?.copied_from(from)))
    }
}

// === impl CopiedRead ===

impl CopiedRead {
    /// None for calls that are never copied.
    fn of(call: &CalendarCall) -> Option<Self> {
        if call.route.candidate().is_some() {
            return None;
        }
        let question = CopyQuestion::of(CacheableCall::of(&call.call)?)?;
        let shape = question.shape()?.to_string();
        Some(Self { question, shape })
    }
}
