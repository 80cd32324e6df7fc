//! The feed of changes over real sockets, for a site whose companion plugin counts.

mod feed_limits;
pub(crate) mod feed_site;
mod hidden;
mod kept;
mod streamed;
mod told;
mod walked;
