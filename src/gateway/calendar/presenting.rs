//! A backend's response, written for the client that requested it.

use std::sync::Arc;

use http_body_util::BodyExt;

use crate::backend::OriginBody;
use crate::calls::{BackendResult, CalendarCall, CallResponse, Stage, fault};
use crate::layers::{EdgeResponse, ResponseFacts};
use crate::server::response::ResponseSource;
use crate::telemetry::{SiteVerdict, TranslationMetrics, Warnings, unix_time};
use calendar_edge_core::cache::{StatedLife, Storable};
use calendar_edge_core::limits::rates::Login;
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::relay::{AcceptedResponse, ClientContext, RelayRules, present, translate};

/// Turns accepted responses and failures into the client's response.
///
/// Everything below is independent of the client: a response kept there can be presented to many.
#[derive(Debug)]
pub(in crate::gateway) struct Presenting<S> {
    pub(in crate::gateway) inner: S,
    pub(in crate::gateway) rules: Arc<RelayRules>,
    pub(in crate::gateway) warnings: Warnings,
    pub(in crate::gateway) translations: TranslationMetrics,
    /// Without a cache no response is searched for what must not be stored.
    pub(in crate::gateway) has_cache: bool,
}

// === impl Presenting ===

impl<S> Presenting<S> {
    fn present(
        &self,
        accepted: AcceptedResponse<OriginBody>,
        client: &ClientContext,
        login: Login,
    ) -> CallResponse {
        let audience = client.audience;
        let (storable, stated) = if self.has_cache {
            storable(&accepted, audience)
        } else {
            (Storable::No, StatedLife::default())
        };
        let (accepted, rows) = translate(accepted, &self.rules);
        self.translations.met(&rows);
        let response = present(accepted, client, &self.rules);
        CallResponse {
            response: EdgeResponse {
                response: response.map(|body| body.map_err(Into::into).boxed_unsync()),
                facts: ResponseFacts::Calendar {
                    by: ResponseSource::Backend,
                    audience,
                    codings: None,
                },
            },
            storable,
            stated,
            site: None,
            stored: None,
            login,
        }
    }
}

/// The permission to store a response, by its headers and its body, and the lifetime that the site states.
fn storable(accepted: &AcceptedResponse<OriginBody>, audience: Audience) -> (Storable, StatedLife) {
    let stated = StatedLife::of(accepted.headers(), unix_time());
    let storable = Storable::of(accepted.status(), accepted.headers(), stated);
    let storable = match accepted.whole_body() {
        Some(body) if audience == Audience::Public => storable.with_body(&body),
        _ => storable,
    };
    (storable, stated)
}

impl<S: Stage<CalendarCall, BackendResult>> Stage<CalendarCall, CallResponse> for Presenting<S> {
    async fn call(&self, call: CalendarCall) -> CallResponse {
        let (client, route) = (Arc::clone(&call.client), call.route.clone());
        let warnings = || {
            let candidate = route.candidate().map(|candidate| candidate.backend.as_str());
            self.warnings.about(candidate)
        };
        let is_waived = call.call.waiver().is_some();
        let is_write = call.call.is_write();
        match self.inner.call(call).await {
            Ok(accepted) => {
                let site = is_waived.then(|| verdict(&accepted));
                let login = login(&accepted, client.context.audience, is_write);
                if accepted.had_byte_order_mark() {
                    fault::byte_order_mark(&warnings());
                }
                let response = self.present(accepted, &client.context, login);
                CallResponse { site, ..response }
            }
            Err(failure) => fault::call_failed(&failure, &warnings()),
        }
    }
}

/// The response of the site as report mode counts it.
fn verdict(accepted: &AcceptedResponse<OriginBody>) -> SiteVerdict {
    let status = accepted.effective_status().unwrap_or(accepted.status());
    SiteVerdict::new(status.as_u16(), accepted.error_code())
}

