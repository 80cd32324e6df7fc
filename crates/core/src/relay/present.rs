//! Writing an accepted response for one client.

use bytes::Bytes;
use http::{HeaderValue, Response, header};
use http_body::Body;

use super::check::{AcceptedBody, AcceptedHead, AcceptedResponse};
use super::client_context::ClientContext;
use super::failure::BoxError;
use super::headers::public_headers;
use super::relay_body::RelayBody;
use super::rules::RelayRules;

/// Writes an accepted response for one client: listed headers, public URLs, cache directives. It adds no
/// cross-origin headers.
///
/// Clone a response that was kept [whole](AcceptedResponse::whole) first; this copies no byte of its body.
pub fn present<B>(
    response: AcceptedResponse<B>,
    client: &ClientContext,
    rules: &RelayRules,
) -> Response<RelayBody<B>>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    let (head, body) = response.into_parts();
    let body = public_body(&head, body, client, rules);
    let mut headers = public_headers(&head, client);
    if let Some(length) = body.length().filter(|&length| length > 0) {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    let mut response = Response::new(body);
    *response.status_mut() = head.status;
    *response.headers_mut() = headers;
    response
}

fn public_body<B>(
    head: &AcceptedHead,
    body: AcceptedBody<B>,
    client: &ClientContext,
    rules: &RelayRules,
) -> RelayBody<B> {
    let rewriter = || client.rewriter(head, head.content);
    match body {
        AcceptedBody::Absent => RelayBody::whole(Vec::new()),
        AcceptedBody::Whole(pieces) => {
            let mut pieces = rewriter().pieces(pieces);
            pieces.retain_mut(|piece| {
                *piece = rules.budget.count(std::mem::take(piece));
                !piece.is_empty()
            });
            RelayBody::whole(pieces)
        }
        AcceptedBody::Partial {
            beginning,
            rest,
            limit,
            filters,
        } => RelayBody::streaming(
            (beginning, rest),
            filters,
            rewriter(),
            limit,
            rules.budget.clone(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use http::{Method, StatusCode};
    use http_body_util::{BodyExt, Full};

    use super::*;
    use crate::relay::cors::Audience;
    use crate::relay::frames::{Frames, frames};
    use crate::relay::{BufferBudget, CallContext, Content, LearntRoots, OriginFailure, accept};
    use crate::settings::{OriginNamespace, Settings};

    const ITEM: &str = r#"{"rest_url":"http:\/\/site.example\/wp-json\/tribe\/events\/v1\/events\/56"}"#;

    fn rules(change: impl Fn(&mut Settings)) -> RelayRules {
        let mut settings = Settings::for_origin("http://10.0.0.5/wp-json".parse().unwrap());
        settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
        change(&mut settings);
        let site = settings.site();
        let budget = BufferBudget::new(site.response_buffer_total);
        RelayRules::new(&site, &LearntRoots::default(), &budget)
    }

    fn call(method: Method) -> CallContext {
        CallContext {
            root: 0,
            method,
            content: Content::Records,
            operation: None,
            may_be_script: false,
            enveloped: false,
            may_change_language: false,
            target: "/".into(),
        }
    }

    fn client(public_base: &str) -> ClientContext {
        ClientContext {
            public_base: public_base.into(),
            namespace: None,
            audience: Audience::Public,
        }
    }

    fn json(status: u16, body: &str) -> Response<Full<Bytes>> {
        let response = Response::builder().status(status);
        let response = response.header(header::CONTENT_TYPE, "application/json");
        let link = r#"<http://site.example/wp-json/>; rel="https://api.w.org/""#;
        let body = Full::new(Bytes::copy_from_slice(body.as_bytes()));
        response.header(header::LINK, link).body(body).unwrap()
    }

    /// Accepts a response to a call and presents it.
    async fn relay(
        response: Response<Full<Bytes>>,
        method: Method,
        rules: &RelayRules,
    ) -> Result<Response<RelayBody<Full<Bytes>>>, OriginFailure> {
        let accepted = accept(response, &call(method), rules).await?;
        Ok(present(accepted, &client("https://events.example.org"), rules))
    }

    async fn accept_pieces(
        pieces: &[&str],
        rules: &RelayRules,
    ) -> Result<AcceptedResponse<Frames>, OriginFailure> {
        let (head, _) = json(200, "").into_parts();
        let response = Response::from_parts(head, frames(pieces));
        accept(response, &call(Method::GET), rules).await
    }

    async fn text<B>(response: Response<RelayBody<B>>) -> String
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Into<BoxError>,
    {
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_response_is_rewritten_by_the_root_it_names_itself() {
        let response = relay(json(200, ITEM), Method::GET, &rules(|_| {})).await.unwrap();
        let length = response.headers()[header::CONTENT_LENGTH].clone();
        let text = text(response).await;
        assert_eq!(
            text,
            r#"{"rest_url":"https:\/\/events.example.org\/wp-json\/calendar\/events\/v1\/events\/56"}"#
        );
        assert_eq!(length, text.len().to_string());
    }

    #[tokio::test]
    async fn no_root_is_learnt_from_errors() {
        let rules = rules(|_| {});
        let response = relay(json(404, ITEM), Method::GET, &rules).await.unwrap();
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
        assert_eq!(text(response).await, ITEM);
        relay(json(200, "{}"), Method::GET, &rules).await.unwrap();
        let response = relay(json(404, ITEM), Method::GET, &rules).await.unwrap();
        assert!(text(response).await.contains("events.example.org"));
    }

    #[tokio::test]
    async fn a_body_larger_than_the_buffer_is_streamed() {
        let rules = rules(|settings| settings.limits.response_buffer_bytes = 10);
        let response = relay(json(200, ITEM), Method::GET, &rules).await.unwrap();
        assert!(!response.headers().contains_key(header::CONTENT_LENGTH));
        assert!(
            text(response)
                .await
                .contains(r"\/calendar\/events\/v1\/events\/56")
        );
    }

    #[tokio::test]
    async fn a_large_list_is_the_same_in_whatever_pieces_it_arrives() {
        let list = format!(
            r#"{{"events":[{}],"total":500,"total_pages":1}}"#,
            [ITEM; 500].join(",")
        );
        let at_once = relay(json(200, &list), Method::GET, &rules(|_| {})).await;
        let at_once = text(at_once.unwrap()).await;
        let rules = rules(|_| {});
        for cut in 10_000..10_100 {
            let (left, right) = list.split_at(cut);
            assert!(accept_pieces(&[left, left], &rules).await.is_err(), "{cut}");
            let accepted = accept_pieces(&[left, right], &rules).await.unwrap();
            let response = present(accepted, &client("https://events.example.org"), &rules);
            let length = response.headers()[header::CONTENT_LENGTH].clone();
            assert_eq!(length, at_once.len().to_string());
            assert_eq!(text(response).await, at_once, "{cut}");
        }
    }

    #[tokio::test]
    async fn a_response_over_the_limit_fails_before_it_begins() {
        let rules = rules(|settings| settings.limits.response_bytes = 10);
        let failure = relay(json(200, ITEM), Method::GET, &rules).await.unwrap_err();
        assert!(matches!(failure, OriginFailure::TooLarge { limit: 10 }));
    }

    #[tokio::test]
    async fn a_response_to_head_has_no_body() {
        let response = relay(json(200, ITEM), Method::HEAD, &rules(|_| {}))
            .await
            .unwrap();
        assert!(!response.headers().contains_key(header::CONTENT_LENGTH));
        assert_eq!(text(response).await, "");
    }

    #[tokio::test]
    async fn a_whole_response_is_kept_and_presented_to_every_client() {
        let rules = rules(|_| {});
        let accepted = accept(json(200, ITEM), &call(Method::GET), &rules).await.unwrap();
        let kept: AcceptedResponse<Full<Bytes>> = accepted.whole().unwrap();
        for base in ["https://events.example.org", "http://localhost:8787"] {
            let response = present(kept.clone(), &client(base), &rules);
            let link = format!("<{base}/wp-json/>; rel=\"https://api.w.org/\"");
            assert_eq!(response.headers()[header::LINK], link);
            assert!(text(response).await.contains(&base.replace('/', r"\/")), "{base}");
        }
    }

    #[tokio::test]
    async fn an_incomplete_response_cannot_be_kept() {
        let rules = rules(|settings| settings.limits.response_buffer_bytes = 10);
        let accepted = accept(json(200, ITEM), &call(Method::GET), &rules).await.unwrap();
        assert!(accepted.whole::<Full<Bytes>>().is_none());
    }
}
