//! One answer, from the origin's bytes to the client's: the order of judging, learning and rewriting.

use std::sync::Arc;

use bytes::Bytes;
use http::response::Parts;
use http::{HeaderValue, Response, StatusCode, header};
use http_body::Body;

use super::body::{Held, RelayBody, hold};
use super::failure::{BoxError, OriginFailure};
use super::headers::relayed;
use super::judge::{Due, Expectation, Seen, judge_body, judge_head};
use super::page::PAGE_BYTES;
use super::rewrite::Rewriter;
use super::rules::RelayContext;
use super::url_map::UrlMap;

/// Turns the origin's answer to a calendar call into the client's answer, or says why there is none.
///
/// Waits for nothing but frames of the body: up to `limits.response_buffer_bytes` before it returns, so that
/// a broken answer becomes a clean 502, and the rest while the client reads. It is less while
/// `limits.response_buffer_total` wait for clients. The deadline is the caller's.
/// Body types that are not `Unpin` have to be boxed.
///
/// # Errors
///
/// When the answer is none that WordPress's REST API gives, or broke off.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
///
/// use bytes::Bytes;
/// use calendar_edge::settings::Settings;
/// use calendar_edge::relay::{Audience, Content, RelayContext, RelayRules, Script, relay};
/// use http_body_util::{BodyExt, Full};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let mut settings = Settings::for_origin("http://10.0.0.5/wp-json".parse()?);
/// settings.origin.namespace = "tribe/events/v1".to_owned();
/// let context = RelayContext {
///     rules: Arc::new(RelayRules::new(&settings)),
///     root: 0,
///     public_base: "https://events.example.org".into(),
///     method: http::Method::GET,
///     origin: None,
///     audience: Audience::Everybody,
///     content: Content::Records,
///     script: Script::Refused,
///     enveloped: false,
/// };
/// let answer = http::Response::builder()
///     .header("Content-Type", "application/json; charset=UTF-8")
///     .body(Full::new(Bytes::from_static(
///         br#"{"rest_url":"http:\/\/10.0.0.5\/wp-json\/tribe\/events\/v1\/events\/56"}"#,
///     )))?;
///
/// let relayed = relay(answer, context).await?;
///
/// assert_eq!(
///     relayed.into_body().collect().await?.to_bytes(),
///     br#"{"rest_url":"https:\/\/events.example.org\/wp-json\/calendar\/events\/v1\/events\/56"}"#.as_slice(),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn relay<B>(
    answer: Response<B>,
    context: RelayContext,
) -> Result<Response<RelayBody<B>>, OriginFailure>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    let (head, body) = answer.into_parts();
    let rules = &context.rules;
    let due = judge_head(
        head.status,
        &head.headers,
        Expectation {
            method: &context.method,
            script: context.script,
            dialled: rules.urls.dialled(context.root),
        },
    )?;
    if due == Due::Nothing {
        return Ok(answer_with(RelayBody::none(), &head, &rules.urls.map(), &context));
    }
    let limit = rules.answer_bytes;
    if due != Due::Page && body.size_hint().lower() > limit {
        return Err(OriginFailure::TooLarge { limit });
    }
    let room = match due {
        Due::Page => PAGE_BYTES,
        Due::Nothing | Due::Json | Due::Script => rules.shelf.room(rules.answer_buffer_bytes),
    };
    let reading = hold(body, room).await?;
    let seen = match &reading {
        Held::Whole(bytes) => Seen::Whole(bytes),
        Held::Beginning(bytes, _) => Seen::Beginning(bytes),
    };
    judge_body(head.status, &head.headers, due, seen)?;
    let (Held::Whole(bytes) | Held::Beginning(bytes, _)) = &reading;
    if bytes.len() as u64 > limit {
        return Err(OriginFailure::TooLarge { limit });
    }
    let map = if head.status == StatusCode::OK {
        rules.urls.observe(context.root, &head.headers)
    } else {
        rules.urls.map()
    };
    let rewriter = Rewriter::new(&map, &context.public_base, context.root, context.content);
    let body = match reading {
        Held::Whole(bytes) => RelayBody::whole(rules.shelf.put(rewriter.whole(bytes))),
        Held::Beginning(beginning, rest) => {
            RelayBody::streaming(beginning, rest, rewriter, limit, rules.shelf.clone())
        }
    };
    Ok(answer_with(body, &head, &map, &context))
}

