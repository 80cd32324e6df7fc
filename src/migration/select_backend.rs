//! The end of a call's way: to the site, or to the backend of the rule that took the call.

use http::HeaderValue;
use tokio::time::timeout;

use super::cutover::{Cutover, Cutovers};
use super::metrics::CutoverResponse;
use crate::calls::{BackendResult, CalendarCall, CallFailure, CallRoute, Dispatch, Stage};
use calendar_edge_core::migration::cutover::RuleEvent;

/// Sends each call where its route leads, and reports the outcome to the guard of the rule.
#[derive(Debug)]
pub(crate) struct BackendSelection {
    /// The way to the site.
    pub(crate) primary: Dispatch,
    pub(crate) cutovers: Cutovers,
}

impl Stage<CalendarCall, BackendResult> for BackendSelection {
    async fn call(&self, call: CalendarCall) -> BackendResult {
        let rule = match &call.route {
            CallRoute::Primary => None,
            CallRoute::Excluded(rule) => Some(*rule),
            CallRoute::Candidate(candidate) => Some(candidate.rule),
        };
        match rule.and_then(|rule| self.cutovers.get(rule)?.as_ref()) {
            None => self.primary.call(call).await,
            Some(cutover) if call.route.candidate().is_some() => cutover.send_to_backend(call).await,
            Some(Cutover { rule_state, .. }) => {
                let result = self.primary.call(call).await;
                rule_state.served(CutoverResponse::Site);
                result
            }
        }
    }
}

// === impl Cutover ===

impl Cutover {
    async fn send_to_backend(&self, call: CalendarCall) -> BackendResult {
        // Before the guard counts for the backend: this request goes to the site.
        let identity = match self.way.identity(&call).await {
            Ok(identity) => identity,
            Err(answer) => return answer,
        };
        let client = call.client.address;
        let result = self.attempt(call, identity).await;
        self.rule_state.served(CutoverResponse::Backend);
        let event = match &result {
            Ok(accepted) => RuleEvent::of_response(accepted.effective_status(), accepted.is_streamed()),
            // Nothing was sent.
            Err(CallFailure::NotWritten(_)) => RuleEvent::Responded,
            Err(_) => RuleEvent::Failed,
        };
        self.rule_state.observe(event, client);
        result
    }

    /// Sends a call. One that may fall back leaves the site enough time for a response.
    async fn attempt(&self, call: CalendarCall, identity: Option<HeaderValue>) -> BackendResult {
        if call.may_fall_back() {
            let attempt = timeout(self.first_attempt, self.way.send(call, identity)).await;
            return attempt.unwrap_or(Err(CallFailure::Overdue));
        }
        self.way.send(call, identity).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use url::Url;

    use super::super::fake_candidate::{MigratingEdge, nowhere, rule, settings};
    use super::*;
    use crate::calls::fake_backend::FakeBackend;
    use crate::calls::fake_stage::{backends, read, rules};
    use calendar_edge_core::settings::{CutoverRule, GuardSettings, Settings};

    const JSON: &str = "application/json";

    /// The stage before a site, with a backend at this URL.
    fn selecting(
        site: &FakeBackend,
        next: Url,
        change: impl FnOnce(&mut Settings),
    ) -> (BackendSelection, MigratingEdge) {
        let mut settings = settings(next);
        settings.origin.url = site.url.clone();
        settings.roots[0].origin_url = site.url.clone();
        settings.cutover.push(CutoverRule {
            fallback: true,
            ..rule()
        });
        change(&mut settings);
        let edge = MigratingEdge::new(settings);
        let settings = &edge.settings;
        let selection = BackendSelection {
            primary: Dispatch::new(&backends(settings), &Arc::new(rules(settings))),
            cutovers: Arc::clone(&edge.cutovers),
        };
        (selection, edge)
    }

    /// A read on each route: to the site, to it past the rule, and by the rule.
    fn reads(edge: &MigratingEdge) -> [CalendarCall; 3] {
        let route = &edge.cutovers[0].as_ref().expect("a backend").route;
        let routes = [
            CallRoute::Primary,
            CallRoute::Excluded(0),
            CallRoute::Candidate(Arc::clone(route)),
        ];
        routes.map(|route| CalendarCall {
            route,
            ..read(&edge.settings, "/events/56")
        })
    }

    #[tokio::test]
    async fn each_route_leads_to_its_backend() {
        let site = FakeBackend::responding(200, JSON, "{}").await;
        let next = FakeBackend::responding(200, JSON, "{}").await;
        let (stage, edge) = selecting(&site, next.url.clone(), |_| {});
        for (call, requests) in reads(&edge).into_iter().zip([(1, 0), (2, 0), (2, 1)]) {
            let route = format!("{:?}", call.route);
            assert!(stage.call(call).await.is_ok(), "{route}");
            assert_eq!((site.requests(), next.requests()), requests, "{route}");
        }
        let answers = edge.others.migration.metrics().served_by();
        let answers: Vec<_> = answers.into_iter().filter(|(_, count)| *count > 0).collect();
        assert_eq!(
            answers.len(),
            2,
            "the rule counts its own and those that it leaves: {answers:?}"
        );
    }

    #[tokio::test]
    async fn the_guard_counts_failures_of_its_backend_alone() {
        let next = FakeBackend::responding(200, JSON, "{}").await;
        let failing = FakeBackend::responding(502, JSON, "{}").await;
        for (site, next, failed) in [(&failing, next.url.clone(), 0), (&next, nowhere(), 1)] {
            let guarded =
                |settings: &mut Settings| settings.cutover[0].guard = Some(GuardSettings::default());
            let (stage, edge) = selecting(site, next, guarded);
            for call in reads(&edge) {
                let _ = stage.call(call).await;
            }
            let counts = &edge.rule_state().to_json()["guard"];
            assert_eq!((&counts["calls"], &counts["failed"]), (&1.into(), &failed.into()));
        }
    }

    #[tokio::test]
    async fn a_read_that_may_fall_back_leaves_the_site_half_of_its_time() {
        let site = FakeBackend::silent().await;
        let quick = |settings: &mut Settings| settings.timeouts.origin_read = Duration::from_millis(200);
        let (stage, edge) = selecting(&site, site.url.clone(), quick);
        let [_, _, by_rule] = reads(&edge);
        let started = Instant::now();
        let result = stage.call(by_rule).await;
        let elapsed = started.elapsed();
        assert!(matches!(result, Err(CallFailure::Overdue)), "{result:?}");
        assert!(
            elapsed >= Duration::from_millis(100) && elapsed < Duration::from_millis(200),
            "{elapsed:?}"
        );
    }
}
