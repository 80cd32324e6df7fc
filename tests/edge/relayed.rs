//! Recorded responses of a real backend, relayed: changed, unchanged and refused parts.

use bytes::Bytes;
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::relay::{
    BufferBudget, CallContext, ClientContext, Content, LearntRoots, OriginFailure, RelayBody, RelayRules,
    accept, present,
};
use calendar_edge_core::settings::{OriginNamespace, Settings};
use http::{Method, Response, header};
use http_body_util::{BodyExt, Full};
use serde_json::Value;

const PUBLIC: &str = "https://events.example.org";

/// One recorded exchange.
struct Recorded {
    id: String,
    method: Method,
    path: String,
    query: String,
    authenticated: bool,
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Recorded {
    /// Every recorded exchange; of pages the beginning is enough.
    fn all() -> Vec<Self> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/corpus/corpus.jsonl");
        let text = std::fs::read_to_string(path).expect("the fixture is there");
        let recorded: Vec<Self> = text.lines().filter_map(Self::read).collect();
        assert!(recorded.len() >= 2000, "{}", recorded.len());
        recorded
    }

    fn read(line: &str) -> Option<Self> {
        let record: Value = serde_json::from_str(line).expect("the fixture is JSON");
        let (request, response) = (&record["request"], &record["response"]);
        let pairs = response["headers"].as_array().expect("headers");
        let recorded = Self {
            id: text(&record["id"]),
            method: text(&request["method"]).parse().expect("a method"),
            path: text(&request["path"]),
            query: text(&request["query"]),
            authenticated: record["auth"] != "none",
            status: response["status"]
                .as_u64()
                .and_then(|status| u16::try_from(status).ok())?,
            headers: pairs
                .iter()
                .map(|pair| (text(&pair[0]), text(&pair[1])))
                .collect(),
            body: text(&response["body"]),
        };
        let is_whole = response["body_truncated"].as_bool() != Some(true);
        (is_whole || !recorded.is_json()).then_some(recorded)
    }

    fn answer(&self) -> Response<Full<Bytes>> {
        let mut answer = Response::builder().status(self.status);
        for (name, value) in &self.headers {
            answer = answer.header(name, value.as_bytes());
        }
        let body = Full::new(Bytes::copy_from_slice(self.body.as_bytes()));
        answer.body(body).expect("a recorded answer is one")
    }

    fn settings() -> Settings {
        let mut settings = Settings::for_origin("http://origin.example/wp-json".parse().expect("a URL"));
        settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
        let mut language = settings.roots[0].clone();
        for tag in ["de", "da"] {
            language.path = format!("/{tag}/wp-json");
            language.origin_url = format!("http://origin.example/{tag}/wp-json")
                .parse()
                .expect("a URL");
            settings.roots.push(language.clone());
        }
        settings
    }

    fn call(&self) -> CallContext {
        let settings = Self::settings();
        let root = settings
            .roots
            .iter()
            .rposition(|root| self.path.starts_with(&root.path));
        CallContext {
            root: root.unwrap_or(0),
            method: self.method.clone(),
            content: Content::Records,
            operation: None,
            may_be_script: self.query.contains("_jsonp="),
            enveloped: self.query.contains("_envelope"),
            may_change_language: false,
            target: format!("{}?{}", self.path, self.query).into(),
        }
    }

    fn client(&self) -> ClientContext {
        ClientContext {
            public_base: PUBLIC.into(),
            namespace: None,
            audience: if self.authenticated {
                Audience::OneClient
            } else {
                Audience::Public
            },
        }
    }

    /// The response that the client of this exchange gets.
    async fn relayed(&self) -> Result<Response<RelayBody<Full<Bytes>>>, OriginFailure> {
        self.relayed_as(self.call()).await
    }

    async fn relayed_as(&self, call: CallContext) -> Result<Response<RelayBody<Full<Bytes>>>, OriginFailure> {
        let settings = Self::settings();
        let budget = BufferBudget::new(settings.limits.response_buffer_total);
        let rules = RelayRules::new(&settings.site(), &LearntRoots::default(), &budget);
        let accepted = accept(self.answer(), &call, &rules).await?;
        Ok(present(accepted, &self.client(), &rules))
    }

    fn is_json(&self) -> bool {
        self.headers.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case("content-type")
                && (value.starts_with("application/json") || value.starts_with("application/javascript"))
        })
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The body with its public names turned back.
fn undone(body: &str) -> String {
    body.replace(
        r"https:\/\/events.example.org\/wp-json\/calendar\/events\/v1",
        r"http:\/\/origin.example\/wp-json\/tribe\/events\/v1",
    )
    .replace(
        r"https:\/\/events.example.org\/de\/wp-json\/calendar\/events\/v1",
        r"http:\/\/origin.example\/de\/wp-json\/tribe\/events\/v1",
    )
    .replace(
        r"https:\/\/events.example.org\/da\/wp-json\/calendar\/events\/v1",
        r"http:\/\/origin.example\/da\/wp-json\/tribe\/events\/v1",
    )
}

