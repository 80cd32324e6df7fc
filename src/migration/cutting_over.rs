//! Calls that other backends serve, and the way back of reads that fail there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::began_body::watched;
use super::cutover::Cutovers;
use super::metrics::CutoverResponse;
use super::rule_state::RuleState;
use crate::calls::{CalendarCall, CallFailure, CallResponse, CallRoute, Stage, deadline, fault};
use crate::telemetry::Warnings;
use calendar_edge_core::migration::cutover::{CutoverCall, CutoverPlan, Placer};
use calendar_edge_core::settings::{BackendSettings, Settings};

/// Decides which backend serves a call.
///
/// It stands above the cache, whose keys name the backend: a response of one backend never goes to clients of another.
#[derive(Debug)]
pub(crate) struct CuttingOver<S> {
    pub(crate) inner: S,
    pub(crate) warnings: Warnings,
    /// None without a rule.
    pub(crate) rules: Option<CutoverRules>,
}

/// The rules, and the state that their decisions depend on.
#[derive(Debug)]
pub(crate) struct CutoverRules {
    plan: CutoverPlan,
    cutovers: Cutovers,
    placer: Arc<Placer>,
    /// The time for a read with its fallback.
    longest_read: Duration,
}

// === impl CuttingOver ===

impl<S: Stage<CalendarCall, CallResponse>> CuttingOver<S> {
    /// Sends the call to the backend. A read that fails there, or has no response when its rule is returned, goes to
    /// the site; both within the time of one read.
    async fn send_to_backend(
        &self,
        call: CalendarCall,
        rule_state: &Arc<RuleState>,
        longest: Duration,
    ) -> CallResponse {
        let (started, client) = (Instant::now(), call.client.address);
        if call.call.is_write() {
            return watched(self.inner.call(call).await, rule_state, client);
        }
        let falls_back = call.may_fall_back();
        let again = CalendarCall {
            route: CallRoute::Primary,
            ..call.clone()
        };
        let response = tokio::select! {
            biased;
            response = self.inner.call(call) => Some(response),
            () = rule_state.returned() => None,
        };
        match response {
            Some(response)
                if !response.response.status().is_server_error()
                    || !(falls_back || rule_state.is_returned()) =>
            {
                watched(response, rule_state, client)
            }
            Some(_) | None => {
                let left = longest.saturating_sub(started.elapsed());
                self.send_to_site(again, rule_state, left).await
            }
        }
    }

    async fn send_to_site(&self, call: CalendarCall, rule_state: &RuleState, left: Duration) -> CallResponse {
        rule_state.served(CutoverResponse::Fallback);
        match timeout(left, self.inner.call(call)).await {
            Ok(response) => response,
            Err(_) => fault::call_failed(&CallFailure::Overdue, &self.warnings),
        }
    }
}

impl<S: Stage<CalendarCall, CallResponse>> Stage<CalendarCall, CallResponse> for CuttingOver<S> {
    async fn call(&self, call: CalendarCall) -> CallResponse {
        let Some(rules) = &self.rules else {
            return self.inner.call(call).await;
        };
        let (route, rule_state) = rules.route_of(&call);
        let call = CalendarCall { route, ..call };
        match rule_state {
            Some(rule_state) => Box::pin(self.send_to_backend(call, rule_state, rules.longest_read)).await,
            None => self.inner.call(call).await,
        }
    }
}

// === impl CutoverRules ===

impl CutoverRules {
    /// The rules of these settings; none without any.
    pub(crate) fn new(
        settings: &Settings,
        site: &BackendSettings,
        cutovers: &Cutovers,
        placer: Arc<Placer>,
    ) -> Option<Self> {
        Some(Self {
            plan: CutoverPlan::new(settings)?,
            cutovers: Arc::clone(cutovers),
            placer,
            longest_read: deadline::of_reads(&site.timeouts),
        })
    }

