//! Refusals and faults in WordPress's own words (CONTRACT section 3).
//!
//! Pure: a [`Problem`] says what is wrong, a [`Refusal`] is the answer that says it.

mod catalogue;
mod php_json;
mod refusal;
mod style;
mod words;

pub use catalogue::{Edge, Fault, InvalidParameter, Problem};
pub use php_json::{Layout, to_php_json};
pub use refusal::{Allow, Refusal};
pub use style::Style;
pub use words::{Message, UnfitSentence, Words};
