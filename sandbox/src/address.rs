//! The sandbox's own addresses, and every absolute URL in a response.

use std::net::SocketAddr;

use calendar_edge_judge::contract::{Kind, PLUGIN_NAMESPACE, Taxonomy};

use super::store::{Post, Store, Term};

/// The host and port of the sandbox, which are also those of its imaginary site.
#[derive(Debug, Clone)]
pub(super) struct Address {
    host: String,
}

// === impl Address ===

impl Address {
    /// The address of a listening socket.
    pub(super) fn new(socket: SocketAddr) -> Self {
        Self {
            host: socket.to_string(),
        }
    }

    /// The site, without a trailing slash.
    pub(super) fn site(&self) -> String {
        format!("http://{}", self.host)
    }

    /// The REST root, without a trailing slash.
    pub(super) fn rest_root(&self) -> String {
        format!("http://{}/wp-json", self.host)
    }

    /// A path of the calendar API: `/events/56`.
    pub(super) fn api(&self, path: &str) -> String {
        format!("{}/{PLUGIN_NAMESPACE}{path}", self.rest_root())
    }

    /// A path of WordPress's own API, which the sandbox names but does not serve.
    pub(super) fn core(&self, path: &str) -> String {
        format!("{}/wp/v2/{path}", self.rest_root())
    }

    /// The page of a post: pretty once it is published, by number before and after.
    pub(super) fn post(&self, post: &Post) -> String {
        let (base, kind) = match post.kind() {
            Kind::Venue => ("venue", "tribe_venue"),
            Kind::Organizer => ("organizer", "tribe_organizer"),
            Kind::Event | Kind::Category | Kind::Tag => ("event", "tribe_events"),
        };
        if post.status.has_permalink() {
            return format!("{}/{base}/{}/", self.site(), post.slug);
        }
        format!("{}/?post_type={kind}&p={}", self.site(), post.id)
    }

    /// The archive page of a term, below those of its parents.
    pub(super) fn term(&self, store: &Store, term: &Term) -> String {
        let base = match term.taxonomy {
            Taxonomy::Category => "events/category",
            Taxonomy::Tag => "tag",
        };
        let mut slugs = vec![term.slug.as_str()];
        let mut parent = term.parent;
        // Loops can't be stored, but a bound costs nothing.
        while let Some(above) = store.term(term.taxonomy, parent).filter(|_| slugs.len() < 32) {
            slugs.push(&above.slug);
            parent = above.parent;
        }
        slugs.reverse();
        format!("{}/{base}/{}/", self.site(), slugs.join("/"))
    }

    /// An uploaded file.
    pub(super) fn upload(&self, file: &str) -> String {
        format!("{}/wp-content/uploads/{file}", self.site())
    }

    /// The name of a post among all sites of the world; host without scheme.
    pub(super) fn global_id(&self, id: u64) -> String {
        format!("{}?id={id}", self.host)
    }
}
