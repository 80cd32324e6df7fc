//! Anonymous reads answered by the copy where that is proven, and compared with the site's responses where it is not.

use std::sync::Arc;

use http::Method;
use http_body_util::Full;

use super::comparing::{Comparing, SiteResponse};
use super::record_copies::{MadeCopy, RecordCopies};
use crate::calls::{BackendResult, CalendarCall, Stage};
use crate::telemetry::{CopyOutcome, unix_time};
use calendar_edge_core::cache::CacheableCall;
use calendar_edge_core::copy::{Ask, CopyQuestion, CopyResponse, Standing};
use calendar_edge_core::relay::{AcceptedResponse, CallContext, CopiedFrom, RelayRules, accept};
use calendar_edge_core::settings::{CopySettings, WhenAway};

/// Answers reads from the copy, or has the site asked.
#[derive(Debug)]
pub(crate) struct Copying<S> {
    inner: Arc<S>,
    /// None: the settings have no copy.
    policy: Option<CopyPolicy>,
}

#[derive(Debug)]
struct CopyPolicy {
    copies: RecordCopies,
    settings: CopySettings,
    rules: Arc<RelayRules>,
}

/// A read that the copy may answer.
#[derive(Debug, Clone)]
pub(super) struct CopiedRead {
    pub(super) question: CopyQuestion,
    pub(super) shape: String,
}

