//! The handling of a request, as data: the source of both outputs.

use calendar_edge::backend::preview;
use calendar_edge_core::gateway::authority::{Addressed, Host, PublicAddress, Scheme};
use calendar_edge_core::gateway::decision::{Decider, Decision, HeadRules, RequestHead};
use calendar_edge_core::settings::{BackendSettings, Root, Settings};
use calendar_edge_judge::call::credentials::Caller;
use calendar_edge_judge::call::{Explanation, Finding, ForwardableCall, Judgement, Outcome};
use calendar_edge_judge::contract::{ArgumentStanding, Schema, rule_meaning};
use calendar_edge_judge::problem::Refusal;
use calendar_edge_judge::routing::CallTarget;
use calendar_edge_judge::wordpress::payload::{Source, SourceParameters, spellings};
use calendar_edge_judge::wordpress::value::{KeyRef, Value, write_json};
use http::header::{AUTHORIZATION, COOKIE};
use http::request::Parts;
use http::{HeaderName, HeaderValue};
use serde::Serialize;

use super::super::typed_request::TypedRequest;
use super::answering_backends::{BackendStory, answering};
use super::cacheability::{CacheStory, asked};
use super::fate::fate;
use super::known_site::{IndexStory, KnownSite};
use super::surface_story::SurfaceStory;
use super::words::verdict_name;

/// Headers whose values are not shown: explanations end up in tickets.
const SECRET: [HeaderName; 3] = [AUTHORIZATION, COOKIE, HeaderName::from_static("x-wp-nonce")];

/// The decision about one request, and the reasons.
#[derive(Debug, Default, Serialize)]
pub(super) struct Story {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) assumed_content_type: Option<&'static str>,
    /// The namespace of the calendar at the site.
    pub(super) namespace: String,
    /// Where the index of the site was read, by which the request is judged.
    pub(super) index: IndexStory,
    /// `forwarded`, `refused`, `preflight`, or `site`: forwarded as it is because it is not a calendar call.
    pub(super) outcome: &'static str,
    /// The public root of the target, with its language.
    pub(super) root: Option<String>,
    /// The path of the route, with its placeholder.
    pub(super) route: Option<String>,
    pub(super) operation: Option<&'static str>,
    pub(super) mode: Option<&'static str>,
    pub(super) caller: Option<&'static str>,
    pub(super) arguments: Vec<ArgumentStory>,
    pub(super) undeclared: Vec<UndeclaredStory>,
    pub(super) findings: Vec<FindingStory>,
    /// Who would answer, and who gets a copy; empty without further backends.
    pub(super) backends: Vec<BackendStory>,
    pub(super) request: Option<RequestStory>,
    pub(super) response: Option<ResponseStory>,
    pub(super) cache: Option<CacheStory>,
    pub(super) surface: Option<SurfaceStory>,
}

/// A declared argument that was sent.
#[derive(Debug, Serialize)]
pub(super) struct ArgumentStory {
    pub(super) name: &'static str,
    pub(super) source: &'static str,
    /// The names in the request, if they differ and PHP maps them to this name.
    pub(super) sent_as: Vec<String>,
    /// The value that WordPress reads, as JSON.
    pub(super) value: String,
    pub(super) rule: &'static str,
    pub(super) verdict: &'static str,
    /// The schema type, which WordPress enforces after all rules.
    #[serde(rename = "type")]
    pub(super) schema: Option<&'static str>,
}

/// A parameter that the operation does not declare.
#[derive(Debug, Serialize)]
pub(super) struct UndeclaredStory {
    pub(super) name: String,
    pub(super) source: &'static str,
    pub(super) fate: &'static str,
}

/// One violated rule.
#[derive(Debug, Serialize)]
pub(super) struct FindingStory {
    pub(super) code: &'static str,
    pub(super) parameter: Option<String>,
    pub(super) rule: &'static str,
    /// The rule in a sentence.
    pub(super) meaning: Option<&'static str>,
}

/// The request to the origin.
#[derive(Debug, Serialize)]
pub(super) struct RequestStory {
    pub(super) method: String,
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<String>,
}

/// The edge's own response.
#[derive(Debug, Serialize)]
pub(super) struct ResponseStory {
    pub(super) status: u16,
    pub(super) code: &'static str,
    pub(super) allow: Option<String>,
    pub(super) body: String,
}

// === impl Story ===

