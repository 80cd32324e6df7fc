//! One rule's copies: sent within their budget, compared, and added to the findings about their backend.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Empty;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

use super::backend_findings::BackendFindings;
use super::callers::OtherBackends;
use super::copy_budget::CopyBudget;
use super::dry_run::{DryRun, DryRunCall, DryRunResponse};
use super::metrics::CopySkip;
use super::state::Migration;
use crate::backend::PoolUse;
use crate::calls::{BackendResult, CalendarCall, Stage};
use calendar_edge_core::limits::FleetSize;
use calendar_edge_core::migration::CopyTo;
use calendar_edge_core::migration::comparison::{DifferenceClass, PathFindings};
use calendar_edge_core::migration::cutover::RuleEvent;
use calendar_edge_core::relay::{AcceptedResponse, RelayRules};
use calendar_edge_core::settings::{CompareSettings, ShadowRule};

/// Copies calls by one rule.
#[derive(Debug)]
pub(crate) struct Copier {
    pub(super) rule: ShadowRule,
    backend: Arc<str>,
    budget: CopyBudget,
    /// The budget of second looks, which take longer than copies.
    looks: CopyBudget,
    way: DryRun,
    /// The way to the site for reads that the backend serves; none if it serves none.
    site: Option<DryRun>,
    primary: Arc<RelayRules>,
    findings: Arc<BackendFindings>,
    migration: Migration,
    /// One comparison at a time: they take processor time that clients need.
    comparing: Semaphore,
    /// One second request at a time: they take permits of the site that clients need.
    doubling: Semaphore,
}

/// The most further looks at a candidate before a difference counts, and the pause before each.
const LOOKS: usize = 3;
const PAUSE: Duration = Duration::from_secs(1);

/// A response that was given to a client, read whole.
type CopiedResponse = AcceptedResponse<Empty<Bytes>>;

/// The receiver of a copy. True if the primary gets a second request in any case; else only if the responses differ, a
/// few times a day.
pub(super) type CopyOrder = (CopyTo, bool);

/// Two responses to one call.
#[derive(Debug)]
struct ResponsePair {
    primary: DryRunResponse,
    other: DryRunResponse,
}

// === impl Copier ===

impl Copier {
    /// The copier of a rule; none if its backend is not configured.
    pub(crate) fn new(
        rule: &ShadowRule,
        compare: &CompareSettings,
        candidates: &OtherBackends,
        rules: &Arc<RelayRules>,
        edges: &FleetSize,
    ) -> Option<Self> {
        let OtherBackends { pools, migration, .. } = candidates;
        let pool = pools.get(&PoolUse::Copies(rule.backend.clone()))?;
        let site = pools.get(&PoolUse::SiteCopies(rule.backend.clone()));
        Some(Self {
            rule: rule.clone(),
            backend: rule.backend.as_str().into(),
            budget: CopyBudget::new(rule, edges),
            looks: CopyBudget::new(rule, edges),
            way: DryRun::over(pool, candidates.callers.as_ref()),
            site: site.map(|pool| DryRun::over(pool, None)),
            primary: Arc::clone(rules),
            findings: migration.of(&rule.backend, compare),
            migration: migration.clone(),
            comparing: Semaphore::new(1),
            doubling: Semaphore::new(1),
        })
    }

    /// Begins to copy a call that the primary has responded to, unless that exceeds the budget. It never waits.
    pub(crate) fn begin<S>(
        self: Arc<Self>,
        call: &Arc<DryRunCall>,
        result: &BackendResult,
        primary: &Arc<S>,
        order: CopyOrder,
    ) where
        S: Stage<CalendarCall, BackendResult>,
    {
        let taken = self
            .comparable(result)
            .and_then(|answer| Ok((answer, self.budget.take(Instant::now())?)));
        let (answer, place) = match taken {
            Ok(taken) => taken,
            Err(reason) => return self.skipped(call, reason),
        };
        let (call, primary) = (Arc::clone(call), Arc::clone(primary));
        tokio::spawn(async move {
            let running = self.migration.metrics().copying(&self.backend);
            self.copy(&call, answer, (&*primary, order), place).await;
            drop(running);
        });
    }

    /// The primary's response, if it can be compared with another one.
    fn comparable(&self, result: &BackendResult) -> Result<CopiedResponse, CopySkip> {
        let accepted = result.as_ref().map_err(|_| CopySkip::PrimaryFailed)?;
        if accepted.status().is_server_error() {
            return Err(CopySkip::PrimaryFailed);
        }
        let answer = accepted.whole().ok_or(CopySkip::TooLarge)?;
        let bytes = answer.whole_body().as_deref().map_or(0, <[u8]>::len);
        if u64::try_from(bytes).unwrap_or(u64::MAX) > self.rule.bytes {
            return Err(CopySkip::TooLarge);
        }
        Ok(answer)
    }

