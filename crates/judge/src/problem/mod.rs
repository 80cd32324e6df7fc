//! Refusals and faults in WordPress's own words (backend.md section 3).
//!
//! Pure: a [`Problem`] is the reason of a refusal, a [`Refusal`] is the response with that reason.

mod catalogue;
mod own;
mod php_json;
mod refusal;
mod site_words;
mod style;
mod words;

pub use catalogue::{Fault, InvalidParameter, Problem};
pub use own::OwnError;
pub use php_json::to_php_json;
pub use refusal::{Allow, Refusal};
pub use style::Style;
pub use words::{Message, Words};
