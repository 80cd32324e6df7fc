//! Other backends beside the site: responses compared, calls that they take over, and the way back.

pub mod comparison;
pub mod cutover;
mod list_count;
mod shadow;
mod way_back;

pub use list_count::ListCount;
pub use shadow::{CopyTo, first_about};
pub use way_back::{OUTBOX, left_behind, outbox_lines, without_way_back};
