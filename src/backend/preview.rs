//! The request that a backend would get for a call, without sending it.

use http::header::{AUTHORIZATION, COOKIE};
use http::{HeaderName, HeaderValue};
use reqwest::Body;
use serde_json::{Value, json};

use super::address::AddressFault;
use super::authority::Authority;
use super::forwarded_headers::{Forwarded, ForwardedHeaders};
use super::judged_call::JudgedCall;
use super::wordpress::WordPressWriter;
use calendar_edge_core::companion::mark::MARK;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::gateway::decision::RequestHead;
use calendar_edge_core::settings::BackendSettings;
use calendar_edge_judge::call::ForwardableCall;
use calendar_edge_judge::problem::Refusal;

/// Headers whose values are not shown: explanations end up in tickets.
const SECRET: [HeaderName; 3] = [AUTHORIZATION, COOKIE, HeaderName::from_static("x-wp-nonce")];

/// Writes a call of a client as a backend would get it, as JSON without secrets. The mark, which is made when the call is
/// sent, and the request's id are absent.
///
/// # Errors
///
/// When the call cannot be addressed without changing its meaning.
pub(crate) fn preview(
    backend: &BackendSettings,
    call: &ForwardableCall,
    client: &RequestHead<'_>,
    public: &PublicAddress,
) -> Result<Value, Refusal> {
    let root = backend.roots.get(call.request().root);
    let root = root.ok_or_else(|| AddressFault::UnknownRoot.refusal())?;
    let writer = WordPressWriter::new(backend, &Authority::of(&root.origin_url, &backend.origin));
    let forwarded = Forwarded::new(client.client, public);
    let forwarded = ForwardedHeaders::new(&client.parts.headers, forwarded);
    let request = writer.write(&JudgedCall::new(call.clone()), &forwarded);
    let request = request.map_err(AddressFault::refusal)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let header = |(name, value): (&HeaderName, &HeaderValue)| {
        let is_secret = SECRET.contains(name);
        let value = if is_secret {
            "[redacted]".to_owned()
        } else {
            text(value.as_bytes())
        };
        (name.to_string(), value)
    };
    let headers = request.headers().iter().filter(|(name, _)| **name != MARK);
    Ok(json!({
        "method": request.method().as_str(),
        "url": request.url().as_str(),
        "headers": headers.map(header).collect::<Vec<_>>(),
        "body": request.body().and_then(Body::as_bytes).map(text),
    }))
}
