//! The store as one user sees it (backend.md section 8).

use crate::account::CurrentUser;
use crate::address::Address;
use crate::store::{Post, PostStatus, Store, Usage};

/// How much of a record is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// A single read: with schema.org data.
    Read,
    /// The response to a write.
    Written,
    /// An item of a list: blank where a password hides it.
    Listed,
}

/// The store as one user sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    /// The records.
    pub(crate) store: &'a Store,
    /// How often its terms are used.
    pub(crate) usage: &'a Usage,
    /// Where URLs point.
    pub(crate) address: &'a Address,
    /// The user who reads.
    pub(crate) user: CurrentUser,
    /// The event password that came with the request.
    pub(crate) password: Option<&'a str>,
}

// === impl View ===

impl View<'_> {
    /// Whether the user may see a post.
    pub(crate) fn may_read(&self, post: &Post) -> bool {
        post.status == PostStatus::Publish
            || self.user.reads_all()
            || (self.user.may_write() && self.user.id() == post.author)
    }

    /// Whether a post's content is behind a password that the request does not carry.
    pub(crate) fn is_locked(&self, post: &Post) -> bool {
        !post.password.is_empty() && self.password != Some(post.password.as_str())
    }
}
