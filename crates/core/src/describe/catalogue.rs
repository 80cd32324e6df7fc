//! Human-readable texts of the rendered documents.

use calendar_edge_judge::contract::{Action, Kind, OperationId, Route};

/// A text other than the meaning of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phrase {
    Title,
    About,
    /// The name of a tag; `None` is the tag of the informational routes.
    Tag(Option<Kind>),
    TagMeaning(Option<Kind>),
    Summary(OperationId),
    Success(OperationId),
    /// What OPTIONS does.
    DescribeRoute,
    /// The answer to OPTIONS.
    RouteDescribed,
    Problem(u16),
    Header(&'static str),
    Global(&'static str),
    Security(Security),
    Server,
    UndeclaredPassword,
    /// An argument that the site does not publish.
    Unpublished,
    /// An argument that only the site publishes.
    Extra,
    /// The introduction to the known differences of the backend.
    Note,
}

/// A way to authenticate the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Security {
    ApplicationPassword,
    Cookie,
    Nonce,
}

/// A text of the documents.
pub(super) fn phrase(phrase: Phrase) -> String {
    match phrase {
        Phrase::Title => "Calendar Events REST API".to_owned(),
        Phrase::About => ABOUT.to_owned(),
        Phrase::Tag(kind) => kind.map_or("Service", |kind| capitalised(kind).1).to_owned(),
        Phrase::TagMeaning(kind) => tag_meaning(kind).to_owned(),
        Phrase::Summary(id) => summary(id),
        Phrase::Success(id) => success(id),
        Phrase::DescribeRoute => "Describe the route".to_owned(),
        Phrase::RouteDescribed => "Methods and arguments, as the site publishes them".to_owned(),
        Phrase::Problem(status) => problem(status).to_owned(),
        Phrase::Header(name) => header(name).to_owned(),
        Phrase::Global(name) => global(name).to_owned(),
        Phrase::Security(security) => credentials(security).to_owned(),
        Phrase::Server => "REST root".to_owned(),
        Phrase::Unpublished => "The site does not publish it: it is not judged, and forwarded.".to_owned(),
        Phrase::Extra => "Published by the site and not part of the API: forwarded unjudged.".to_owned(),
        Phrase::UndeclaredPassword => {
            "Event password. Not declared on this route, yet the backend obeys it.".to_owned()
        }
        Phrase::Note => "Note: ".to_owned(),
    }
}

const ABOUT: &str = "Reads and manages a calendar: events and the venues, organizers, categories and tags \
tied to them.

The schemas describe what is accepted in the `compatible` profile. Dates may be written in many more ways \
than the pattern shows; numbers may come as text.

Two parameters work on every operation and change the shape of the answer, so they are not listed with the \
operations: `_fields` and `_envelope` (see `components.parameters`). HEAD works wherever GET does.

Every answer is JSON. An error has `code`, `message` and mostly `data.status`; codes that begin with `edge_` \
come from the gateway, all others from WordPress.";

/// The words for a kind: singular, plural, and singular with its article.
const fn words(kind: Kind) -> (&'static str, &'static str, &'static str) {
    match kind {
        Kind::Event => ("event", "events", "an event"),
        Kind::Venue => ("venue", "venues", "a venue"),
        Kind::Organizer => ("organizer", "organizers", "an organizer"),
        Kind::Category => ("category", "categories", "a category"),
        Kind::Tag => ("tag", "tags", "a tag"),
    }
}

const fn capitalised(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Event => ("Event", "Events"),
        Kind::Venue => ("Venue", "Venues"),
        Kind::Organizer => ("Organizer", "Organizers"),
        Kind::Category => ("Category", "Categories"),
        Kind::Tag => ("Tag", "Tags"),
    }
}

const fn tag_meaning(kind: Option<Kind>) -> &'static str {
    match kind {
        None => "What the service is and offers.",
        Some(Kind::Event) => {
            "Calendar entries with start and end date-time, cost, links and related records."
        }
        Some(Kind::Venue) => "Places where events happen.",
        Some(Kind::Organizer) => "People or groups that run events.",
        Some(Kind::Category) => "Terms that group events.",
        Some(Kind::Tag) => "Terms that label events.",
    }
}

