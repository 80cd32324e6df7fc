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

    /// An argument that passes the judge and names no record, or something that the caller may not ask for.
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
        let noun = kind.singular();
        Self::new(
            StatusCode::FORBIDDEN,
            &format!("{noun}-not-accessible"),
            &format!("The requested {noun} is not accessible"),
        )
    }

    /// A page behind the last one.
    pub(crate) fn no_such_page(kind: Kind) -> Self {
        let noun = kind.singular();
        Self::new(
            StatusCode::NOT_FOUND,
            &format!("{noun}-archive-page-not-found"),
            &format!("The requested {noun} archive page does not exist"),
        )
    }

    /// A record that was deleted before.
    pub(crate) fn in_trash(kind: Kind) -> Self {
        let noun = kind.singular();
        Self::new(
            StatusCode::GONE,
            &format!("{noun}-is-in-trash"),
            &format!("The {noun} is already trashed"),
        )
    }

    /// Data that make no record.
    pub(crate) fn unusable(kind: Kind) -> Self {
        let noun = kind.singular();
        Self::new(
            StatusCode::BAD_REQUEST,
            &format!("could-not-create-{noun}"),
            &format!("The {noun} could not be created from the provided data"),
        )
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