#[tokio::test]
async fn json_answers_pass_with_nothing_changed_but_their_api_urls() {
    let mut renamed = 0;
    for recorded in Recorded::all().into_iter().filter(Recorded::is_json) {
        let id = &recorded.id;
        let relayed = match recorded.relayed().await {
            Ok(relayed) => relayed,
            Err(OriginFailure::Fatal { .. }) => {
                assert!(
                    recorded.body.starts_with(r#"{"code":"internal_server_error""#),
                    "{id}"
                );
                continue;
            }
            Err(OriginFailure::Empty(_)) => {
                assert_eq!(recorded.body, "", "{id}");
                continue;
            }
            Err(failure) => panic!("{id}: {failure}"),
        };
        assert_eq!(relayed.status(), recorded.status, "{id}");
        let body = relayed
            .into_body()
            .collect()
            .await
            .expect("a whole body")
            .to_bytes();
        let body = String::from_utf8(body.to_vec()).expect("UTF-8 stays UTF-8");
        if recorded.method == Method::HEAD {
            assert_eq!(body, "", "{id}");
            continue;
        }
        assert!(!body.contains(r"\/wp-json\/tribe\/events\/v1"), "{id}");
        assert_eq!(undone(&body), recorded.body, "{id}");
        renamed += usize::from(body != recorded.body);
    }
    assert!(renamed >= 500, "{renamed}");
}

#[tokio::test]
async fn descriptions_name_the_public_namespace_only() {
    let mut count = 0;
    for recorded in Recorded::all()
        .into_iter()
        .filter(|recorded| recorded.status == 200)
    {
        let below = recorded.path.split("/tribe/events/v1").nth(1).unwrap_or("/none");
        let describes = matches!(below, "" | "/" | "/doc") || recorded.method == Method::OPTIONS;
        let overridden = recorded.query.contains("rest_route") || recorded.query.contains("namespace=");
        if !describes || overridden || !recorded.body.contains("tribe\\/events") {
            continue;
        }
        let call = CallContext {
            content: Content::Description,
            ..recorded.call()
        };
        let relayed = recorded.relayed_as(call).await.expect(&recorded.id);
        let body = relayed
            .into_body()
            .collect()
            .await
            .expect("a whole body")
            .to_bytes();
        let document: Value = serde_json::from_slice(&body).expect("JSON stays JSON");
        let text = document.to_string();
        assert!(!text.contains("tribe/events/v1"), "{}", recorded.id);
        let back = text
            .replace("https://events.example.org/", "http://origin.example/")
            .replace("calendar/events/v1", "tribe/events/v1");
        let original: Value = serde_json::from_str(&recorded.body).expect("JSON");
        assert_eq!(back, original.to_string(), "{}", recorded.id);
        count += 1;
    }
    assert!(count >= 10, "{count}");
}

#[tokio::test]
async fn only_listed_headers_pass() {
    let known = "access-control-allow-origin access-control-expose-headers allow cache-control content-length \
        content-type expires link location vary x-content-type-options x-robots-tag x-tec-total \
        x-tec-totalpages x-wp-nonce x-wp-total x-wp-totalpages";
    for recorded in Recorded::all() {
        let id = &recorded.id;
        let Ok(relayed) = recorded.relayed().await else {
            continue;
        };
        for name in relayed.headers().keys() {
            assert!(
                known.split_whitespace().any(|known| known == name.as_str()),
                "{id}: {name}"
            );
        }
        let headers = relayed.headers();
        assert_eq!(
            headers.contains_key(header::CONTENT_TYPE),
            !relayed.status().is_redirection(),
            "{id}"
        );
        if let Some(link) = headers.get(header::LINK) {
            let link = link.to_str().expect("text");
            assert!(link.starts_with("<https://events.example.org/"), "{id}: {link}");
        }
        let caching = headers
            .get(header::CACHE_CONTROL)
            .map_or("", |value| value.to_str().expect("text"));
        if recorded.status >= 400 || recorded.authenticated {
            assert!(caching.contains("no-store"), "{id}: {caching}");
        }
        assert!(
            !recorded.authenticated || caching.contains("private"),
            "{id}: {caching}"
        );
    }
}

#[tokio::test]
async fn pages_and_redirects_never_pass() {
    let mut refused = 0;
    for recorded in Recorded::all().into_iter().filter(|recorded| !recorded.is_json()) {
        let failure = recorded.relayed().await.expect_err(&recorded.id);
        assert!(
            matches!(
                failure,
                OriginFailure::Html(_)
                    | OriginFailure::RequestTooLarge(_)
                    | OriginFailure::Fatal { .. }
                    | OriginFailure::Redirect { .. }
            ),
            "{}: {failure}",
            recorded.id
        );
        refused += 1;
    }
    assert!(refused >= 20, "{refused}");
}