/// The result of the client's login, as a response shows it.
fn login(accepted: &AcceptedResponse<OriginBody>, audience: Audience, is_write: bool) -> Login {
    match audience {
        Audience::Public => Login::NotRefused,
        Audience::OneClient => {
            Login::shown_by(accepted.effective_status(), || accepted.error_code(), is_write)
        }
    }
}

#[cfg(test)]
#[expect(
    clippy::result_large_err,
    reason = "stages return the same result from a future"
)]
mod tests {
    use http::StatusCode;

    use super::*;
    use crate::calls::CallFailure;
    use crate::calls::fake_stage::{self, EVENT, FakeStage, call, read, responded};
    use crate::telemetry::Metrics;
    use calendar_edge_core::settings::{Mode, Settings};

    const RAW: &str = r#"{"rest_url":"http:\/\/wp.example\/wp-json\/tribe\/events\/v1\/events\/56"}"#;
    const PUBLIC: &str = r#"{"rest_url":"https:\/\/events.example\/wp-json\/tribe\/events\/v1\/events\/56"}"#;

    fn settings() -> Settings {
        let mut settings = fake_stage::settings();
        settings.namespaces = vec!["tribe/events/v1".to_owned()];
        settings
    }

    /// The response above the stage to one below it.
    async fn presented(
        call: CalendarCall,
        has_cache: bool,
        respond: impl Fn(&CalendarCall) -> BackendResult + Send + Sync + 'static,
    ) -> CallResponse {
        let stage = Presenting {
            inner: FakeStage::at_once(respond),
            rules: Arc::new(fake_stage::rules(&settings())),
            warnings: Warnings::default(),
            translations: Metrics::new().translations().clone(),
            has_cache,
        };
        stage.call(call).await
    }

    #[tokio::test]
    async fn what_is_raw_below_is_public_above() {
        let call = read(&settings(), "/events/56");
        let response = presented(call, true, |call| {
            let raw = responded(call, StatusCode::OK, RAW);
            let body = raw.as_ref().ok().and_then(AcceptedResponse::whole_body);
            assert_eq!(body.as_deref(), Some(RAW.as_bytes()));
            raw
        })
        .await;
        assert_eq!(response.storable, Storable::Yes);
        let body = response.response.response.into_body().collect().await;
        let body = body.expect("a body").to_bytes();
        assert_eq!(String::from_utf8_lossy(&body), PUBLIC);
    }

    #[tokio::test]
    async fn without_a_cache_no_response_is_storable() {
        let call = read(&settings(), "/events/56");
        let response = presented(call, false, |call| responded(call, StatusCode::OK, RAW)).await;
        assert_eq!(response.storable, Storable::No);
    }

    #[tokio::test]
    async fn a_failure_becomes_a_response_that_proves_no_login() {
        let call = call(&settings(), "POST", "/events", EVENT);
        let response = presented(call, true, |_| Err(CallFailure::Overdue)).await;
        assert_eq!(response.response.status(), StatusCode::GATEWAY_TIMEOUT);
        assert_eq!(
            (response.login, response.storable),
            (Login::Unproven, Storable::Failure)
        );
    }

    #[tokio::test]
    async fn a_write_proves_the_login_of_its_client() {
        let call = call(&settings(), "POST", "/events", EVENT);
        let response = presented(call, true, |call| responded(call, StatusCode::CREATED, RAW)).await;
        assert_eq!(response.login, Login::Written);
        let audience = response.response.facts.audience();
        assert_eq!(audience, Some(Audience::OneClient));
    }

    #[tokio::test]
    async fn the_verdict_of_the_site_counts_for_calls_that_no_rule_has_passed() {
        let mut report = settings();
        report.mode = Mode::Report;
        for (settings, path, counts) in [
            (settings(), "/events", false),
            (report.clone(), "/events", false),
            (report, "/events?page=none", true),
        ] {
            let call = read(&settings, path);
            let response = presented(call, true, |call| responded(call, StatusCode::OK, "{}")).await;
            assert_eq!(response.site.is_some(), counts, "{path} {:?}", settings.mode);
        }
    }
}
