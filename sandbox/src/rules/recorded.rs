//! The recorded corpus against these rules alone: which parameters the real site refused, and why.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Request, header};
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{judge, recorded_site};
use crate::account::{ACCOUNTS, CurrentUser, PASSWORD};
use crate::rest_request::RestRequest;
use crate::site_call::Call;
use crate::store::Store;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::contract::PLUGIN_NAMESPACE;
use calendar_edge_judge::routing::{Roots, Target};

const CORPUS: [&str; 2] = [
    include_str!("../../../fixtures/corpus/corpus.jsonl"),
    include_str!("../../../fixtures/corpus/differential.jsonl"),
];

/// Error codes of what WordPress checks before it looks at parameters.
const EARLIER: [&str; 8] = [
    "rest_no_route",
    "rest_invalid_json",
    "rest_callback_invalid",
    "rest_cookie_invalid_nonce",
    "incorrect_password",
    "invalid_username",
    "rest_invalid_namespace",
    "internal_server_error",
];

/// Records that the sandbox judges otherwise, with the reason.
const DIFFERENT: [(&str, &str); 3] = [
    ("r3444", "the sandbox ignores `rest_route` in a form"),
    ("r3445", "the sandbox ignores `rest_route` in a form"),
    ("d0437", "the recorded site has an account 5"),
];

/// The code of an error about parameters with what it says of each; null where the parameters passed.
#[derive(Debug, PartialEq)]
struct Outcome {
    code: Json,
    parameters: Json,
}

// === impl Outcome ===

impl Outcome {
    fn passed() -> Self {
        Self {
            code: Json::Null,
            parameters: Json::Null,
        }
    }

    fn refused(error: &Json) -> Self {
        Self {
            code: error["code"].clone(),
            parameters: error["data"]["params"].clone(),
        }
    }

    /// What WordPress said; none where the request did not come as far as its parameters.
    fn recorded(record: &Json) -> Option<Self> {
        let status = record["response"]["status"].as_u64()?;
        let text = record["response"]["body"].as_str()?;
        let mut body: Json = serde_json::from_str(text).ok()?;
        if body["body"].is_object() && body["headers"] != Json::Null {
            body = body["body"].take();
        }
        let code = body["code"].as_str().unwrap_or_default();
        match code {
            "rest_missing_callback_param" | "rest_invalid_param" => Some(Self::refused(&body)),
            _ if EARLIER.contains(&code) || (status >= 400 && code.is_empty()) => None,
            _ => Some(Self::passed()),
        }
    }

    /// What the rules say; none where the request is not one for an operation.
    fn ours(record: &Json, roots: &Roots, store: &Store) -> Option<Self> {
        let (parts, body) = request(record)?;
        let Target::Calendar(target) = roots.locate(&parts.method, parts.uri.path(), parts.uri.query())
        else {
            return None;
        };
        let mut request = RestRequest::new(&parts, &body, target.matched, target.query);
        request.read_json().ok()?;
        let call = Call {
            operation: request.operation()?,
            parameters: request.into_parameters(),
            user: user(record["auth"].as_str()?),
            now: Timestamp::UNIX_EPOCH,
        };
        Some(match judge(&call, store) {
            Ok(()) => Self::passed(),
            Err(refused) => Self::refused(&refused.to_json()),
        })
    }
}

/// The request of a record; none where it has a history or is no request for this parser.
fn request(record: &Json) -> Option<(Parts, Vec<u8>)> {
    let sent = &record["request"];
    if record["setup"].is_array() || sent["body_fill"].is_object() || record["auth_kind"].is_string() {
        return None;
    }
    let path = sent["path"].as_str()?;
    let target = match sent["query"].as_str() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let mut request = Request::builder().method(sent["method"].as_str()?).uri(target);
    for field in sent["headers"].as_array()? {
        request = request.header(field[0].as_str()?, field[1].as_str()?.trim());
    }
    let body = match sent["body_base64"].as_str() {
        Some(encoded) => STANDARD.decode(encoded).ok()?,
        None => sent["body"].as_str().unwrap_or_default().into(),
    };
    let (parts, body) = request.body(body).ok()?.into_parts();
    Some((parts, body))
}

/// An account of the sandbox that may do what the recorded one may.
fn user(recorded: &str) -> CurrentUser {
    let account = match recorded {
        "admin" | "editor1" => &ACCOUNTS[0],
        "author1" | "contrib1" => &ACCOUNTS[1],
        "sub1" => &ACCOUNTS[2],
        _ => return CurrentUser::default(),
    };
    let credentials = STANDARD.encode(format!("{}:{PASSWORD}", account.name));
    let value = HeaderValue::from_str(&format!("Basic {credentials}")).expect("ASCII");
    let headers = HeaderMap::from_iter([(header::AUTHORIZATION, value)]);
    CurrentUser::of(&headers, false).expect("an account of the sandbox")
}

fn roots() -> Roots {
    let mut settings = Settings::for_origin("http://origin.example/wp-json".parse().expect("a URL"));
    settings.namespaces = vec![PLUGIN_NAMESPACE.to_owned()];
    settings.limits.query_pairs = usize::MAX;
    Roots::new(&settings.policy())
}

#[test]
fn the_rules_refuse_what_the_recorded_site_refused() {
    let (store, roots) = (recorded_site::store(), roots());
    let (mut refused, mut passed) = (0, 0);
    let mut wrong = Vec::new();
    for line in CORPUS.iter().flat_map(|text| text.lines()) {
        let record: Json = serde_json::from_str(line).expect("a record");
        let recorded = Outcome::recorded(&record);
        let Some((recorded, ours)) = recorded.zip(Outcome::ours(&record, &roots, &store)) else {
            continue;
        };
        let is_listed = DIFFERENT.iter().any(|(id, _)| record["id"] == *id);
        if (recorded == ours) == is_listed {
            let sent = json!([record["id"], record["request"]]);
            wrong.push(format!("{sent}\n  recorded {recorded:?}\n  ours {ours:?}"));
        } else if recorded == Outcome::passed() {
            passed += 1;
        } else {
            refused += 1;
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused >= 1000 && passed >= 1300, "{refused} and {passed}");
}
