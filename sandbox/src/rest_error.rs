//! The errors of the sandbox, in WordPress's words (backend.md section 3).
//!
//! One difference is on purpose: errors to which WordPress gives no status are 500 there and 400 here. A 500 for
//! bad input would make clients retry.

use http::StatusCode;
use serde_json::{Value as Json, json};

use calendar_edge_judge::contract::{Action, Kind, Taxonomy};
use calendar_edge_judge::problem::{Problem, Words};

use super::store::Full;

/// An error of the REST API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RestError {
    /// An error that the edge has as well.
    Problem(Problem),
    /// The user is authenticated but may not write.
    NotAllowed,
    /// A filter needs Event Tickets.
    TicketsMissing,
    /// A record that this user may not read.
    NotAccessible(Kind),
    /// An event whose password was not given.
    PasswordNeeded,
    /// A page past the end.
    NoSuchPage(Kind),
    /// A record that was deleted before.
    InTrash(Kind),
    /// The data do not make a valid record.
    Unusable(Kind, Action),
    /// A term of this name and number is there already.
    TermExists(Taxonomy, u64),
    /// A slug that another term has.
    SlugInUse(String),
    /// A parent for a tag.
    NoHierarchy,
    /// A title that is blank.
    NoContent,
    /// A name that is blank.
    NoTermName,
    /// A name of a term longer than the database's column.
    NameTooLong,
    /// Text that is not UTF-8, which the database does not take.
    NotUtf8,
    /// No such account.
    UnknownUser,
    /// Not the account's password.
    WrongPassword,
    /// A nonce of no session.
    StaleNonce,
    /// No room for more records.
    Full,
    /// More bytes in a body than the sandbox reads.
    TooLarge,
}

// === impl RestError ===

impl From<Problem> for RestError {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<Full> for RestError {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

impl RestError {
    /// The HTTP status.
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Problem(problem) => problem.status(),
            Self::UnknownUser | Self::WrongPassword => StatusCode::UNAUTHORIZED,
            Self::NotAllowed | Self::NotAccessible(_) | Self::PasswordNeeded | Self::StaleNonce => {
                StatusCode::FORBIDDEN
            }
            Self::NoSuchPage(_) => StatusCode::NOT_FOUND,
            Self::InTrash(_) => StatusCode::GONE,
            Self::TicketsMissing
            | Self::Unusable(..)
            | Self::TermExists(..)
            | Self::SlugInUse(_)
            | Self::NoHierarchy
            | Self::NoContent
            | Self::NoTermName
            | Self::NameTooLong
            | Self::NotUtf8 => StatusCode::BAD_REQUEST,
            Self::Full => StatusCode::SERVICE_UNAVAILABLE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        }
    }

    /// The error body.
    pub(super) fn to_json(&self) -> Json {
        let status = self.status().as_u16();
        match self {
            Self::Problem(problem) => problem.to_json(&Words::english()),
            Self::TicketsMissing => tickets_missing(),
            Self::TermExists(taxonomy, id) => term_exists(*taxonomy, *id),
            Self::NotAccessible(kind) => {
                let noun = noun(*kind);
                let message = format!("The requested {noun} is not accessible");
                plain(&format!("{noun}-not-accessible"), &message, status)
            }
            Self::NoSuchPage(kind) => {
                let noun = noun(*kind);
                let message = format!("The requested {noun} archive page does not exist");
                plain(&format!("{noun}-archive-page-not-found"), &message, status)
            }
            Self::InTrash(kind) => {
                let noun = noun(*kind);
                let message = format!("The {noun} is already trashed");
                plain(&format!("{noun}-is-in-trash"), &message, status)
            }
            Self::Unusable(kind, action) => {
                let (noun, verb) = (noun(*kind), action.name());
                let message = format!("The {noun} could not be {verb}d from the provided data");
                plain(&format!("could-not-{verb}-{noun}"), &message, status)
            }
            Self::SlugInUse(slug) => {
                let message = format!("The slug &#8220;{slug}&#8221; is already in use by another term.");
                plain("duplicate_term_slug", &message, status)
            }
            Self::NotAllowed
            | Self::PasswordNeeded
            | Self::NoHierarchy
            | Self::NoContent
            | Self::NoTermName
            | Self::NameTooLong
            | Self::NotUtf8
            | Self::UnknownUser
            | Self::WrongPassword
            | Self::StaleNonce
            | Self::Full
            | Self::TooLarge => {
                let (code, message) = self.wording();
                plain(code, message, status)
            }
        }
    }

