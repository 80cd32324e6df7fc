//! The call bound to its backend: written, sent, and its response checked.

use std::sync::Arc;
use std::time::Instant;

use http::header::CACHE_CONTROL;
use http::{HeaderValue, Response, StatusCode};

use super::calendar_call::CalendarCall;
use super::call_failure::{BackendResult, CallFailure};
use super::fault;
use super::stage::Stage;
use crate::backend::{Backend, Backends, BreakerGuard, ExchangeFailure, OriginBody, Outgoing, SiteIndexes};
use crate::companion::Companions;
use crate::telemetry::ExchangeTimer;
use calendar_edge_core::limits::Health;
use calendar_edge_core::relay::{AcceptedResponse, CallContext, RelayRules, accept};
use calendar_edge_core::settings::OriginSettings;
use calendar_edge_judge::problem::Problem;

/// The end of a call's way through the edge.
#[derive(Debug)]
pub(crate) struct Dispatch {
    backends: Arc<Backends>,
    rules: Arc<RelayRules>,
    /// The companion plugins of the site's roots, which count its changes.
    companions: Option<Arc<Companions>>,
    /// Read anew when the site does not have the namespace of a call; none where the settings name it.
    indexes: Option<SiteIndexes>,
}

// === impl Dispatch ===

impl Dispatch {
    pub(crate) fn new(backends: &Arc<Backends>, rules: &Arc<RelayRules>) -> Self {
        Self {
            backends: Arc::clone(backends),
            rules: Arc::clone(rules),
            companions: None,
            indexes: None,
        }
    }

    /// Notes the signs of companion plugins in responses, if the settings have a secret.
    ///
    /// Without one there are no messages, and the count alone comes too late.
    pub(crate) fn with_companions(self, site: &OriginSettings, companions: &Arc<Companions>) -> Self {
        let companions = site.mark_key.is_some().then(|| companions.clone());
        Self { companions, ..self }
    }

    /// Has the namespaces requested from the site when it does not have that of a call, unless the settings name it.
    pub(crate) fn with_indexes(self, site: &OriginSettings, indexes: &SiteIndexes) -> Self {
        let indexes = (!site.namespace.is_set()).then(|| indexes.clone());
        Self { indexes, ..self }
    }