/// The shape of a read that the copy did not answer, what became of it, and why.
type NotCopied = (String, CopyOutcome, &'static str);

/// A copy, and what it answers to a read.
type EvaluatedRead = (Arc<MadeCopy>, Result<ShapedResponse, Ask>);

/// A response of the copy, and the shape by which it is proven.
#[derive(Debug)]
pub(super) struct ShapedResponse {
    pub(super) shape: String,
    pub(super) response: CopyResponse,
}

// === impl Copying ===

impl<S: Stage<CalendarCall, BackendResult>> Copying<S> {
    pub(crate) fn new(
        inner: S,
        settings: &CopySettings,
        copies: &RecordCopies,
        rules: &Arc<RelayRules>,
    ) -> Self {
        let policy = settings.enabled.then(|| CopyPolicy {
            copies: copies.clone(),
            settings: settings.clone(),
            rules: Arc::clone(rules),
        });
        Self {
            inner: Arc::new(inner),
            policy,
        }
    }

    /// Asks the site, and compares its response with that of the copy as it is now.
    async fn watch(
        &self,
        policy: &CopyPolicy,
        read: CopiedRead,
        (now, call): (Option<EvaluatedRead>, CalendarCall),
    ) -> BackendResult {
        let result = self.inner.call(call.clone()).await;
        let is_down = match &result {
            Ok(accepted) => accepted.status().is_server_error(),
            Err(_) => true,
        };
        if is_down {
            return match policy.away(&read, &call).await {
                Ok(copied) => copied,
                Err((shape, outcome, reason)) => {
                    policy.copies.read(&shape, outcome, reason);
                    result
                }
            };
        }
        let Some((made, answer)) = now else {
            policy.copies.read(&read.shape, CopyOutcome::Behind, "behind");
            return result;
        };
        match answer {
            Err(ask) => policy.copies.read(&read.shape, CopyOutcome::Asked, ask.name()),
            Ok(shaped) => {
                policy
                    .copies
                    .read(&shaped.shape, CopyOutcome::Unproven, "unproven");
                if let Some(site) = result.as_ref().ok().and_then(AcceptedResponse::whole) {
                    self.compare(policy, (read, call), (made, shaped), site);
                }
            }
        }
        result
    }

    /// Asks the site for a read that the copy answered, behind the client's response.
    fn sample(&self, policy: &CopyPolicy, read: CopiedRead, call: &CalendarCall) {
        let comparing = self.comparing(policy, call.unattended());
        let copies = policy.copies.clone();
        tokio::spawn(async move {
            comparing.compare_unless_queued(&read).await;
            copies.sampled();
        });
    }

    /// Compares behind the client's response, which is the site's.
    fn compare(
        &self,
        policy: &CopyPolicy,
        (read, call): (CopiedRead, CalendarCall),
        (made, shaped): (Arc<MadeCopy>, ShapedResponse),
        site: SiteResponse,
    ) {
        let comparing = self.comparing(policy, call.unattended());
        let probe = policy.settings.probe;
        tokio::spawn(async move {
            let is_open = comparing.compare(&read, &made, shaped, &site).await;
            if let Some(rate) = probe.filter(|_| is_open) {
                comparing.probe(read, rate).await;
            }
        });
    }

    fn comparing(&self, policy: &CopyPolicy, call: CalendarCall) -> Comparing<S> {
        Comparing {
            inner: Arc::clone(&self.inner),
            copies: policy.copies.clone(),
            call,
        }
    }
}

impl<S: Stage<CalendarCall, BackendResult>> Stage<CalendarCall, BackendResult> for Copying<S> {
    async fn call(&self, call: CalendarCall) -> BackendResult {
        let policy = self.policy.as_ref();
        let Some((policy, read)) = policy.and_then(|policy| Some((policy, CopiedRead::of(&call)?))) else {
            return self.inner.call(call).await;
        };
        policy.copies.called();
        let answered = |made: Arc<MadeCopy>| {
            let answer = read.answer(&made);
            (made, answer)
        };
        let now = policy.copies.current().map(answered);
        if let Some((made, Ok(ShapedResponse { shape, response }))) = &now
            && policy.copies.standing(shape) == Standing::Proven
            && let Some(copied) = policy
                .sent(response.clone(), made, &call, CopiedFrom::Current)
                .await
        {
            policy.copies.read(shape, CopyOutcome::Answered, "");
            if policy.copies.answers(shape, &read.question) {
                self.sample(policy, read, &call);
            }
            return copied;
        }
        Box::pin(self.watch(policy, read, (now, call))).await
    }
}

// === impl CopyPolicy ===

impl CopyPolicy {
    /// The response of the copy while the site fails.
    ///
    /// # Errors
    ///
    /// Why there is none: the copy may not answer such reads, or cannot.
    async fn away(&self, read: &CopiedRead, call: &CalendarCall) -> Result<BackendResult, NotCopied> {
        let behind = || (read.shape.clone(), CopyOutcome::Behind, "behind");
        let (made, age) = self.copies.last_known().await.ok_or_else(behind)?;
        let answer = read.answer(&made);
        let ShapedResponse { shape, response } =
            answer.map_err(|ask| (read.shape.clone(), CopyOutcome::Asked, ask.name()))?;
        let is_proven = self.copies.standing(&shape) == Standing::Proven;
        if !is_proven && self.settings.when_away == WhenAway::Proven {
            return Err((shape, CopyOutcome::Unproven, "unproven"));
        }
        let copied = self.sent(response, &made, call, CopiedFrom::Earlier(age)).await;
        let copied = copied.ok_or_else(behind)?;
        self.copies.read(&shape, CopyOutcome::AnsweredAway, "");
        Ok(copied)
    }

    /// A response of the copy as that of a backend; none if there is no memory for it.
    async fn sent(
        &self,
        response: CopyResponse,
        made: &MadeCopy,
        call: &CalendarCall,
        from: CopiedFrom,
    ) -> Option<BackendResult> {
        let response = response.into_site_response(made.site()).map(Full::new);
        let context = CallContext::of_call(&call.call, "");
        let accepted = accept(response, &context, &self.rules).await.ok()?;
        Some(Ok(accepted.copied_from(from).whole()?))
    }
}

// === impl CopiedRead ===

impl CopiedRead {
    /// None for calls that are never copied.
    fn of(call: &CalendarCall) -> Option<Self> {
        if call.route.candidate().is_some() || call.call.request().method != Method::GET {
            return None;
        }
        let question = CopyQuestion::of(CacheableCall::of(&call.call)?)?;
        // The operation stands for reads that are never answered, so that they are counted with the reason.
        let shape = match question.shape() {
            Some(shape) => shape.to_string(),
            None => call.call.operation()?.name.clone(),
        };
        Some(Self { question, shape })
    }

    /// The response of a copy, and the shape by which it is proven: another one where the site's order was only seen.
    ///
    /// # Errors
    ///
    /// The reason why only the site can respond.
    pub(super) fn answer(&self, made: &MadeCopy) -> Result<ShapedResponse, Ask> {
        let response = made.records.respond(&self.question, unix_time())?;
        let shape = if response.is_tied {
            [&self.shape, " tied"].concat()
        } else {
            self.shape.clone()
        };
        Ok(ShapedResponse { shape, response })
    }
}
