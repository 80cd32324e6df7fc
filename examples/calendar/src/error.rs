//! Refusals, in the words and the form of WordPress.

use axum::http::StatusCode;
use serde_json::{Value, json};

/// A call that is not answered with a record.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// An argument that WordPress refuses.
    #[error("Invalid parameter(s): {0}")]
    Invalid(&'static str),
    /// A page behind the last one, of a list of these.
    #[error("The requested {0} archive page does not exist")]
    NoSuchPage(&'static str),
    /// A record that the caller may not read.
    #[error("The requested {0} is not accessible")]
    NotAccessible(&'static str),
    /// An event that only its password opens.
    #[error("The requested event is not accessible without a password")]
    PasswordNeeded,
    /// A record that was deleted before.
    #[error("The {0} is already trashed")]
    InTrash(&'static str),
    /// A venue without a name, in a create or an update.
    #[error("The venue could not be {0}d from the provided data")]
    Unusable(&'static str),
    /// A write without an account, or of one without the right.
    #[error("Sorry, you are not allowed to do that.")]
    Forbidden(StatusCode),
    /// No route of the calendar.
    #[error("No route was found matching the URL and request method.")]
    NoRoute,
    /// A call that this service does not claim: the edge asks the site where its rule has `fallback`.
    #[error("This service does not answer {0}")]
    NotClaimed(String),
    /// No number is left for a new venue.
    #[error("All numbers of the block are given")]
    NoNumbers,
    /// A database that fails.
    #[error("The database fails")]
    Database(#[from] rusqlite::Error),
    /// A record that is no JSON object, which cannot be.
    #[error("The record cannot be printed")]
    Unprintable(#[from] serde_json::Error),
}

// === impl CallError ===

impl CallError {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Invalid(_) | Self::Unusable(_) => StatusCode::BAD_REQUEST,
            Self::NotAccessible(_) | Self::PasswordNeeded => StatusCode::FORBIDDEN,
            Self::Forbidden(status) => *status,
            Self::NoSuchPage(_) | Self::NoRoute => StatusCode::NOT_FOUND,
            Self::InTrash(_) => StatusCode::GONE,
            Self::NotClaimed(_) => StatusCode::NOT_IMPLEMENTED,
            Self::NoNumbers => StatusCode::INSUFFICIENT_STORAGE,
            Self::Database(_) | Self::Unprintable(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn code(&self) -> String {
        match self {
            Self::Invalid(_) => "rest_invalid_param".to_owned(),
            Self::NoSuchPage(kind) => format!("{kind}-archive-page-not-found"),
            Self::NotAccessible(kind) => format!("{kind}-not-accessible"),
            Self::PasswordNeeded => "event-password-protected".to_owned(),
            Self::InTrash(kind) => format!("{kind}-is-in-trash"),
            Self::Unusable(verb) => format!("could-not-{verb}-venue"),
            Self::Forbidden(_) => "rest_forbidden".to_owned(),
            Self::NoRoute => "rest_no_route".to_owned(),
            Self::NotClaimed(_) => "not_claimed".to_owned(),
            Self::NoNumbers => "no_numbers".to_owned(),
            Self::Database(_) | Self::Unprintable(_) => "failed".to_owned(),
        }
    }

    pub(crate) fn document(&self) -> Value {
        let status = self.status().as_u16();
        let data = match self {
            Self::Invalid(name) => {
                json!({"status": status, "params": {*name: "Invalid parameter."}, "details": []})
            }
            _ => json!({"status": status}),
        };
        json!({"code": self.code(), "message": self.to_string(), "data": data})
    }
}