    /// Code and message of the errors that have a fixed text.
    const fn wording(&self) -> (&'static str, &'static str) {
        match self {
            Self::PasswordNeeded => (
                "event-password-protected",
                "The requested event is not accessible without a password",
            ),
            Self::NoHierarchy => (
                "rest_taxonomy_not_hierarchical",
                "Cannot set parent term, taxonomy is not hierarchical.",
            ),
            Self::NoContent => ("empty_content", "Content, title, and excerpt are empty."),
            Self::NoTermName => ("empty_term_name", "A name is required for this term."),
            Self::NameTooLong => ("db_insert_error", "Could not insert term into the database."),
            Self::NotUtf8 => ("db_insert_error", "Could not insert post into the database."),
            Self::UnknownUser => (
                "invalid_username",
                "<strong>Error:</strong> Unknown username. Check again or try your email address.",
            ),
            Self::WrongPassword => (
                "incorrect_password",
                "The provided password is an invalid application password.",
            ),
            Self::StaleNonce => ("rest_cookie_invalid_nonce", "Cookie check failed"),
            Self::Full => (
                "sandbox_full",
                "The sandbox keeps no more records. Restart it for a fresh one.",
            ),
            Self::TooLarge => (
                "sandbox_body_too_large",
                "The sandbox reads bodies of up to 1 MiB.",
            ),
            Self::NotAllowed
            | Self::Problem(_)
            | Self::TicketsMissing
            | Self::NotAccessible(_)
            | Self::NoSuchPage(_)
            | Self::InTrash(_)
            | Self::Unusable(..)
            | Self::TermExists(..)
            | Self::SlugInUse(_) => ("rest_forbidden", "Sorry, you are not allowed to do that."),
        }
    }
}

fn plain(code: &str, message: &str, status: u16) -> Json {
    json!({"code": code, "message": message, "data": {"status": status}})
}

fn term_exists(taxonomy: Taxonomy, id: u64) -> Json {
    let place = match taxonomy {
        Taxonomy::Category => "with this parent",
        Taxonomy::Tag => "in this taxonomy",
    };
    json!({
        "code": "term_exists",
        "message": format!("A term with the name provided already exists {place}."),
        "data": {"status": 400, "term_id": id},
        "additional_data": [id, id],
    })
}

const TICKETS: &str = "Event Tickets plugin is not activated.";

fn tickets_missing() -> Json {
    json!({
        "code": "rest_invalid_param",
        "message": "Invalid parameter(s): ticketed",
        "data": {
            "status": 400,
            "params": {"ticketed": TICKETS},
            "details": {"ticketed": {
                "code": "event-tickets-not-active",
                "message": TICKETS,
                "data": {"status": 400},
            }},
        },
    })
}

fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Event => "event",
        Kind::Venue => "venue",
        Kind::Organizer => "organizer",
        Kind::Category => "category",
        Kind::Tag => "tag",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speaks_as_recorded() {
        let recorded = |name: &str| -> Json {
            let path = format!("{}/../fixtures/backend/{name}.json", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).expect("the fixture is there");
            serde_json::from_str(&text).expect("the fixture is JSON")
        };
        let cases = [
            ("error-already-trashed", RestError::InTrash(Kind::Event)),
            ("error-bad-nonce", RestError::StaleNonce),
            ("error-event-page-not-found", RestError::NoSuchPage(Kind::Event)),
            ("error-venue-page-not-found", RestError::NoSuchPage(Kind::Venue)),
            (
                "error-forbidden-anonymous",
                RestError::Problem(Problem::Forbidden),
            ),
            ("error-forbidden-subscriber", RestError::NotAllowed),
            ("error-invalid-custom-message", RestError::TicketsMissing),
            ("error-no-route", RestError::Problem(Problem::NoRoute)),
            ("error-not-accessible", RestError::NotAccessible(Kind::Event)),
            (
                "error-organizer-object-in-event",
                RestError::Unusable(Kind::Organizer, Action::Create),
            ),
            ("error-password-protected", RestError::PasswordNeeded),
            ("error-term-exists", RestError::TermExists(Taxonomy::Category, 2)),
            (
                "error-venue-list-in-event",
                RestError::Unusable(Kind::Venue, Action::Create),
            ),
        ];
        for (name, error) in cases {
            assert_eq!(error.to_json().to_string(), recorded(name).to_string(), "{name}");
        }
    }
}
