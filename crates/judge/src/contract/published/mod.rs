//! A site's index of the API, read with bounds, and laid over the table.
//!
//! [`PublishedIndex::read`] reads the body of `GET {root}/{namespace}`. [`TableInForce::over`] lays it over the table:
//! an argument that both have is judged; an argument that the site does not publish is not judged, and forwarded; an
//! argument that only the site has is forwarded unjudged in the compatible profile. Until the site has responded,
//! [`TableInForce::awaited`] leaves to it what an index may contradict. Where it publishes no index,
//! [`TableInForce::unread`] holds: the table as it is, of an unknown version.

mod in_force;
mod index;
mod stored;
#[cfg(test)]
#[path = "published_tests.rs"]
mod tests;

pub use in_force::{ArgumentStanding, OperationInForce, TableInForce, TablesInForce};
pub use index::{IndexFault, MOST_INDEX_BYTES, PublishedIndex};
