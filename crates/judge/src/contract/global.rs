//! Parameters that WordPress reads on every route, declared or not (backend.md section 12, decision 0017).

use super::kind::{Kind, Route};
use super::operation::{Action, OperationId};

/// The treatment of a global parameter at the edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// Forwarded where it was sent, whatever its value: WordPress reads it from the query and from every body.
    /// A body that is dropped gives it to the query.
    Forward,
    /// Forwarded where it was sent, because what reads it looks in one place only.
    ForwardInPlace,
    /// Forwarded if it is in the query, because WordPress reads it only there.
    ForwardFromQuery,
    /// Refused unless the settings allow it.
    RefuseUnlessAllowed,
    /// Becomes the `X-WP-Nonce` header.
    Nonce,
    /// Judged as another spelling of the path, never forwarded.
    Route,
    /// Read as the method of a write, never forwarded.
    Method,
}

/// A parameter that no operation declares as an argument and that has an effect nevertheless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Global {
    /// The name after PHP's mangling.
    pub name: &'static str,
    /// The treatment at the edge.
    pub treatment: Treatment,
    /// The effect in WordPress.
    pub meaning: &'static str,
}

const fn forward(name: &'static str, meaning: &'static str) -> Global {
    Global {
        name,
        treatment: Treatment::Forward,
        meaning,
    }
}

const fn from_query(name: &'static str, meaning: &'static str) -> Global {
    Global {
        name,
        treatment: Treatment::ForwardFromQuery,
        meaning,
    }
}

/// Every global parameter, in the order in which the forwarded ones are encoded.
pub const GLOBALS: &[Global] = &[
    forward("_fields", "Limits the response to these members."),
    from_query("_embed", "Embeds linked records in the response."),
    from_query("_locale", "Selects the locale of the user."),
    forward("_pretty", "Indents the response."),
    from_query("_envelope", "Wraps status, headers and body in a 200."),
    forward("context", "Scope of the response: view, embed or edit."),
    // WordPress itself has no such parameter. Translation plugins read the query, some of them a body.
    Global {
        name: "lang",
        treatment: Treatment::ForwardInPlace,
        meaning: "Language of the response, for translation plugins.",
    },
    Global {
        name: "_jsonp",
        treatment: Treatment::RefuseUnlessAllowed,
        meaning: "Wraps the response in a script call.",
    },
    Global {
        name: "_wpnonce",
        treatment: Treatment::Nonce,
        meaning: "Proves a cookie session.",
    },
    Global {
        name: "rest_route",
        treatment: Treatment::Route,
        meaning: "Replaces the path.",
    },
    Global {
        name: "_method",
        treatment: Treatment::Method,
        meaning: "Replaces the method.",
    },
];

/// Parameters outside of the API that WordPress reads: they select another theme or user. No setting and no index
/// forwards them.
pub const NEVER_FORWARDED: [&str; 2] = ["wp_customize", "customize_changeset_uuid"];

/// Parameters that WordPress also reads from the query of the front page: its own and the plugin's. If the
/// query and a form that PHP reads disagree about one of them, WordPress refuses the request (backend.md
/// section 2).
pub const PUBLIC_QUERY_VARIABLES: [&str; 65] = [
    "m",
    "p",
    "posts",
    "w",
    "cat",
    "withcomments",
    "withoutcomments",
    "s",
    "search",
    "exact",
    "sentence",
    "calendar",
    "page",
    "paged",
    "more",
    "tb",
    "pb",
    "author",
    "order",
    "orderby",
    "year",
    "monthnum",
    "day",
    "hour",
    "minute",
    "second",
    "name",
    "category_name",
    "tag",
    "feed",
    "author_name",
    "pagename",
    "page_id",
    "error",
    "attachment",
    "attachment_id",
    "subpost",
    "subpost_id",
    "preview",
    "robots",
    "favicon",
    "taxonomy",
    "term",
    "cpage",
    "post_type",
    "embed",
    "rest_route",
    "sitemap",
    "sitemap-subtype",
    "sitemap-stylesheet",
    "post_format",
    "tribe_events",
    "tribe_events_cat",
    "tribe-promoter-auth-check",
    "tribe-aggregator",
    "tribe-action",
    "eventDisplay",
    "eventDate",
    "eventSequence",
    "ical",
    "start_date",
    "end_date",
    "featured",
    "tribe_remove_date_filters",
    "tribe_events_views_kitchen_sink",
];

/// The global parameter with this name.
pub fn global(name: &[u8]) -> Option<&'static Global> {
    GLOBALS.iter().find(|global| global.name.as_bytes() == name)
}

/// Undeclared parameters that the backend reads on an operation, by their names after PHP's mangling. They are
/// forwarded unchanged.
///
/// - `password` opens protected events on reads that do not declare it (backend.md sections 1 and 8).
/// - `parent` on tags is refused by the taxonomy itself (section 7).
/// - `offset` skips tags: the plugin passes the whole request to WordPress's own list of terms, which reads
///   it for terms without a hierarchy.
pub fn read_by_backend(operation: OperationId) -> &'static [&'static str] {
    match (operation.route, operation.action) {
        (Route::Collection(Kind::Event), Action::List) | (Route::BySlug(Kind::Event), Action::Read) => {
            &["password"]
        }
        (Route::Collection(Kind::Tag), Action::List) => &["offset"],
        (Route::Collection(Kind::Tag), Action::Create) | (Route::Item(Kind::Tag), Action::Update) => {
            &["parent"]
        }
        _ => &[],
    }
}
