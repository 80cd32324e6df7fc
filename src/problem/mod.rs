//! Refusals and faults in WordPress's own words (CONTRACT section 3).
//!
//! Pure: a [`Problem`] says what is wrong, a [`Refusal`] is the answer that says it.

mod php_json;
mod problem;
mod refusal;

pub use php_json::{Layout, to_php_json};
pub use problem::{Edge, Fault, InvalidParameter, Problem};
pub use refusal::{Allow, Refusal, Style};
