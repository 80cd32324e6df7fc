//! Reads that were asked before: answered without the site, or together with the others who ask.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::fetch::{Filling, Landing, Question};
use super::served::{self, CacheReport};
use crate::cache::{Cache, Flights, KeptAnswer, Lookup, Progress, Seat};
use crate::companion::Companions;
use crate::gateway::Parts;
use crate::gateway::Shared;
use crate::gateway::calls::{CalendarCall, CallResponse, JudgedCall};
use crate::gateway::migration::route::CallRoute;
use crate::gateway::stage::Stage;
use crate::server::Drain;
use crate::telemetry::since_1970;
use calendar_edge_core::cache::{
    Asked, Bypass, CacheOutcome, CachePolicy, CacheableCall, KeySpace, ReachedBy, Serving,
};
use calendar_edge_core::settings::CacheSettings;

/// Answers reads from the cache.
///
/// It takes judged calls: a [`CacheableCall`] can only be made of a call that passed every rule.
#[derive(Debug)]
pub(in crate::gateway) struct Caching<S> {
    filling: Arc<Filling<S>>,
    cache: Cache,
    policy: CachePolicy,
    keys: KeySpace,
    flights: Flights<Landing>,
    drain: Drain,
    served: CacheReport,
    companions: Companions,
}

/// The question of one client on its way.
struct OwnPlace {
    progress: watch::Receiver<Progress<Landing>>,
    is_leader: bool,
}

/// What a client waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// The end of its question.
    End,
    /// The same, or that the question has to wait until the site can be asked.
    Queue,
}

/// What became of the question of one client.
enum QuestionEnd {
    /// It has ended.
    Landed(Landing),
    /// It waits until the site can be asked.
    Queued,
    /// Nobody asks it any more.
    Lost,
}

// === impl Caching ===