    async fn copy<S>(
        self: &Arc<Self>,
        call: &DryRunCall,
        answer: CopiedResponse,
        (primary, (to, is_doubled)): (&S, CopyOrder),
        place: OwnedSemaphorePermit,
    ) where
        S: Stage<CalendarCall, BackendResult>,
    {
        let pair = match self.both_responses(call, answer, to).await {
            Ok(pair) => Arc::new(pair),
            Err(reason) => return self.skipped(call, reason),
        };
        let Some(mut findings) = self.compare(call, &pair, None).await else {
            return;
        };
        if (is_doubled || self.is_repeated(call, &findings))
            && let Some(second) = self.second_response(call, primary).await
        {
            let twice = self.compare(call, &pair, Some(second)).await;
            findings = twice.unwrap_or(findings);
        }
        drop(place);
        if findings.worst().is_another_value() && pair.other.failure.is_none() {
            let _place = match self.looks.take(Instant::now()) {
                Ok(place) => place,
                Err(reason) => return self.skipped(call, reason),
            };
            findings = self.look_again(call, &pair, findings, primary).await;
        }
        self.findings.add(&call.reported(&self.primary), &findings);
        let class = findings.worst();
        let operation = call.operation.name.as_str();
        self.migration.metrics().compared(&self.backend, operation, class);
        self.migration.keep_findings();
        let event = RuleEvent::of_difference(class);
        self.migration
            .observe(event, &self.backend, operation, call.client.address);
    }

    /// The response that was given, and that of the backend that gets the copy.
    async fn both_responses(
        &self,
        call: &DryRunCall,
        answer: CopiedResponse,
        to: CopyTo,
    ) -> Result<ResponsePair, CopySkip> {
        let (pair, reached_backend) = match (to, &self.site) {
            (CopyTo::Site, Some(site)) => {
                let primary = site.send(call).await;
                if primary.status.is_server_error() {
                    return Err(CopySkip::PrimaryFailed);
                }
                let reached_backend = primary.reached_backend;
                let other = call.present(answer, &self.way.rules).await;
                (ResponsePair { primary, other }, reached_backend)
            }
            (CopyTo::Backend | CopyTo::Site, _) => {
                let primary = call.present(answer, &self.primary).await;
                let other = self.way.send(call).await;
                let reached_backend = other.reached_backend;
                (ResponsePair { primary, other }, reached_backend)
            }
        };
        reached_backend.then_some(pair).ok_or(CopySkip::Unavailable)
    }

    /// The findings that stay when both get the call again a second later: until then the candidate follows the changes
    /// of the site. As long as one of them changes they get it once more, a few times, and each response of the
    /// candidate is compared with all that the site has given since the call.
    async fn look_again<S>(
        self: &Arc<Self>,
        call: &DryRunCall,
        pair: &ResponsePair,
        mut findings: PathFindings,
        primary: &S,
    ) -> PathFindings
    where
        S: Stage<CalendarCall, BackendResult>,
    {
        let (mut given, mut last) = (vec![pair.primary.clone()], pair.other.body.clone());
        for _ in 0..LOOKS {
            tokio::time::sleep(PAUSE).await;
            let other = self.way.send(call).await;
            if other.failure.is_some() || other.status.is_server_error() {
                break;
            }
            let Some(fresh) = self.second_response(call, primary).await else {
                break;
            };
            let is_still = other.body == last && given.last().is_some_and(|given| given.body == fresh.body);
            last.clone_from(&other.body);
            given.push(fresh);
            findings = self.that_stay(call, findings, &given, &other).await;
            if is_still || !findings.worst().is_another_value() {
                break;
            }
        }
        findings
    }

    /// The findings that stay beside each of the site's responses.
    async fn that_stay(
        self: &Arc<Self>,
        call: &DryRunCall,
        mut findings: PathFindings,
        given: &[DryRunResponse],
        other: &DryRunResponse,
    ) -> PathFindings {
        for primary in given {
            let (primary, other) = (primary.clone(), other.clone());
            let pair = Arc::new(ResponsePair { primary, other });
            if let Some(second) = self.compare(call, &pair, None).await {
                findings = findings.that_stay(&second);
            }
        }
        findings
    }

    /// Compares off the threads that serve connections, also with the primary's second response; none if that panicked.
    async fn compare(
        self: &Arc<Self>,
        call: &DryRunCall,
        pair: &Arc<ResponsePair>,
        second: Option<DryRunResponse>,
    ) -> Option<PathFindings> {
        let _turn = self.comparing.acquire().await.ok()?;
        let (findings, pair, operation) = (Arc::clone(&self.findings), Arc::clone(pair), call.operation);
        let comparing = spawn_blocking(move || {
            let (primary, other) = (pair.primary.compared(), pair.other.compared());
            match &second {
                None => findings.compare(operation, primary, other),
                Some(second) => findings.compare_twice(operation, primary, other, second.compared()),
            }
        });
        comparing.await.ok()
    }

    fn is_repeated(&self, call: &DryRunCall, findings: &PathFindings) -> bool {
        findings.worst() >= DifferenceClass::Volatile && self.findings.may_double(call.operation)
    }

    /// The primary's second response to the same call.
    async fn second_response<S>(&self, call: &DryRunCall, primary: &S) -> Option<DryRunResponse>
    where
        S: Stage<CalendarCall, BackendResult>,
    {
        let _turn = self.doubling.acquire().await.ok()?;
        let answer = primary.call(call.again()).await;
        let answer = self.comparable(&answer).ok()?;
        Some(call.present(answer, &self.primary).await)
    }

    fn skipped(&self, call: &DryRunCall, skip: CopySkip) {
        self.findings.skip(Some(call.operation), skip.into());
        self.migration.metrics().skipped(&self.backend, skip);
        self.migration.keep_findings();
    }
}
