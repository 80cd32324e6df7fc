//! Other backends beside the site: responses compared, calls that they take over, and the way back.

pub(crate) mod checks;
pub mod comparison;
mod consistency;
pub mod cutover;
mod list_count;
pub(crate) mod settings;
mod shadow;
mod way_back;

pub use consistency::{check_identities, check_rules, check_stores};
pub use list_count::ListCount;
pub use shadow::{CopyTo, first_about};
pub use way_back::{OUTBOX, left_behind, outbox_lines, without_way_back};