impl Story {
    /// Asks the decider of these settings, which a running edge asks as well.
    pub(super) fn of(request: &TypedRequest, known: &KnownSite) -> Self {
        let mut story = Self::untold(request, known);
        let settings = &known.settings;
        let parts = request.parts(settings);
        match HeadRules::new(&settings.limits, &settings.hosts).check(&parts) {
            Ok(host) => story.tell_decision(request, &parts, host.as_ref(), known),
            Err(refusal) => story.tell_refusal(&refusal),
        }
        story
    }

    fn tell_decision(
        &mut self,
        request: &TypedRequest,
        parts: &Parts,
        host: Option<&Host>,
        KnownSite { settings, tables, .. }: &KnownSite,
    ) {
        let head = RequestHead {
            parts,
            client: request.client,
            addressed: Addressed {
                scheme: Scheme::Http,
                host,
                local: None,
            },
        };
        let decider = Decider::before(settings, tables.clone());
        let body = request.body.as_bytes();
        let target = decider.target_of(&head, body);
        self.tell_target(target.as_ref(), &settings.roots);
        match decider.decide(&head, body) {
            Decision::Preflight => self.outcome = "preflight",
            Decision::RestIndex(root) => {
                self.root = settings.roots.get(root).map(root_name);
                self.outcome = "rest index";
            }
            Decision::Site => self.tell_site(&decider, parts, body),
            Decision::Refuse(refusal) => self.tell_refusal(&refusal),
            Decision::Judged(judgement) => {
                self.operation = judgement.operation.map(|operation| operation.name.as_str());
                self.mode = Some(judgement.mode.name());
                self.findings = judgement.findings.iter().map(FindingStory::of).collect();
                // The reason why a call is unreadable is the judgement's refusal already.
                let _ = decider.explain(&head, body, |explanation| {
                    if let Some(explanation) = explanation {
                        self.tell_readings(request, &explanation, &judgement, settings);
                    }
                });
                match &judgement.outcome {
                    Outcome::Forward(call) => {
                        self.tell_forward(&asked(call, settings), &head, &answering(call, settings));
                        self.backends = BackendStory::all(call, settings);
                        self.cache = CacheStory::of(call, &head, target.as_ref(), settings);
                    }
                    Outcome::Refuse(refusal) => self.tell_refusal(refusal),
                }
            }
        }
    }

    fn tell_target(&mut self, target: Option<&CallTarget>, roots: &[Root]) {
        let Some(target) = target else { return };
        self.root = roots.get(target.root).map(root_name);
        let matched = target.matched.as_ref();
        self.route = matched.map(|matched| format!("/{{namespace}}{}", matched.route.template()));
    }

    fn untold(request: &TypedRequest, known: &KnownSite) -> Self {
        Self {
            method: request.method.to_string(),
            target: request.target.to_string(),
            assumed_content_type: request.assumed_type,
            namespace: known.settings.origin.namespace.to_string(),
            index: known.index.clone(),
            ..Self::default()
        }
    }

    fn tell_readings(
        &mut self,
        request: &TypedRequest,
        explanation: &Explanation<'_>,
        judgement: &Judgement,
        settings: &Settings,
    ) {
        self.caller = Some(match explanation.caller {
            Caller::Anonymous => "anonymous",
            Caller::Credentialed => "with credentials",
        });
        for reading in &explanation.readings {
            if let Some((source, value)) = reading.winner {
                self.arguments.push(ArgumentStory {
                    name: reading.argument.name,
                    source: source.name(),
                    sent_as: sent_as(request, source, reading.argument.name),
                    value: json(value),
                    rule: reading.argument.rule.name(),
                    verdict: match reading.standing {
                        ArgumentStanding::Judged | ArgumentStanding::Unsure => verdict_name(reading.verdict),
                        ArgumentStanding::Unjudged => "not judged: the site does not publish it",
                    },
                    schema: reading.argument.schema.map(Schema::name),
                });
            }
        }
        let Some(operation) = judgement.operation else {
            return;
        };
        for SourceParameters { source, parameters } in explanation.parameters.in_order() {
            for (key, _) in parameters.entries() {
                let name = key.to_bytes();
                if operation.argument(&name).is_none() {
                    self.undeclared.push(UndeclaredStory {
                        name: shown(key),
                        source: source.name(),
                        fate: fate(explanation, &name, *source, settings.allow_jsonp),
                    });
                }
            }
        }
    }

    fn tell_forward(&mut self, call: &ForwardableCall, head: &RequestHead<'_>, backend: &BackendSettings) {
        let public = PublicAddress::of(backend.public_url.as_ref(), head.addressed);
        match preview(backend, call, head, &public) {
            Ok(request) => {
                self.outcome = "forwarded";
                self.request = Some(RequestStory::of(&request));
            }
            Err(fault) => self.tell_refusal(&fault.refusal()),
        }
    }