fn answer_with<B>(
    body: RelayBody<B>,
    head: &Parts,
    map: &Arc<UrlMap>,
    context: &RelayContext,
) -> Response<RelayBody<B>> {
    let mut headers = relayed(head.status, &head.headers, map, context);
    if let Some(length) = body.length().filter(|&length| length > 0) {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    let mut answer = Response::new(body);
    *answer.status_mut() = head.status;
    *answer.headers_mut() = headers;
    answer
}

#[cfg(test)]
mod tests {
    use http::Method;
    use http_body_util::{BodyExt, Full};

    use super::*;
    use crate::relay::{Audience, Content, RelayRules, Script};
    use crate::settings::Settings;

    const ITEM: &str = r#"{"rest_url":"http:\/\/site.example\/wp-json\/tribe\/events\/v1\/events\/56"}"#;

    fn context(change: impl Fn(&mut Settings)) -> RelayContext {
        let mut settings = Settings::for_origin("http://10.0.0.5/wp-json".parse().unwrap());
        settings.origin.namespace = "tribe/events/v1".to_owned();
        change(&mut settings);
        RelayContext {
            rules: Arc::new(RelayRules::new(&settings)),
            root: 0,
            public_base: "https://events.example.org".into(),
            method: Method::GET,
            origin: None,
            audience: Audience::Everybody,
            content: Content::Records,
            script: Script::Refused,
            enveloped: false,
        }
    }

    fn json(status: u16, body: &str) -> Response<Full<Bytes>> {
        let answer = Response::builder().status(status);
        let answer = answer.header(header::CONTENT_TYPE, "application/json");
        let link = r#"<http://site.example/wp-json/>; rel="https://api.w.org/""#;
        let body = Full::new(Bytes::copy_from_slice(body.as_bytes()));
        answer.header(header::LINK, link).body(body).unwrap()
    }

    async fn text(answer: Response<RelayBody<Full<Bytes>>>) -> String {
        let bytes = answer.into_body().collect().await.unwrap().to_bytes();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[tokio::test]
    async fn an_answer_is_rewritten_by_the_root_it_names_itself() {
        let answer = relay(json(200, ITEM), context(|_| {})).await.unwrap();
        let length = answer.headers()[header::CONTENT_LENGTH].clone();
        let text = text(answer).await;
        assert_eq!(
            text,
            r#"{"rest_url":"https:\/\/events.example.org\/wp-json\/calendar\/events\/v1\/events\/56"}"#
        );
        assert_eq!(length, text.len().to_string());
    }

    #[tokio::test]
    async fn errors_teach_no_root() {
        let context = context(|_| {});
        let answer = relay(json(404, ITEM), context.clone()).await.unwrap();
        assert_eq!(answer.status(), StatusCode::NOT_FOUND);
        assert_eq!(text(answer).await, ITEM);
        relay(json(200, "{}"), context.clone()).await.unwrap();
        let answer = relay(json(404, ITEM), context).await.unwrap();
        assert!(text(answer).await.contains("events.example.org"));
    }

    #[tokio::test]
    async fn what_does_not_fit_the_buffer_streams() {
        let context = context(|settings| settings.limits.response_buffer_bytes = 10);
        let answer = relay(json(200, ITEM), context).await.unwrap();
        assert!(!answer.headers().contains_key(header::CONTENT_LENGTH));
        assert!(text(answer).await.contains(r"\/calendar\/events\/v1\/events\/56"));
    }

    #[tokio::test]
    async fn an_answer_over_the_limit_fails_before_it_begins() {
        let context = context(|settings| settings.limits.response_bytes = 10);
        let failure = relay(json(200, ITEM), context).await.unwrap_err();
        assert!(matches!(failure, OriginFailure::TooLarge { limit: 10 }));
    }

    #[tokio::test]
    async fn an_answer_to_head_has_a_head_only() {
        let context = RelayContext {
            method: Method::HEAD,
            ..context(|_| {})
        };
        let answer = relay(json(200, ITEM), context).await.unwrap();
        assert!(!answer.headers().contains_key(header::CONTENT_LENGTH));
        assert_eq!(text(answer).await, "");
    }
}
