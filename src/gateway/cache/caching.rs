//! Reads that were asked before: answered without the site, or together with the others who ask.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::filling::{Filling, Landing, Question};
use super::served::{self, CacheReport};
use crate::cache::{Cache, Flights, KeptAnswer, Lookup, Progress, Seat};
use crate::companion::Companions;
use crate::gateway::Parts;
use crate::gateway::Shared;
use crate::gateway::calls::{CalendarCall, CallResponse};
use crate::gateway::migration::route::CallRoute;
use crate::gateway::stage::Stage;
use crate::server::Drain;
use crate::telemetry::since_1970;
use calendar_edge_core::cache::{
    Asked, Bypass, CacheOutcome, CachePolicy, CacheableCall, KeySpace, ReachedBy, Serving,
};
use calendar_edge_core::settings::Settings;

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
    pub(in crate::gateway) fn new(inner: S, parts: &Parts, settings: &Settings, shared: &Shared) -> Self {
        Self {
            filling: Arc::new(Filling::new(inner, parts, settings, shared)),
            cache: shared.cache.clone(),
            policy: CachePolicy::new(settings),
            keys: KeySpace::new(settings),
            flights: Flights::default(),
            drain: shared.drain.clone(),
            served: CacheReport::new(settings, shared),
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

    fn question(&self, cacheable: CacheableCall<'_>, call: &CalendarCall) -> Question {
        let reached = ReachedBy {
            public_base: &call.client.public_base,
            namespace: call.client.namespace.as_deref(),
        };
        let keys = self.keys(&call.route);
        let key = || Arc::from(keys.key(cacheable, reached));
        Question {
            key: match &call.known {
                Some(known) if keys.is_of_calls_alone() && call.route.cutover().is_none() => known.key(key),
                _ => key(),
            },
            operation: cacheable.call().operation().name.as_str(),
            if_none_match: call.if_none_match.clone(),
        }
    }

    async fn answer(&self, question: Question, call: CalendarCall) -> CallResponse {
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
        question: Question,
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
        let outcome = match self.while_busy(older.as_deref()) {
            Some(stale) => match flight.outcome(Patience::Queue).await {
                QuestionEnd::Queued => match older.as_deref().filter(|older| self.cache.holds(older)) {
                    Some(older) => {
                        return self
                            .served
                            .kept(older, &question, CacheOutcome::Busy(stale), since_1970());
                    }
                    None => flight.outcome(Patience::End).await,
                },
                outcome => outcome,
            },
            None => flight.outcome(Patience::End).await,
        };
        match outcome {
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

    async fn ask_alone(&self, call: CalendarCall, question: &Question) -> CallResponse {
        let asked = Asked {
            collapsed: false,
            kept: None,
        };
        let response = self.inner(call).await;
        self.served.relayed(response, question, CacheOutcome::Miss(asked))
    }

    /// Takes a seat for the question, and asks the site if nobody does.
    fn board(&self, question: &Question, call: &CalendarCall, older: Option<&Arc<KeptAnswer>>) -> OwnPlace {
        match self.flights.board(&question.key, self.cache.generation()) {
            Seat::Follower(progress) => OwnPlace {
                progress,
                is_leader: false,
            },
            Seat::Leader(leader) => {
                let progress = leader.progress();
                let filling = Arc::clone(&self.filling);
                self.drain
                    .spawn(filling.fill(leader, call.for_everybody(), older.cloned()));
                OwnPlace {
                    progress,
                    is_leader: true,
                }
            }
        }
    }

    /// An older answer in place of a failure, if there is one that nothing has removed meanwhile.
    fn on_error(&self, older: Option<&KeptAnswer>, question: &Question) -> Option<CallResponse> {
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

    /// For how long an older answer is stale, if it may be served while the question waits.
    fn while_busy(&self, older: Option<&KeptAnswer>) -> Option<Duration> {
        let now = since_1970();
        let older = older.filter(|older| older.filled().may_be_stale(now))?;
        match self.cache.serving(older, now) {
            Serving::Behind(stale) | Serving::OnError(stale) => Some(stale),
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
        let question = match self.policy.judge(&call.call) {
            Some(Ok(cacheable)) => self.question(cacheable, &call),
            // Such operations have no cache to speak of.
            None | Some(Err(Bypass::Disabled | Bypass::SwitchedOff)) => {
                return self.inner(call).await;
            }
            Some(Err(bypass)) => {
                let operation = call.operation();
                let response = self.inner(call).await;
                return self.served.bypassed(response, operation, bypass);
            }
        };
        self.answer(question, call).await
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
