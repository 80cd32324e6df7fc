//! Rewriting of the backend's URLs in a document to public URLs.

mod address;
mod candidate;
mod content;
mod known_urls;
mod namespace_names;
mod origin_root;
mod own_name;
mod public_address;
mod rewriter;
mod spelling;
#[cfg(test)]
#[path = "rewrite_tests.rs"]
mod tests;
mod url_map;
mod url_matcher;
mod url_reference;

pub use content::Content;
pub use origin_root::{OriginRoot, RootNames};
pub(super) use public_address::PublicAddresses;
pub use rewriter::Rewriter;
pub use url_map::UrlMap;
