//! The way of requests for the rest of the site.

mod body_start;
pub(super) mod discovery;
pub(super) mod forward;
mod logins;
pub(super) mod min_rate_body;
pub(super) mod scanned_body;
pub(super) mod upload_body;
