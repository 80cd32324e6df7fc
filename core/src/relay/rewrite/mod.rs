//! Rewriting of the backend's URLs in a document to public URLs.

mod address;
mod candidate;
mod content;
mod known_urls;
mod namespace;
mod origin_root;
mod own_name;
mod printed_url;
mod public_address;
mod reference;
mod rewriter;
mod site_urls;
mod spelling;
#[cfg(test)]
mod tests;
mod url_map;
mod url_matcher;

pub use content::Content;
pub use origin_root::OriginRoot;
pub(super) use public_address::{PublicAddresses, ServedPart};
pub use rewriter::Rewriter;
pub use url_map::{RootNames, UrlMap};