    /// The backend of the first rule about a call whose share has its client, and the state of that rule.
    fn route_of(&self, call: &CalendarCall) -> (CallRoute, Option<&Arc<RuleState>>) {
        let Some(operation) = call.call.operation() else {
            return (CallRoute::Primary, None);
        };
        let asked = CutoverCall {
            operation,
            root: call.call.request().root,
            is_personal: call.call.expects_privacy,
        };
        let mut excluded = CallRoute::Primary;
        for (index, rule) in self.plan.rules_about(asked) {
            let Some(Some(cutover)) = self.cutovers.get(index) else {
                continue;
            };
            let identity = call.call.credentials().identity();
            let place = self.placer.place(&rule.backend, call.client.address, identity);
            if cutover.rule_state.share().covers(place) {
                let route = CallRoute::Candidate(Arc::clone(&cutover.route));
                return (route, Some(&cutover.rule_state));
            }
            if matches!(excluded, CallRoute::Primary) {
                excluded = CallRoute::Excluded(index);
            }
        }
        (excluded, None)
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use tokio::time::{self, sleep};

    use super::super::fake_candidate::{MigratingEdge, NEXT, nowhere, return_calls, rule, settings};
    use super::*;
    use crate::calls::fake_stage::{EVENT, FakeStage, call, presented, read};
    use calendar_edge_core::settings::{CutoverRule, Percentage};

    type Below = FakeStage<CalendarCall, CallResponse>;

    struct UnderTest {
        stage: CuttingOver<Arc<Below>>,
        below: Arc<Below>,
        edge: MigratingEdge,
    }

    /// The stage with a rule, above one where the backend of the rule responds with a status after a time, and the site
    /// with 200 after another.
    fn cutting(rule: CutoverRule, status: u16, times: [Duration; 2]) -> UnderTest {
        let below = FakeStage::later(move |call: &CalendarCall| {
            let is_site = call.route.candidate().is_none();
            async move {
                sleep(times[usize::from(is_site)]).await;
                let status = if is_site { 200 } else { status };
                presented(StatusCode::from_u16(status).expect("a status"), "{}")
            }
        });
        let mut settings = settings(nowhere());
        settings.cutover.push(rule);
        let edge = MigratingEdge::new(settings);
        let placer = edge.others.migration.placer();
        let stage = CuttingOver {
            inner: Arc::clone(&below),
            warnings: Warnings::default(),
            rules: CutoverRules::new(&edge.settings, &edge.site, &edge.cutovers, placer),
        };
        UnderTest { stage, below, edge }
    }

    impl UnderTest {
        /// The status of the response to a read.
        async fn read(&self) -> u16 {
            let call = read(&self.edge.settings, "/events");
            self.stage.call(call).await.response.status().as_u16()
        }

        async fn write(&self) -> u16 {
            let call = call(&self.edge.settings, "PUT", "/events/56", EVENT);
            self.stage.call(call).await.response.status().as_u16()
        }

        /// The routes of the calls below, in order.
        fn routes(&self) -> Vec<String> {
            self.below.each(|call| match &call.route {
                CallRoute::Primary => "site".to_owned(),
                CallRoute::Excluded(rule) => format!("site, not by rule {rule}"),
                CallRoute::Candidate(candidate) => candidate.backend.clone(),
            })
        }
    }

    const AT_ONCE: [Duration; 2] = [Duration::ZERO; 2];

    fn falling_back() -> CutoverRule {
        CutoverRule {
            fallback: true,
            ..rule()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_read_that_fails_goes_to_the_site_if_its_rule_falls_back() {
        for (rule, status, seen, asked) in [
            (rule(), 200, 200, &[NEXT][..]),
            (rule(), 502, 502, &[NEXT]),
            (falling_back(), 200, 200, &[NEXT]),
            (falling_back(), 404, 404, &[NEXT]),
            (falling_back(), 502, 200, &[NEXT, "site"]),
        ] {
            let fallback = rule.fallback;
            let test = cutting(rule, status, AT_ONCE);
            assert_eq!(test.read().await, seen, "{status}, fallback = {fallback}");
            assert_eq!(test.routes(), asked, "{status}, fallback = {fallback}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_is_never_sent_to_both() {
        let test = cutting(falling_back(), 502, AT_ONCE);
        assert_eq!(test.write().await, 502);
        assert_eq!(test.routes(), [NEXT]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_no_share_has_stays_with_the_site() {
        let excluding = CutoverRule {
            share: Percentage::NONE,
            ..rule()
        };
        let test = cutting(excluding, 502, AT_ONCE);
        assert_eq!((test.read().await, test.write().await), (200, 200));
        assert_eq!(test.routes(), ["site, not by rule 0"; 2]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rule_that_is_returned_takes_its_reads_on_their_way_along() {
        let hour = Duration::from_hours(1);
        let test = cutting(rule(), 200, [hour, Duration::ZERO]);
        let rule_state = test.edge.rule_state();
        let returning = async {
            sleep(Duration::from_secs(1)).await;
            return_calls(&rule_state);
        };
        let started = time::Instant::now();
        let (status, ()) = tokio::join!(test.read(), returning);
        assert_eq!((status, started.elapsed()), (200, Duration::from_secs(1)));
        assert_eq!(test.routes(), [NEXT, "site"]);
        assert_eq!(test.below.ended(), 1, "the first is given up");
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_stays_with_the_backend_that_has_it() {
        let hour = Duration::from_hours(1);
        let test = cutting(rule(), 200, [hour, Duration::ZERO]);
        let rule_state = test.edge.rule_state();
        let returning = async {
            sleep(Duration::from_secs(1)).await;
            return_calls(&rule_state);
        };
        let (status, ()) = tokio::join!(test.write(), returning);
        assert_eq!((status, test.routes()), (200, vec![NEXT.to_owned()]));
    }

    #[tokio::test(start_paused = true)]
    async fn the_site_has_no_longer_than_a_read_to_follow() {
        let hour = Duration::from_hours(1);
        let test = cutting(falling_back(), 502, [Duration::ZERO, hour]);
        let started = time::Instant::now();
        assert_eq!(test.read().await, 504);
        assert!(started.elapsed() <= deadline::of_reads(&test.edge.site.timeouts));
    }
}