impl<S> Caching<S>
where
    S: Stage<CalendarCall, Response = CallResponse>,
{
    pub(in crate::gateway) fn new(inner: S, parts: &Parts, cache: &CacheSettings, shared: &Shared) -> Self {
        Self {
            filling: Arc::new(Filling::new(inner, parts, cache, shared)),
            cache: shared.cache.clone(),
            policy: parts.cache.clone(),
            keys: KeySpace::new(&parts.site),
            flights: Flights::default(),
            drain: shared.drain.clone(),
            served: CacheReport::new(cache, shared),
            companions: shared.companions.clone(),
        }
    }

    /// The stages below; behind a pointer, because answers from the cache do not need them.
    async fn inner(&self, call: CalendarCall) -> CallResponse {
        Box::pin(self.filling.inner().call(call)).await
    }

    /// The keys of answers of whoever answers.
    fn keys<'a>(&'a self, route: &'a CallRoute) -> &'a KeySpace {
        route.cutover().map_or(&self.keys, |cutover| &cutover.keys)
    }

    fn question<'c>(&self, cacheable: CacheableCall<'c>, call: &CalendarCall) -> Question<'c> {
        let reached = ReachedBy {
            public_base: &call.client.context.public_base,
            namespace: call.client.context.namespace.as_deref(),
        };
        let keys = self.keys(&call.route);
        let key = || Arc::from(keys.key(cacheable, reached));
        Question {
            key: if keys.is_of_calls_alone() && call.route.cutover().is_none() {
                call.call.key(key)
            } else {
                key()
            },
            call: cacheable,
            if_none_match: call.client.if_none_match.clone(),
        }
    }

    async fn answer(&self, question: Question<'_>, call: CalendarCall) -> CallResponse {
        let now = since_1970();
        match self.cache.find(&question.key, now) {
            Lookup::Kept(kept, Serving::Fresh(left)) => {
                self.served.kept(&kept, &question, CacheOutcome::Hit(left), now)
            }
            Lookup::Kept(kept, Serving::Behind(stale)) => {
                drop(self.board(&question, &call, Some(&kept)));
                self.served
                    .kept(&kept, &question, CacheOutcome::Stale(stale), now)
            }
            Lookup::Kept(kept, _) => Box::pin(self.ask(question, call, Some(kept))).await,
            Lookup::Nothing => Box::pin(self.ask(question, call, None)).await,
        }
    }

    /// Asks the site, or waits for somebody who does. `older` is an answer that may be served if the site fails.
    async fn ask(
        &self,
        question: Question<'_>,
        call: CalendarCall,
        older: Option<Arc<KeptAnswer>>,
    ) -> CallResponse {
        let mut flight = self.board(&question, &call, older.as_ref());
        // What the site says now is better than what a failed backend said before.
        let falls_back = call.may_fall_back();
        let collapsed = !flight.is_leader;
        let asked = |kept: Option<Duration>| {
            let asked = Asked { collapsed, kept };
            match older {
                Some(_) => CacheOutcome::Revalidated(asked),
                None => CacheOutcome::Miss(asked),
            }
        };
        if let Some((older, stale)) = self.while_busy(older.as_deref())
            && matches!(flight.outcome(Patience::Queue).await, QuestionEnd::Queued)
            && self.cache.holds(older)
        {
            let busy = CacheOutcome::Busy(stale);
            return self.served.kept(older, &question, busy, since_1970());
        }
        match flight.outcome(Patience::End).await {
            QuestionEnd::Landed(Landing::Kept(kept)) => {
                let now = since_1970();
                // What a change overtook on its way is not kept.
                let left = self.cache.holds(&kept).then(|| self.left(&kept, now));
                self.served.kept(&kept, &question, asked(left), now)
            }
            QuestionEnd::Landed(Landing::Failed(failed)) => {
                match self.on_error(older.as_deref().filter(|_| !falls_back), &question) {
                    Some(response) => response,
                    None => self.served.plain(&failed, &question, asked(None)),
                }
            }
            QuestionEnd::Landed(Landing::Alone(response)) if !collapsed => match served::take(&response) {
                Some(response) => self.served.relayed(response, &question, asked(None)),
                None => self.ask_alone(call, &question).await,
            },
            // Another client's answer, or none: this one asks for itself.
            QuestionEnd::Landed(Landing::Alone(_)) | QuestionEnd::Queued | QuestionEnd::Lost => {
                self.ask_alone(call, &question).await
            }
        }
    }

    async fn ask_alone(&self, call: CalendarCall, question: &Question<'_>) -> CallResponse {
        let asked = Asked {
            collapsed: false,
            kept: None,
        };
        let response = self.inner(call).await;
        self.served.relayed(response, question, CacheOutcome::Miss(asked))
    }

    /// Takes a seat for the question, and asks the site if nobody does.
    fn board(
        &self,
        question: &Question<'_>,
        call: &CalendarCall,
        older: Option<&Arc<KeptAnswer>>,
    ) -> OwnPlace {
        match self.flights.board(&question.key, self.cache.generation()) {
            Seat::Follower(progress) => OwnPlace {
                progress,
                is_leader: false,
            },
            Seat::Leader(leader) => {
                let progress = leader.progress();
                let filling = Arc::clone(&self.filling);
                let by_get = question.call.for_everybody();
                let call =
                    by_get.map_or_else(|| call.clone(), |get| call.asking(Arc::new(JudgedCall::new(get))));
                self.drain.spawn(filling.fill(leader, call, older.cloned()));
                OwnPlace {
                    progress,
                    is_leader: true,
                }
            }
        }
    }

    /// An older answer in place of a failure, if there is one that nothing has removed meanwhile.
    fn on_error(&self, older: Option<&KeptAnswer>, question: &Question<'_>) -> Option<CallResponse> {
        let older = older.filter(|older| self.cache.holds(older))?;
        let now = since_1970();
        let stale = match self.cache.serving(older, now) {
            Serving::Fresh(_) => Duration::ZERO,
            Serving::Behind(stale) | Serving::OnError(stale) => stale,
            Serving::Expired => return None,
        };
        Some(
            self.served
                .kept(older, question, CacheOutcome::OnError(stale), now),
        )
    }

    /// An older answer that may be served while the question waits, and for how long it is stale.
    fn while_busy<'k>(&self, older: Option<&'k KeptAnswer>) -> Option<(&'k KeptAnswer, Duration)> {
        let now = since_1970();
        let older = older.filter(|older| older.filled().may_be_stale(now))?;
        match self.cache.serving(older, now) {
            Serving::Behind(stale) | Serving::OnError(stale) => Some((older, stale)),
            Serving::Fresh(_) | Serving::Expired => None,
        }
    }

    fn left(&self, kept: &KeptAnswer, now: Duration) -> Duration {
        match self.cache.serving(kept, now) {
            Serving::Fresh(left) => left,
            Serving::Behind(_) | Serving::OnError(_) | Serving::Expired => Duration::ZERO,
        }
    }
}

impl<S> Stage<CalendarCall> for Caching<S>
where
    S: Stage<CalendarCall, Response = CallResponse>,
{
    type Response = CallResponse;

    async fn call(&self, call: CalendarCall) -> CallResponse {
        self.companions.called();
        let judged = Arc::clone(&call.call);
        match self.policy.judge(&judged) {
            Some(Ok(cacheable)) => self.answer(self.question(cacheable, &call), call).await,
            // Such operations have no cache to speak of.
            None | Some(Err(Bypass::Disabled | Bypass::SwitchedOff)) => self.inner(call).await,
            Some(Err(bypass)) => {
                let response = self.inner(call).await;
                self.served.bypassed(response, judged.operation_name(), bypass)
            }
        }
    }
}

// === impl OwnPlace ===

impl OwnPlace {
    /// What became of the question for this client.
    ///
    /// The leader hears of the first failure, the others of the second: one failure does not fail them all, and a site
    /// that fails is not asked once for each.
    async fn outcome(&mut self, patience: Patience) -> QuestionEnd {
        loop {
            match &*self.progress.borrow_and_update() {
                Progress::Landed(landing) => return QuestionEnd::Landed(landing.clone()),
                Progress::FailedOnce(landing) if self.is_leader => {
                    return QuestionEnd::Landed(landing.clone());
                }
                Progress::Queued if patience == Patience::Queue => return QuestionEnd::Queued,
                Progress::Asking | Progress::Queued | Progress::FailedOnce(_) => {}
            }
            if self.progress.changed().await.is_err() {
                return QuestionEnd::Lost;
            }
        }
    }
}
