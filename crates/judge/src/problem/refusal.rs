//! A problem as a response: status and body, laid out and wrapped by the client's parameters.

use bytes::Bytes;
use http::{Method, StatusCode};
use serde_json::json;

use super::catalogue::Problem;
use super::own::OwnError;
use super::php_json::to_php_json;
use super::style::Style;
use super::words::Words;
use crate::contract::{Route, table};

/// A response that the edge sends instead of the origin's.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    body: Bytes,
    style: Style,
    allow: Allow,
    problem: Problem,
}

/// The `Allow` header that WordPress sends with a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Allow {
    /// No `Allow` header, because no route was matched.
    #[default]
    Absent,
    /// The methods that an anonymous caller may use on every route.
    Get,
    /// Every method that the table has for a route.
    Route(Route),
}

// === impl Allow ===

impl Allow {
    /// The value of the header.
    pub fn methods(self) -> Option<String> {
        match self {
            Self::Absent => None,
            Self::Get => Some("GET".to_owned()),
            Self::Route(route) => {
                let operations = table().on_route(route);
                let methods = operations.flat_map(|operation| operation.id.action.methods());
                let names: Vec<&str> = methods.map(Method::as_str).collect();
                Some(names.join(", ").replacen("GET", "GET, HEAD", 1))
            }
        }
    }
}

// === impl OwnError ===

impl OwnError {
    /// The response with this error, to a request that is not known to be a call.
    pub fn refusal(&'static self) -> Refusal {
        Refusal::plain(Problem::Own(self))
    }
}

// === impl Refusal ===

impl Refusal {
    /// The response to a problem, in English.
    pub fn new(problem: Problem, style: Style, allow: Allow) -> Self {
        Self {
            body: written(&problem, style, allow, &Words::english()),
            style,
            allow,
            problem,
        }
    }

    /// The same response in the words of a site.
    #[must_use]
    pub fn in_words(mut self, words: &Words) -> Self {
        if !words.is_english() {
            self.body = written(&self.problem, self.style, self.allow, words);
        }
        self
    }

    /// The response to a problem that belongs to no particular call.
    pub fn plain(problem: Problem) -> Self {
        Self::new(problem, Style::default(), Allow::Absent)
    }

    /// 404 `rest_no_route`.
    pub fn no_route() -> Self {
        Self::plain(Problem::NoRoute)
    }

    /// The status of the response: 200 in an envelope.
    pub const fn status(&self) -> StatusCode {
        if self.style.enveloped {
            StatusCode::OK
        } else {
            self.problem.status()
        }
    }

    /// The JSON body, to be sent as `application/json; charset=UTF-8`.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The `Allow` header to send; none in an envelope, whose body contains it.
    pub fn allow(&self) -> Allow {
        self.allow
    }

    /// The error code, for logs and metrics.
    pub const fn code(&self) -> &'static str {
        self.problem.code()
    }

    /// The reason of the refusal.
    pub const fn problem(&self) -> &Problem {
        &self.problem
    }
}

fn written(problem: &Problem, style: Style, allow: Allow, words: &Words) -> Bytes {
    let bare = problem.to_json(words);
    let json = if style.enveloped {
        envelope(&bare, problem.status(), allow)
    } else {
        bare
    };
    Bytes::from(to_php_json(&json, style.is_pretty))
}

fn envelope(body: &serde_json::Value, status: StatusCode, allow: Allow) -> serde_json::Value {
    let headers = match allow.methods() {
        None => json!([]),
        Some(methods) => json!({"Allow": methods}),
    };
    json!({"body": body, "status": status.as_u16(), "headers": headers})
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::{Fault, InvalidParameter};
    use super::*;
    use crate::contract::Schema;

    fn body(problem: Problem) -> String {
        String::from_utf8(Refusal::plain(problem).body().to_vec()).expect("JSON is UTF-8")
    }

    #[test]
    fn a_refusal_says_which_methods_there_are() {
        let of_list = Allow::Route(Route::Collection(crate::contract::Kind::Event)).methods();
        assert_eq!(of_list.as_deref(), Some("GET, HEAD, POST"));
        assert_eq!(Allow::Get.methods().as_deref(), Some("GET"));
        assert_eq!(Allow::Absent.methods(), None);
    }

    #[test]
    fn speaks_wordpress() {
        let invalid = |fault| {
            vec![InvalidParameter {
                name: "featured",
                fault,
            }]
        };
        let cases = [
            (
                Problem::Missing(vec!["title", "start_date"]),
                r#"{"code":"rest_missing_callback_param","message":"Missing parameter(s): title, start_date","data":{"status":400,"params":["title","start_date"]}}"#,
            ),
            (
                Problem::Invalid(invalid(Fault::Invalid)),
                r#"{"code":"rest_invalid_param","message":"Invalid parameter(s): featured","data":{"status":400,"params":{"featured":"Invalid parameter."},"details":[]}}"#,
            ),
            (
                Problem::Invalid(invalid(Fault::Type(Schema::Boolean))),
                r#"{"code":"rest_invalid_param","message":"Invalid parameter(s): featured","data":{"status":400,"params":{"featured":"featured is not of type boolean."},"details":{"featured":{"code":"rest_invalid_type","message":"featured is not of type boolean.","data":{"param":"featured"}}}}}"#,
            ),
            (
                Problem::InvalidCallback,
                r#"{"code":"rest_callback_invalid","message":"Invalid JSONP callback function."}"#,
            ),
        ];
        for (problem, expected) in cases {
            assert_eq!(body(problem), expected);
        }
    }

    #[test]
    fn hides_the_status_in_an_envelope() {
        let style = Style {
            enveloped: true,
            ..Style::default()
        };
        let refusal = Refusal::new(Problem::NoRoute, style, Allow::Absent);
        assert_eq!(refusal.status(), StatusCode::OK);
        assert!(refusal.body().ends_with(br#""status":404,"headers":[]}"#));
    }
}
