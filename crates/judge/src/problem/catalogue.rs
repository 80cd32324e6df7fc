//! The possible problems of a request, and the JSON that describes them.

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::own::{OwnError, REQUEST_ERROR};
use super::words::{Message, Words};
use crate::contract::Schema;
use crate::wordpress::payload::{JsonError, JsonRefusal};

/// A reason not to forward a request, or not to relay a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// No route matches path and method.
    NoRoute,
    /// OPTIONS without a route: WordPress responds with an empty description and 200.
    NothingToDescribe,
    /// The index was requested for a namespace that the edge does not serve.
    InvalidNamespace,
    /// The `_jsonp` name is not a callback name.
    InvalidCallback,
    /// `_jsonp` is not offered.
    CallbackDisabled,
    /// The JSON body does not decode.
    InvalidJson(JsonError),
    /// Required arguments are missing; names are in declaration order.
    Missing(Vec<&'static str>),
    /// Arguments are invalid, in the order in which WordPress lists them.
    Invalid(Vec<InvalidParameter>),
    /// A write without credentials.
    Forbidden,
    /// An error that does not exist in WordPress.
    Own(&'static OwnError),
}

/// One entry of `rest_invalid_param`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidParameter {
    /// The argument.
    pub name: &'static str,
    /// The fault of its value.
    pub fault: Fault,
}

/// The fault of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A validate callback rejected it.
    Invalid,
    /// It is not of the schema's type.
    Type(Schema),
    /// The strict profile rejects it; the sentence explains why.
    Strict(&'static str),
}

// === impl Problem ===

impl From<JsonRefusal> for Problem {
    fn from(refusal: JsonRefusal) -> Self {
        match refusal {
            JsonRefusal::Invalid(error) => Self::InvalidJson(error),
            JsonRefusal::TooManyElements => Self::Own(OwnError::TOO_MANY_JSON_ELEMENTS),
        }
    }
}

impl Problem {
    /// The HTTP status that WordPress responds with.
    pub const fn status(&self) -> StatusCode {
        match self {
            Self::NoRoute | Self::InvalidNamespace => StatusCode::NOT_FOUND,
            Self::NothingToDescribe => StatusCode::OK,
            Self::Forbidden => StatusCode::UNAUTHORIZED,
            Self::InvalidCallback
            | Self::CallbackDisabled
            | Self::InvalidJson(_)
            | Self::Missing(_)
            | Self::Invalid(_) => StatusCode::BAD_REQUEST,
            Self::Own(own) => own.status,
        }
    }

    /// The stable error code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoRoute | Self::NothingToDescribe => "rest_no_route",
            Self::InvalidNamespace => "rest_invalid_namespace",
            Self::InvalidCallback => "rest_callback_invalid",
            Self::CallbackDisabled => "rest_callback_disabled",
            Self::InvalidJson(_) => "rest_invalid_json",
            Self::Missing(_) => "rest_missing_callback_param",
            Self::Invalid(_) => "rest_invalid_param",
            Self::Forbidden => "rest_forbidden",
            Self::Own(own) => own.code,
        }
    }

    /// The kind of failure, as `Proxy-Status` names it (RFC 9209 section 2.3).
    pub const fn proxy_error(&self) -> &'static str {
        match self {
            Self::Own(own) => own.proxy_error,
            _ => REQUEST_ERROR,
        }
    }

    /// The reason for which a request with this problem is refused in modes that forward calls that break a rule.
    pub const fn held_in_every_mode(&self) -> &'static str {
        match self {
            Self::NoRoute | Self::NothingToDescribe => "no route of the calendar matches path and method",
            Self::InvalidNamespace => "the edge does not serve this namespace",
            Self::InvalidCallback | Self::CallbackDisabled => {
                "the response would be a script that any page can run; see `allow_jsonp`"
            }
            Self::InvalidJson(_) => "the body cannot be read, so it cannot be written again",
            Self::Missing(_) | Self::Invalid(_) => "the call cannot be written in canonical form",
            Self::Forbidden => "the site would refuse the write as well",
            Self::Own(own) => own.meaning,
        }
    }

    /// The error body, in a site's words.
    pub fn to_json(&self, words: &Words) -> Value {
        let status = self.status().as_u16();
        let with_data =
            |message: String, data: Value| json!({"code": self.code(), "message": message, "data": data});
        let just_status = json!({"status": status});
        match self {
            Self::NoRoute => with_data(words.sentence(Message::NoRoute, &[]), just_status),
            Self::NothingToDescribe => json!([]),
            Self::InvalidNamespace => with_data(words.sentence(Message::InvalidNamespace, &[]), just_status),
            // WordPress sends no data with these two.
            Self::InvalidCallback => {
                json!({"code": self.code(), "message": words.sentence(Message::InvalidCallback, &[])})
            }
            Self::CallbackDisabled => {
                json!({"code": self.code(), "message": words.sentence(Message::CallbackDisabled, &[])})
            }
            // PHP's sentence, which is never translated.
            Self::InvalidJson(error) => with_data(
                words.sentence(Message::InvalidJson, &[]),
                json!({
                    "status": status,
                    "json_error_code": error.code(),
                    "json_error_message": error.to_string(),
                }),
            ),
            Self::Missing(names) => with_data(
                words.sentence(Message::Missing, &[&names.join(", ")]),
                json!({"status": status, "params": names}),
            ),
            Self::Invalid(parameters) => with_data(
                words.sentence(Message::Invalid, &[&joined(parameters)]),
                invalid(parameters, status, words),
            ),
            Self::Forbidden => with_data(words.sentence(Message::Forbidden, &[]), just_status),
            Self::Own(own) => with_data(own.sentence.to_owned(), just_status),
        }
    }
}

fn joined(parameters: &[InvalidParameter]) -> String {
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
    names.join(", ")
}

fn invalid(parameters: &[InvalidParameter], status: u16, words: &Words) -> Value {
    let messages: Map<String, Value> = parameters
        .iter()
        .map(|parameter| (parameter.name.to_owned(), parameter.message(words).into()))
        .collect();
    let details = parameters.iter().filter_map(|parameter| parameter.detail(words));
    let details: Map<String, Value> = details.collect();
    // PHP prints an empty array as a list.
    let details = if details.is_empty() {
        json!([])
    } else {
        Value::Object(details)
    };
    json!({"status": status, "params": messages, "details": details})
}

// === impl InvalidParameter ===

impl InvalidParameter {
    /// The message that WordPress writes beside the name.
    fn message(&self, words: &Words) -> String {
        match self.fault {
            Fault::Invalid => words.sentence(Message::InvalidOne, &[]),
            Fault::Type(schema) => words.sentence(Message::WrongType, &[self.name, schema.name()]),
            Fault::Strict(reason) => reason.to_owned(),
        }
    }

    fn detail(&self, words: &Words) -> Option<(String, Value)> {
        let Fault::Type(_) = self.fault else { return None };
        let message = self.message(words);
        let detail = json!({"code": "rest_invalid_type", "message": message, "data": {"param": self.name}});
        Some((self.name.to_owned(), detail))
    }
}