fn summary(id: OperationId) -> String {
    let by = match id.route {
        Route::BySlug(_) => " by slug",
        Route::Index | Route::Doc | Route::Collection(_) | Route::Item(_) => "",
    };
    let Some(kind) = id.kind() else {
        return match id.route {
            Route::Doc => "Read the plugin's own documentation".to_owned(),
            Route::Index | Route::Collection(_) | Route::Item(_) | Route::BySlug(_) => {
                "Read the namespace index".to_owned()
            }
        };
    };
    let (one, many, with_article) = words(kind);
    match id.action {
        Action::Describe => format!("Describe {many}"),
        Action::List => format!("List {many}"),
        Action::Create => format!("Create {with_article}"),
        Action::Read => format!("Read one {one}{by}"),
        Action::Update => format!("Update one {one}{by}"),
        Action::Delete => format!("Delete one {one}{by}"),
    }
}

fn success(id: OperationId) -> String {
    let Some(kind) = id.kind() else {
        return "The description.".to_owned();
    };
    let (one, many, _) = words(kind);
    match id.action {
        Action::Describe => "The description.".to_owned(),
        Action::List => format!("One page of {many}."),
        Action::Create => format!("The new {one}."),
        Action::Read => format!("The {one}."),
        Action::Update => format!("The {one} after the update."),
        Action::Delete if kind.is_term() => format!("The {one} that was; it is gone for good."),
        Action::Delete => format!("The {one}, now in the trash."),
    }
}

const fn problem(status: u16) -> &'static str {
    match status {
        400 => {
            "A parameter is missing or invalid, the body is no JSON, or the request can be read in two ways. A \
             record that does not exist is an invalid `id` or `slug`."
        }
        401 => "The caller is not known, or the credentials are wrong.",
        403 => "The caller may not do this.",
        404 => "No such route, page or namespace.",
        408 => "The request did not arrive in time.",
        409 => "The record changed while a PATCH was merged with it.",
        410 => "The record is already in the trash.",
        412 => "The record does not meet the precondition of the request.",
        413 => "The body is too large.",
        414 => "The target is too long.",
        415 => "The body is encoded in a way that is not read.",
        421 => "The gateway does not serve this host.",
        429 => "Too many requests.",
        431 => "The headers are too large.",
        500 => "WordPress failed in a way it describes.",
        502 => "The origin gave no usable answer.",
        503 => "No capacity, or the origin is known to be down.",
        504 => "The origin is too slow.",
        _ => "An error.",
    }
}

fn header(name: &str) -> &'static str {
    match name {
        "X-Request-Id" => "Identifies the request in the logs.",
        "X-TEC-Total" => "Records that match, on all pages.",
        "X-TEC-TotalPages" => "Pages there are.",
        "Location" => "The new term in WordPress's own API.",
        "Retry-After" => "Seconds to wait before the next attempt.",
        "Proxy-Status" => "Why the gateway answered itself (RFC 9209).",
        _ => "A header.",
    }
}

fn global(name: &str) -> &'static str {
    match name {
        "_fields" => {
            "Limits the answer to these top-level members, with dots for nested ones. Without a hit the \
             answer is an empty list. No effect on errors."
        }
        "_envelope" => {
            "Wraps status, headers and body in a 200, whatever the value. No effect in a request body."
        }
        "_embed" => "Embeds linked records in terms.",
        "_locale" => "Asks for the locale of the user.",
        "_pretty" => "Indents the answer, whatever the value.",
        "context" => "`edit` shows editors the content of protected events.",
        "lang" => "Language of the answer, for translation plugins.",
        _ => "A global parameter.",
    }
}

const fn credentials(security: Security) -> &'static str {
    match security {
        Security::ApplicationPassword => {
            "Login name or e-mail and an application password; the account's own password is refused."
        }
        Security::Cookie => {
            "The cookie of a WordPress session, whose name ends in a hash of the site's address; counts only \
             with a nonce."
        }
        Security::Nonce => "The nonce of a WordPress session.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calendar_edge_judge::contract::table;

    #[test]
    fn every_operation_has_a_summary_of_its_own() {
        let mut summaries: Vec<String> = table()
            .operations()
            .iter()
            .map(|operation| phrase(Phrase::Summary(operation.id)))
            .collect();
        summaries.sort_unstable();
        summaries.dedup();
        assert_eq!(summaries.len(), table().operations().len());
    }
}
