//! The handling of a request, as data: the source of both outputs.

use calendar_edge::call::{Explanation, Finding, ForwardableCall, Judge, Judgement, Outcome, RawCall};
use calendar_edge::contract::Schema;
use calendar_edge::credentials::{Caller, Credentials};
use calendar_edge::payload::{ContentHeaders, Source, SourceParameters, spellings};
use calendar_edge::problem::Refusal;
use calendar_edge::routing::{CallTarget, Roots, Target};
use calendar_edge::settings::{Mode, OtherTraffic, Root, Settings};
use calendar_edge::value::{Key, Value, Verdict, Why, write_json};
use serde::Serialize;

use super::fate::fate;
use super::request::TypedRequest;

/// All decisions of the judge about one request.
#[derive(Debug, Serialize)]
pub(super) struct Story {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) assumed_content_type: Option<&'static str>,
    /// `forwarded`, `refused`, or `site`: forwarded unchanged, because it is not a calendar call.
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
    pub(super) request: Option<RequestStory>,
    pub(super) answer: Option<ResponseStory>,
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
    pub(super) parameter: Option<&'static str>,
    pub(super) rule: &'static str,
}

/// The request to the origin.
#[derive(Debug, Serialize)]
pub(super) struct RequestStory {
    pub(super) method: String,
    pub(super) url: String,
    pub(super) headers: Vec<(&'static str, String)>,
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
    /// The story of a request under these settings.
    pub(super) fn of(request: &TypedRequest, settings: &Settings) -> Self {
        let judge = Judge::new(settings);
        let (path, query) = (request.target.path(), request.target.query());
        let mut story = Self::untold(request);
        match Roots::new(settings).locate(&request.method, path, query) {
            Target::Calendar(target) => story.tell_call(request, &target, &judge, settings),
            Target::Invalid(problem) => story.tell_refusal(&Refusal::plain(problem)),
            Target::Site { root } => match settings.other {
                OtherTraffic::Refuse => {
                    story.tell_refusal(&judge.refuse_elsewhere(root, &request.method, query));
                }
                OtherTraffic::Forward => story.outcome = "site",
            },
        }
        story
    }

    fn untold(request: &TypedRequest) -> Self {
        Self {
            method: request.method.to_string(),
            target: request.target.to_string(),
            assumed_content_type: request.assumed_type,
            outcome: "",
            root: None,
            route: None,
            operation: None,
            mode: None,
            caller: None,
            arguments: Vec::new(),
            undeclared: Vec::new(),
            findings: Vec::new(),
            request: None,
            answer: None,
        }
    }

    fn tell_call(&mut self, request: &TypedRequest, target: &CallTarget, judge: &Judge, settings: &Settings) {
        self.root = settings.roots.get(target.root).map(root_name);
        let matched = target.matched.as_ref();
        self.route = matched.map(|matched| format!("/{{namespace}}{}", matched.route.template()));
        let profile = judge.enforced_profile(target.operation);
        let credentials = Credentials::read(&request.headers, profile, &settings.authorization_schemes);
        let credentials = match credentials {
            Ok(credentials) => credentials,
            Err(rejected) if matched.is_some() => return self.tell_refusal(&rejected.fault().refusal()),
            // Without a route the edge asks for no credentials.
            Err(_) => Credentials::default(),
        };
        let call = RawCall {
            method: &request.method,
            target,
            credentials: &credentials,
            content: ContentHeaders::of(&request.headers),
            body: request.body.as_bytes(),
        };
        let judgement = judge.judge(&call);
        self.operation = judgement.operation.map(|operation| operation.name.as_str());
        self.mode = Some(mode_name(judgement.mode));
        self.findings = judgement.findings.iter().map(FindingStory::of).collect();
        // The judgement's refusal already states the fault of an unreadable call.
        let _ = judge.explain(&call, |explanation| {
            if let Some(explanation) = explanation {
                self.tell_readings(request, &explanation, &judgement, settings);
            }
        });
        match &judgement.outcome {
            Outcome::Forward(call) => self.tell_forward(call, settings),
            Outcome::Refuse(refusal) => self.tell_refusal(refusal),
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
                    rule: reading.rule().name(),
                    verdict: verdict_name(reading.verdict),
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
                        fate: fate(operation, &name, *source, settings),
                    });
                }
            }
        }
    }

    fn tell_forward(&mut self, call: &ForwardableCall, settings: &Settings) {
        let request = call.request();
        let root = settings.roots.get(request.root);
        let root = root.map_or(settings.origin.url.as_str(), |root| root.origin_url.as_str());
        let namespace = &settings.origin.namespace;
        let mut url = format!("{}{}", root.trim_end_matches('/'), request.path(namespace));
        if let Some(query) = request.query(namespace) {
            url.push('?');
            url.push_str(&query);
        }
        let content_type = request
            .body
            .as_ref()
            .map(|_| ("Content-Type", "application/json".to_owned()));
        let nonce = request.nonce.as_ref().map(|nonce| {
            let nonce = String::from_utf8_lossy(nonce.as_bytes()).into_owned();
            ("X-WP-Nonce", nonce)
        });
        self.outcome = "forwarded";
        self.request = Some(RequestStory {
            method: request.method.to_string(),
            url,
            headers: content_type.into_iter().chain(nonce).collect(),
            body: request
                .body
                .as_ref()
                .map(|body| String::from_utf8_lossy(body).into_owned()),
        });
    }

    fn tell_refusal(&mut self, refusal: &Refusal) {
        self.outcome = "refused";
        self.answer = Some(ResponseStory {
            status: refusal.status().as_u16(),
            code: refusal.code(),
            allow: refusal.allow().methods(),
            body: String::from_utf8_lossy(refusal.body()).into_owned(),
        });
    }
}

// === impl FindingStory ===

impl FindingStory {
    fn of(finding: &Finding) -> Self {
        Self {
            code: finding.code,
            parameter: finding.parameter,
            rule: finding.rule,
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

fn shown(key: &Key) -> String {
    String::from_utf8_lossy(&key.to_bytes()).into_owned()
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Enforce => "enforce",
        Mode::Report => "report",
        Mode::Off => "off",
    }
}

fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Admit => "good",
        Verdict::Reject => "bad",
        Verdict::Defer(Why::Database) => "the site's database decides",
        Verdict::Defer(Why::Plugin) => "the site's plugins decide",
        Verdict::Defer(Why::Locale) => "the site's language decides",
        Verdict::Defer(Why::Fetch) => "a fetch by the site decides",
        Verdict::Defer(Why::PhpBuild) => "the site's PHP decides",
    }
}

#[cfg(test)]
mod tests {
    use calendar_edge::settings::Profile;
    use http::header::{AUTHORIZATION, COOKIE, HeaderName};
    use http::uri::PathAndQuery;
    use http::{HeaderMap, HeaderValue, Method};

    use super::*;

    fn status(profile: Profile, name: HeaderName, value: &'static str) -> Option<u16> {
        let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().expect("a URL"));
        settings.profile = profile;
        let request = TypedRequest {
            method: Method::DELETE,
            target: PathAndQuery::from_static("/wp-json/calendar/events/v1/events/7"),
            headers: HeaderMap::from_iter([(name, HeaderValue::from_static(value))]),
            body: String::new(),
            assumed_type: None,
        };
        Story::of(&request, &settings).answer.map(|answer| answer.status)
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
