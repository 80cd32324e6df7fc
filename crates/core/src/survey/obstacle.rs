//! The reason for which a site, or one of its responses, cannot be used: a sentence that ends in advice.

use url::{Position, Url};

/// The reason, in words.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{text}")]
pub struct Obstacle {
    text: String,
    /// Its consequence.
    pub kind: ObstacleKind,
}

/// The consequence of an obstacle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObstacleKind {
    /// The request was not sent yet.
    Pending,
    /// No connection, or TLS does not begin.
    Unreachable,
    /// TLS works, and the certificate is not accepted.
    Certificate,
    /// Another address responds for this one.
    Elsewhere,
    /// A server that serves its site under another name alone would respond like this.
    Strange,
    /// The REST API refuses visitors, or the companion plugin the mark.
    Refused,
    /// The time of all requests is over.
    Late,
    /// Nothing but its words.
    Other,
}

// === impl Obstacle ===

impl Obstacle {
    /// A reason of some kind.
    pub fn new(kind: ObstacleKind, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { text, kind }
    }

    /// A reason that is nothing but its words.
    pub fn other(text: impl Into<String>) -> Self {
        Self::new(ObstacleKind::Other, text)
    }

    /// The same about a page of a site, with advice where the site does not respond at all.
    pub(super) fn at(self, url: &Url) -> Self {
        let rest = url[Position::BeforeHost..].trim_end_matches('/');
        let step = match self.kind {
            ObstacleKind::Unreachable if url.scheme() == "https" => {
                format!(". If the site is plain HTTP at this address, give --site http://{rest}")
            }
            ObstacleKind::Unreachable => {
                ". Check host and port, and that this machine may connect there".to_owned()
            }
            _ => String::new(),
        };
        Self::new(self.kind, format!("{url}: {self}{step}"))
    }

    /// True if the server may respond otherwise to requests that name the public host.
    pub const fn may_end_under_the_name(&self) -> bool {
        matches!(
            self.kind,
            ObstacleKind::Certificate | ObstacleKind::Elsewhere | ObstacleKind::Strange
        )
    }
}
