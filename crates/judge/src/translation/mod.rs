//! A response of one version of the plugin, as another version gives it.
//!
//! [`Translation`] walks the rows of [`dated_differences`](crate::contract::dated_differences) from the newest to the
//! wanted version. A value that a response does not show is not translated: no row guesses.

mod member_cutter;
#[cfg(test)]
mod member_cutter_tests;
mod translated;
mod value_scan;

pub use member_cutter::MemberCutter;
pub use translated::{TranslatedResponse, Translation};
