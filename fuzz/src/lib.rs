//! What the fuzz targets share: the site they stand for and requests as text.

mod request;
mod site;

pub use request::Request;
pub use site::{judged, namespaced_settings, public_roots};
