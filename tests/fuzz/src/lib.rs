//! What the fuzz targets share: the site they stand for and requests as text.

mod pieces;
mod request;
mod site;

pub use pieces::pieces;
pub use request::Request;
pub use site::{judged, namespaced_settings, public_roots};
