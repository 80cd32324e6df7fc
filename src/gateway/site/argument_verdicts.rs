//! The arguments of requests to the site's other routes, judged by its contract; the site's answers show whether that is right.

use std::future::Future;
use std::io::Read;
use std::sync::Arc;

use flate2::read::GzDecoder;
use http::StatusCode;
use http::header::CONTENT_ENCODING;
use url::Url;

use super::body_start::BodyStart;
use crate::companion::SiteContracts;
use crate::gateway::{Parts, Shared};
use crate::layers::{AskedRequest, EdgeResponse, ResponseFacts};
use crate::telemetry::{SchemaDisagreement, SurfaceMetrics, Warnings, unix_time};
use calendar_edge_core::companion::site_contract::{
    JudgedSiteRequest, SITE_ANSWER_BYTES, SiteContract, SiteOutcome, SiteRequest, code_of,
};
use calendar_edge_core::gateway::decision::Decider;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::wordpress::payload::ContentHeaders;
use calendar_edge_judge::wordpress::schema::ArgumentsVerdict;

/// Judges requests beside the site, and counts how often the site agrees. No request is refused.
#[derive(Debug)]
pub(in crate::gateway) struct ArgumentVerdicts {
    decider: Arc<Decider>,
    /// By the positions of the roots.
    roots: Vec<Url>,
    contracts: SiteContracts,
    metrics: SurfaceMetrics,
    warnings: Warnings,
}

/// The part of a request's body that was read.
#[derive(Debug, Clone, Copy)]
pub(in crate::gateway) enum ReadBody<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// It streams to the site.
    Streamed,
}

/// The header that names another method, which WordPress obeys.
const OVERRIDE: &str = "x-http-method-override";

// === impl ArgumentVerdicts ===

impl ArgumentVerdicts {
    /// None unless the settings ask for it.
    pub(in crate::gateway) fn new(settings: &Settings, shared: &Shared, parts: &Parts) -> Option<Self> {
        let contracts = shared.companions.contracts();
        contracts.adapt(settings);
        settings.measure_schemas.then(|| Self {
            decider: Arc::clone(&parts.decider),
            roots: parts
                .site
                .roots
                .iter()
                .map(|root| root.origin_url.clone())
                .collect(),
            contracts: contracts.clone(),
            metrics: shared.metrics.surface().clone(),
            warnings: parts.warnings.clone(),
        })
    }

    /// Judges a request, waits for its answer, and compares the two.
    pub(in crate::gateway) async fn compare(
        &self,
        asked: &AskedRequest,
        body: ReadBody<'_>,
        answer: impl Future<Output = EdgeResponse>,
    ) -> EdgeResponse {
        let judged = self.judge(asked, body);
        let mut answer = answer.await;
        let (Some(judged), ResponseFacts::Unchanged) = (judged, &answer.facts) else {
            return answer;
        };
        let start = if answer.status() == StatusCode::BAD_REQUEST {
            BodyStart::read(&mut answer, SITE_ANSWER_BYTES + 1).await
        } else {
            BodyStart::default()
        };
        let said = start.is_whole.then(|| plain(&answer, &start.bytes)).flatten();
        let outcome = judged.outcome(answer.status(), said.as_deref());
        self.metrics.judged(&judged.namespace, outcome);
        if outcome == SiteOutcome::Disagree {
            self.tell(asked, &judged, answer.status(), said.as_deref().and_then(code_of));
        }
        start.back_into(answer)
    }

    fn judge(&self, asked: &AskedRequest, body: ReadBody<'_>) -> Option<JudgedSiteRequest> {
        let head = &asked.head;
        let (root, route) = self.decider.site_route(head)?;
        let contract = self.contract(root)?;
        let overridden = head
            .headers
            .get(OVERRIDE)
            .map(|method| method.to_str().unwrap_or_default());
        contract.judge(&SiteRequest {
            method: &head.method,
            overridden,
            path: head.uri.path(),
            query: head.uri.query().unwrap_or_default(),
            route: &route,
            content: ContentHeaders::of(&head.headers),
            body: match body {
                ReadBody::Whole(body) => Some(body),
                ReadBody::Streamed => None,
            },
        })
    }

    fn contract(&self, root: usize) -> Option<Arc<SiteContract>> {
        self.contracts.of(self.roots.get(root)?)
    }

    fn tell(
        &self,
        asked: &AskedRequest,
        judged: &JudgedSiteRequest,
        status: StatusCode,
        code: Option<String>,
    ) {
        let refusal = match &judged.verdict {
            ArgumentsVerdict::Reject(refusal) => Some(refusal),
            ArgumentsVerdict::Admit | ArgumentsVerdict::Defer => None,
        };
        let params = refusal.into_iter().flat_map(|refusal| &refusal.params);
        let disagreement = SchemaDisagreement {
            time: unix_time().as_secs(),
            request_id: asked.context.id.as_str().to_owned(),
            method: judged.method.clone(),
            route: judged.route.clone(),
            sent: judged.sent.clone(),
            expected: refusal.map(|refusal| refusal.code),
            refused: params.map(|(name, _)| name.clone()).collect(),
            status: status.as_u16(),
            code,
        };
        self.metrics.disagreements().keep(disagreement.clone());
        self.warnings.warn("schema_disagreement", move |count| {
            let SchemaDisagreement {
                request_id,
                method,
                route,
                expected,
                status,
                code,
                ..
            } = &disagreement;
            tracing::warn!(
                count,
                request_id,
                %method,
                %route,
                expected = expected.unwrap_or("none"),
                status,
                code = code.as_deref().unwrap_or("none"),
                "the site answers in another way than its schemas say"
            );
        });
    }
}

/// The bytes of a whole body without its coding; none for codings other than gzip, and for long bodies.
fn plain(answer: &EdgeResponse, bytes: &[u8]) -> Option<Vec<u8>> {
    let most = u64::try_from(SITE_ANSWER_BYTES).unwrap_or(u64::MAX);
    let mut text = Vec::new();
    match answer.headers().get(CONTENT_ENCODING) {
        None => bytes.take(most + 1).read_to_end(&mut text).ok()?,
        Some(coding) if coding == "gzip" => {
            GzDecoder::new(bytes).take(most + 1).read_to_end(&mut text).ok()?
        }
        Some(_) => return None,
    };
    (text.len() <= SITE_ANSWER_BYTES).then_some(text)
}