    /// Tells whether a request to the rest of the site passes its rule.
    fn tell_site(&mut self, decider: &Decider, head: &Parts, body: &[u8]) {
        self.outcome = "site";
        let Some(verdict) = decider.surface_verdict(head, body) else {
            return;
        };
        self.surface = Some(SurfaceStory::of(&verdict));
        if !verdict.is_refused() {
            return;
        }
        self.tell_refusal(&verdict.refusal());
        if let (Some(response), Some((status, text))) = (&mut self.response, verdict.page()) {
            response.status = status.as_u16();
            response.body = text;
        }
    }

    fn tell_refusal(&mut self, refusal: &Refusal) {
        self.outcome = "refused";
        self.response = Some(ResponseStory {
            status: refusal.status().as_u16(),
            code: refusal.code(),
            allow: refusal.allow().methods(),
            body: String::from_utf8_lossy(refusal.body()).into_owned(),
        });
    }
}

// === impl RequestStory ===

impl RequestStory {
    fn of(request: &reqwest::Request) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let header = |(name, value): (&HeaderName, &HeaderValue)| {
            let shown = if SECRET.contains(name) {
                "[redacted]".to_owned()
            } else {
                text(value.as_bytes())
            };
            (name.to_string(), shown)
        };
        Self {
            method: request.method().to_string(),
            url: request.url().to_string(),
            headers: request.headers().iter().map(header).collect(),
            body: request.body().and_then(reqwest::Body::as_bytes).map(text),
        }
    }
}

// === impl FindingStory ===

impl FindingStory {
    fn of(finding: &Finding) -> Self {
        Self {
            code: finding.code,
            parameter: finding.parameter.as_deref().map(str::to_owned),
            rule: finding.rule,
            meaning: rule_meaning(finding.rule),
        }
    }
}

/// The spellings of a name in its source, unless the name itself is the only one.
fn sent_as(request: &TypedRequest, source: Source, name: &str) -> Vec<String> {
    let text = match source {
        Source::Query => request.target.query().unwrap_or_default(),
        Source::Form => &request.body,
        Source::Json | Source::Path => return Vec::new(),
    };
    let spelt = spellings(text.as_bytes(), name.as_bytes());
    if spelt == [name.as_bytes()] {
        return Vec::new();
    }
    spelt
        .into_iter()
        .map(|sent| String::from_utf8_lossy(sent).into_owned())
        .collect()
}

fn root_name(root: &Root) -> String {
    match &root.language {
        Some(language) => format!("{} ({language})", root.path),
        None => root.path.clone(),
    }
}

fn json(value: &Value) -> String {
    let mut text = Vec::new();
    match write_json(value, &mut text) {
        Ok(()) => String::from_utf8_lossy(&text).into_owned(),
        Err(_) => "text that is not UTF-8".to_owned(),
    }
}

fn shown(key: KeyRef<'_>) -> String {
    String::from_utf8_lossy(&key.to_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use calendar_edge_core::settings::Profile;
    use http::uri::PathAndQuery;
    use http::{HeaderMap, Method};

    use super::*;

    fn story(profile: Profile, name: HeaderName, value: &'static str) -> Story {
        let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().expect("a URL"));
        settings.profile = profile;
        let request = TypedRequest {
            method: Method::DELETE,
            target: PathAndQuery::from_static("/wp-json/calendar/events/v1/events/7"),
            headers: HeaderMap::from_iter([(name, HeaderValue::from_static(value))]),
            body: String::new(),
            assumed_type: None,
            client: Some([127, 0, 0, 1].into()),
        };
        Story::of(&request, &KnownSite::unknown(settings, Vec::new()))
    }

    fn status(profile: Profile, name: HeaderName, value: &'static str) -> Option<u16> {
        story(profile, name, value)
            .response
            .map(|response| response.status)
    }

    #[test]
    fn a_refusal_by_the_head_names_the_route_too() {
        let story = story(Profile::Strict, AUTHORIZATION, "Digest x");
        assert_eq!(story.outcome, "refused");
        assert_eq!(story.route.as_deref(), Some("/{namespace}/events/{id}"));
    }

    #[test]
    fn the_strict_profile_accepts_fewer_credentials() {
        for (name, value, strict) in [
            (AUTHORIZATION, "Basic YTpi", None),
            (AUTHORIZATION, "Digest x", Some(400)),
            (COOKIE, "wordpress_logged_in_1=a", Some(401)),
        ] {
            assert_eq!(status(Profile::Compatible, name.clone(), value), None, "{value}");
            assert_eq!(status(Profile::Strict, name, value), strict, "{value}");
        }
    }
}
