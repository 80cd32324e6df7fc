//! Cross-origin headers on every response of the calendar API, relayed or the edge's own. No other code writes them.
//!
//! The layer is above the head checks and above panics, so that web pages can read those refusals too. It also adds the
//! headers to responses to preflights. The gateway recognises a preflight, because only those for the calendar are
//! responded to here, and the target is located below the head checks. The rest of the site responds to its own.

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderValue, Method};

use super::around::AroundRequest;
use super::arrived_request::ArrivedRequest;
use super::response::EdgeResponse;
use crate::server::response::ResponseSource;
use calendar_edge_core::relay::cors::{Audience, Preflight, sole_origin};
use calendar_edge_core::settings::CorsSettings;
use calendar_edge_judge::call::credentials::Caller;

/// Lets web pages read responses.
#[derive(Debug, Clone)]
pub(super) struct Cors {
    rules: Arc<CorsSettings>,
}

/// The facts of a request about its web page.
#[derive(Debug)]
pub(super) struct RequestingPage {
    method: Method,
    audience: Audience,
    origin: Option<HeaderValue>,
    preflight: Option<Preflight>,
}

// === impl Cors ===

impl Cors {
    pub(super) fn new(settings: CorsSettings) -> Self {
        Self {
            rules: Arc::new(settings),
        }
    }
}

impl AroundRequest for Cors {
    type Facts = (Arc<CorsSettings>, RequestingPage);

    fn request<B>(&self, request: &mut ArrivedRequest<B>) -> Self::Facts {
        (Arc::clone(&self.rules), RequestingPage::of(&request.head))
    }

    fn response((rules, page): &mut Self::Facts, answer: &mut EdgeResponse) {
        page.write(rules, answer);
    }
}

// === impl RequestingPage ===

impl RequestingPage {
    fn of(head: &Parts) -> Self {
        let audience = match Caller::shown_by(&head.headers) {
            Caller::Anonymous => Audience::Public,
            Caller::Credentialed => Audience::OneClient,
        };
        Self {
            method: head.method.clone(),
            audience,
            origin: sole_origin(&head.headers).cloned(),
            preflight: Preflight::of(&head.method, &head.headers),
        }
    }

    fn write(&self, rules: &CorsSettings, answer: &mut EdgeResponse) {
        match (answer.facts.by(), &self.preflight) {
            (Some(ResponseSource::Preflight), Some(preflight)) => {
                rules.write_preflight(preflight, answer.headers_mut());
            }
            // A preflight without a permission, and the rest of the site.
            (Some(ResponseSource::Preflight), None) | (None, _) => {}
            (Some(_), _) => {
                // For a relayed response the gateway knows the audience better than the head shows.
                let known = answer.facts.audience();
                let audience = known.unwrap_or(self.audience);
                let is_public = audience.is_public(&self.method);
                rules.write(is_public, self.origin.as_ref(), answer.headers_mut());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use http::header::{
        ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_REQUEST_METHOD,
        AUTHORIZATION, ORIGIN,
    };
    use http::{HeaderMap, Request, Response};

    use super::*;
    use crate::layers::ResponseFacts;

    fn request(method: Method, fields: &[(http::HeaderName, &str)]) -> RequestingPage {
        let mut request = Request::new(());
        *request.method_mut() = method;
        for (name, value) in fields {
            let value = HeaderValue::from_str(value).unwrap();
            request.headers_mut().insert(name, value);
        }
        RequestingPage::of(&request.into_parts().0)
    }

    const REFUSED: ResponseFacts = ResponseFacts::Edge(ResponseSource::Edge { code: "x" });

    fn answered(facts: ResponseFacts) -> EdgeResponse {
        EdgeResponse {
            response: Response::default(),
            facts,
        }
    }

    fn relayed(audience: Audience) -> ResponseFacts {
        ResponseFacts::Calendar {
            by: ResponseSource::Backend,
            audience,
            codings: None,
        }
    }

    fn written(page: &RequestingPage, mut answer: EdgeResponse) -> HeaderMap {
        page.write(&CorsSettings::default(), &mut answer);
        answer.response.into_parts().0.headers
    }

    #[test]
    fn every_answer_of_the_calendar_may_be_read() {
        let page = request(Method::GET, &[]);
        for facts in [REFUSED, relayed(Audience::Public)] {
            let headers = written(&page, answered(facts));
            assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        }
    }

    #[test]
    fn the_rest_of_the_site_speaks_for_itself() {
        let page = request(Method::GET, &[]);
        assert_eq!(
            written(&page, answered(ResponseFacts::Unchanged)),
            HeaderMap::new()
        );
    }

    #[test]
    fn a_relayed_answer_knows_its_audience() {
        let anonymous = request(Method::GET, &[]);
        let personal = answered(relayed(Audience::OneClient));
        assert_eq!(written(&anonymous, personal), HeaderMap::new());
        let credentialed = request(Method::GET, &[(AUTHORIZATION, "Basic x")]);
        let refused = answered(REFUSED);
        assert_eq!(written(&credentialed, refused), HeaderMap::new());
    }

    #[test]
    fn a_preflight_is_permitted_only_where_the_gateway_found_one() {
        let fields = [
            (ORIGIN, "https://a.example"),
            (ACCESS_CONTROL_REQUEST_METHOD, "GET"),
        ];
        let page = request(Method::OPTIONS, &fields);
        let permitted = answered(ResponseFacts::Edge(ResponseSource::Preflight));
        let headers = written(&page, permitted);
        assert!(headers.contains_key(ACCESS_CONTROL_ALLOW_METHODS));
        let refused = answered(REFUSED);
        assert!(!written(&page, refused).contains_key(ACCESS_CONTROL_ALLOW_METHODS));
    }
}
