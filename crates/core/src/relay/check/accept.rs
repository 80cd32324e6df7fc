//! Accepting a response: the order in which it is judged and learnt from.

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use http_body::Body;

use super::accepted::{AcceptedBody, AcceptedHead, AcceptedResponse};
use super::buffer::{Buffered, buffer};
use super::call_context::CallContext;
use super::judge::{ExpectedBody, judge_body, judge_head, received};
use super::redirect::{redirect, redirect_within};
use super::wordpress::PAGE_BYTES;
use crate::relay::failure::{BoxError, OriginFailure};
use crate::relay::link::api_target;
use crate::relay::rules::RelayRules;

/// Judges the backend's response to a calendar call, and learns the backend's root from it.
///
/// It waits only for frames of the body. It reads up to `limits.response_buffer_bytes` before it returns, so
/// that a broken response becomes a clean 502, and the rest while the client reads. It reads less in advance
/// while `limits.response_buffer_total` bytes are buffered for clients. The caller must set the deadline, and
/// must box body types that are not `Unpin`.
///
/// # Errors
///
/// Fails if WordPress's REST API does not give such a response, or if the body broke off.
///
/// # Example
///
/// ```
/// use bytes::Bytes;
/// use calendar_edge_core::settings::{OriginNamespace, Settings};
/// use calendar_edge_core::relay::cors::Audience;
/// use calendar_edge_core::relay::{
///     BufferBudget, CallContext, ClientContext, Content, LearntRoots, RelayRules, accept, present,
/// };
/// use http_body_util::{BodyExt, Full};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let mut settings = Settings::for_origin("http://10.0.0.5/wp-json".parse()?);
/// settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
/// let site = settings.site();
/// let budget = BufferBudget::new(site.response_buffer_total);
/// let rules = RelayRules::new(&site, &LearntRoots::default(), &budget);
/// let call = CallContext {
///     root: 0,
///     method: http::Method::GET,
///     content: Content::Records,
///     operation: None,
///     may_be_script: false,
///     enveloped: false,
///     may_change_language: false,
///     target: "/wp-json/tribe/events/v1/events/56".into(),
/// };
/// let client = ClientContext {
///     public_base: "https://events.example.org".into(),
///     namespace: None,
///     audience: Audience::Public,
/// };
/// let response = http::Response::builder()
///     .header("Content-Type", "application/json; charset=UTF-8")
///     .body(Full::new(Bytes::from_static(
///         br#"{"rest_url":"http:\/\/10.0.0.5\/wp-json\/tribe\/events\/v1\/events\/56"}"#,
///     )))?;
///
/// let accepted = accept(response, &call, &rules).await?;
/// let relayed = present(accepted, &client, &rules);
///
/// assert_eq!(
///     relayed.into_body().collect().await?.to_bytes(),
///     br#"{"rest_url":"https:\/\/events.example.org\/wp-json\/calendar\/events\/v1\/events\/56"}"#.as_slice(),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn accept<B>(
    response: Response<B>,
    call: &CallContext,
    rules: &RelayRules,
) -> Result<AcceptedResponse<B>, OriginFailure>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    let (head, body) = response.into_parts();
    if head.status.is_redirection() && head.status != StatusCode::NOT_MODIFIED {
        return redirected(head.status, &head.headers, call, rules);
    }
    let Some(expected) = judge_head(head.status, &head.headers, call)? else {
        let head = (head.status, head.headers);
        return Ok(accepted(head, (AcceptedBody::Absent, false), call, rules));
    };
    let body = judged_body(head.status, &head.headers, expected, body, rules).await?;
    Ok(accepted((head.status, head.headers), body, call, rules))
}

/// A redirect, whose body is dropped.
fn redirected<B>(
    status: StatusCode,
    headers: &HeaderMap,
    call: &CallContext,
    rules: &RelayRules,
) -> Result<AcceptedResponse<B>, OriginFailure> {
    let Some(headers) = redirect_within(status, headers, call, &rules.urls) else {
        return Err(redirect(status, headers, call, &rules.urls));
    };
    let head = (status, headers);
    Ok(accepted(head, (AcceptedBody::Absent, false), call, rules))
}

/// The response with the names of its URLs. A printed name that no root has is the requested root's, unless the
/// response may be in another language.
fn accepted<B>(
    (status, headers): (StatusCode, HeaderMap),
    (body, had_byte_order_mark): (AcceptedBody<B>, bool),
    call: &CallContext,
    rules: &RelayRules,
) -> AcceptedResponse<B> {
    let own = (!call.may_change_language).then_some(call.root);
    let printed = api_target(&headers);
    let map = if status == StatusCode::OK && !matches!(body, AcceptedBody::Absent) {
        // A successful response is rewritten by the names that it prints itself.
        rules.urls.learn(call.root, printed, call.may_change_language)
    } else {
        rules.urls.map()
    };
    let head = AcceptedHead {
        status,
        named_root: printed.and_then(|printed| map.root_named(printed, call.root).or(own)),
        headers,
        map,
        root: call.root,
        content: call.content,
        operation: call.operation,
        enveloped: call.enveloped,
        had_byte_order_mark,
        other: rules.urls.other,
    };
    AcceptedResponse::new(head, body)
}

/// Reads a body until it ends or the buffer is full, and judges the bytes. The flag is true if a byte order mark was taken
/// away.
async fn judged_body<B>(
    status: StatusCode,
    headers: &HeaderMap,
    expected: ExpectedBody,
    body: B,
    rules: &RelayRules,
) -> Result<(AcceptedBody<B>, bool), OriginFailure>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    let limit = rules.response_bytes;
    if expected != ExpectedBody::Page && body.size_hint().lower() > limit {
        return Err(OriginFailure::TooLarge { limit });
    }
    let size = match expected {
        ExpectedBody::Page => PAGE_BYTES,
        ExpectedBody::Json | ExpectedBody::Script => rules.budget.allowance(rules.response_buffer_bytes),
    };
    let mut buffered = buffer(body, size).await?;
    let had_mark = expected == ExpectedBody::Json && buffered.take_byte_order_marks();
    let received = received(&mut buffered, expected, rules.software);
    judge_body(status, headers, (expected, received), rules.software)?;
    if buffered.len() as u64 > limit {
        return Err(OriginFailure::TooLarge { limit });
    }
    let Buffered { pieces, rest } = buffered;
    let body = match rest {
        None => AcceptedBody::Whole(pieces),
        Some(rest) => AcceptedBody::Partial {
            beginning: pieces,
            rest,
            limit,
            filters: Vec::new(),
        },
    };
    Ok((body, had_mark))
}
