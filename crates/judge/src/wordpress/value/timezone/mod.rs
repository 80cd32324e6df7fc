//! Time zones as PHP names them.

mod abbreviations;
pub mod offset;
mod rule;
mod zone_names;

pub use rule::timezone_or_empty;
pub use zone_names::ZoneReading;
