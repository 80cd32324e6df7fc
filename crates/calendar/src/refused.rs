//! Refusals, in the words and the form of WordPress.

use calendar_edge_judge::contract::Kind;
use calendar_edge_judge::problem::{Fault, InvalidParameter, Problem, Words};
use http::StatusCode;
use serde_json::{Value, json};

use crate::store::StoreError;

/// A call that is refused.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
}

// === impl Refused ===

impl Refused {
    pub(crate) fn new(status: StatusCode, code: &str, message: &str) -> Self {
        let body = json!({"code": code, "message": message, "data": {"status": status.as_u16()}});
        Self { status, body }
    }

    /// An argument that passes the judge and names no record, or a value that the caller may not request.
    pub(crate) fn invalid(name: &'static str) -> Self {
        let fault = Fault::Invalid;
        Problem::Invalid(vec![InvalidParameter { name, fault }]).into()
    }

    /// A call without the right to it.
    pub(crate) fn forbidden(is_known: bool) -> Self {
        let status = if is_known {
            StatusCode::FORBIDDEN
        } else {
            StatusCode::UNAUTHORIZED
        };
        Self::new(status, "rest_forbidden", "Sorry, you are not allowed to do that.")
    }

    /// A record that the caller may not read.
    pub(crate) fn not_accessible(kind: Kind) -> Self {
        let words = ["KIND-not-accessible", "The requested KIND is not accessible"];
        Self::of_kind(kind, StatusCode::FORBIDDEN, words)
    }

    /// A page behind the last one.
    pub(crate) fn no_such_page(kind: Kind) -> Self {
        let words = [
            "KIND-archive-page-not-found",
            "The requested KIND archive page does not exist",
        ];
        Self::of_kind(kind, StatusCode::NOT_FOUND, words)
    }

    /// A record that was deleted before.
    pub(crate) fn in_trash(kind: Kind) -> Self {
        let words = ["KIND-is-in-trash", "The KIND is already trashed"];
        Self::of_kind(kind, StatusCode::GONE, words)
    }

    /// Data that make no record.
    pub(crate) fn unusable(kind: Kind) -> Self {
        let words = [
            "could-not-create-KIND",
            "The KIND could not be created from the provided data",
        ];
        Self::of_kind(kind, StatusCode::BAD_REQUEST, words)
    }

    /// Code and message with the name of a kind in them.
    fn of_kind(kind: Kind, status: StatusCode, words: [&str; 2]) -> Self {
        let [code, message] = words.map(|text| text.replace("KIND", kind.singular()));
        Self::new(status, &code, &message)
    }
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        Self {
            status: problem.status(),
            body: problem.to_json(&Words::english()),
        }
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        let status = match error {
            StoreError::Full => StatusCode::INSUFFICIENT_STORAGE,
            StoreError::Disk(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, "not_stored", &error.to_string())
    }
}