    /// Sends a call, and notes the sign of the site's companion plugin in its response.
    async fn exchange(
        &self,
        backend: &Backend,
        call: &CalendarCall,
        outgoing: Outgoing<'_>,
    ) -> Result<(Response<OriginBody>, BreakerGuard), ExchangeFailure> {
        let root = self.rules.urls.dialled(call.call.request().root);
        let asked = self.companions.as_ref().zip(root);
        let asked = asked.map(|(companions, root)| (companions, root, companions.begin_exchange(root)));
        let (mut response, guard) = backend.exchange(outgoing, call.call.operation_name()).await?;
        if let Some((companions, root, start)) = asked
            && companions.take_head(root, start, response.status(), response.headers())
        {
            // A cache between the edge and the site kept it: it must not be kept once more.
            let headers = response.headers_mut();
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        Ok((response, guard))
    }

    /// Sends a call, with the identity of its caller where the backend gets one instead of credentials.
    pub(crate) async fn send(&self, call: CalendarCall, identity: Option<HeaderValue>) -> BackendResult {
        // Last of all: until here the call is the same for every backend.
        let identified = identity.map(|identity| call.client.forwarded.clone().identified(identity));
        let forwarded = identified.as_ref().unwrap_or(&call.client.forwarded);
        let backend = self.backends.for_call(&call.call);
        let mut outgoing = backend.write(&call.call, forwarded)?;
        outgoing.watch.clone_from(&call.queue);
        let context = CallContext::of_call(&call.call, outgoing.target());
        self.exchange_checked(&call, outgoing, &context).await
    }

    /// Sends a request that belongs to a call, but is not a call of the calendar.
    pub(crate) async fn send_about(&self, call: &CalendarCall, outgoing: Outgoing<'_>) -> BackendResult {
        let context = CallContext::of_own_request(call.call.request().root, outgoing.target());
        self.exchange_checked(call, outgoing, &context).await
    }

    async fn exchange_checked(
        &self,
        call: &CalendarCall,
        mut outgoing: Outgoing<'_>,
        context: &CallContext,
    ) -> BackendResult {
        let backend = self.backends.for_call(&call.call);
        outgoing.log.clone_from(&call.client.log);
        // Until the response is checked, for which most are read whole.
        let _timer = ExchangeTimer::new(&call.client.log);
        let started = Instant::now();
        let answer = self.exchange(backend, call, outgoing).await;
        let answer = answer.inspect_err(|failure| backend.failed(failure.fault(), started.elapsed()));
        let (response, guard) = answer?;
        match accept(response, context, &self.rules).await {
            Ok(accepted) => {
                guard.report(Health::Alive);
                backend.responded(accepted.status(), started.elapsed());
                if let Some(indexes) = self.indexes.as_ref().filter(|_| is_without_route(&accepted)) {
                    indexes.name.want();
                }
                Ok(accepted)
            }
            Err(failure) => {
                backend.failed(fault::of_site(&failure), started.elapsed());
                if let Some(health) = fault::health(&failure) {
                    guard.report(health);
                }
                Err(CallFailure::Unsound(failure))
            }
        }
    }
}

impl Stage<CalendarCall, BackendResult> for Dispatch {
    async fn call(&self, call: CalendarCall) -> BackendResult {
        self.send(call, None).await
    }
}

/// Returns true if the site has no route for a call, as under a namespace that it does not have.
fn is_without_route(accepted: &AcceptedResponse<OriginBody>) -> bool {
    let body = accepted
        .whole_body()
        .filter(|_| accepted.status() == StatusCode::NOT_FOUND);
    let code = Problem::NoRoute.code().as_bytes();
    body.is_some_and(|body| body.windows(code.len()).any(|window| window == code))
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::super::fake_backend::FakeBackend;
    use super::super::fake_stage::{self, backends, read, rules};
    use super::*;
    use calendar_edge_core::settings::{OriginNamespace, Settings};

    const JSON: &str = "application/json; charset=UTF-8";
    const NO_ROUTE: &str = r#"{"code":"rest_no_route","message":"No.","data":{"status":404}}"#;
    const NO_EVENT: &str = r#"{"code":"event-not-found","message":"No.","data":{"status":404}}"#;

    fn before(site: &FakeBackend) -> Settings {
        let mut settings = fake_stage::settings();
        settings.origin.url = site.url.clone();
        settings.roots[0].origin_url = site.url.clone();
        settings.origin.namespace = OriginNamespace::listed("tribe/events/v1");
        settings
    }

    /// The outcome of a read before a site with this response.
    async fn outcome(status: u16, kind: &str, body: &str, indexes: &SiteIndexes) -> BackendResult {
        let site = FakeBackend::responding(status, kind, body).await;
        let settings = before(&site);
        let dispatch = Dispatch::new(&backends(&settings), &Arc::new(rules(&settings)));
        let dispatch = dispatch.with_indexes(&settings.origin, indexes);
        let result = dispatch.call(read(&settings, "/events/56")).await;
        assert_eq!(site.requests(), 1);
        result
    }

    #[tokio::test]
    async fn no_stage_gets_a_response_that_was_not_checked() {
        let indexes = SiteIndexes::default();
        let sound = outcome(200, JSON, "{}", &indexes).await.expect("a response");
        assert_eq!(sound.whole_body().as_deref(), Some(&b"{}"[..]));
        for (kind, body) in [("text/html", "<p>"), (JSON, r#"{"id":"#)] {
            let unsound = outcome(200, kind, body, &indexes).await;
            assert!(
                matches!(unsound, Err(CallFailure::Unsound(_))),
                "{kind}: {unsound:?}"
            );
        }
    }

    #[tokio::test]
    async fn a_call_without_a_route_has_the_site_asked_for_its_namespaces() {
        for (status, body, is_wanted) in [(404, NO_ROUTE, true), (404, NO_EVENT, false), (200, "{}", false)] {
            let indexes = SiteIndexes::default();
            let response = outcome(status, JSON, body, &indexes).await;
            assert_eq!(response.expect("a response").status(), status);
            let wanted = indexes.name.wanted().now_or_never();
            assert_eq!(wanted.is_some(), is_wanted, "{body}");
        }
    }
}
