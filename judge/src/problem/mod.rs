//! Refusals and faults in WordPress's own words (backend.md section 3).
//!
//! Pure: a [`Problem`] is the reason of a refusal, a [`Refusal`] is the response with that reason.

mod catalogue;
mod cause;
mod edge;
mod error_reference;
mod php_json;
mod proxy_error;
mod refusal;
mod remedy;
mod style;
mod words;

pub use catalogue::{EdgeProblem, Fault, InvalidParameter, Problem};
pub use cause::Cause;
pub use edge::{EdgeEntry, EdgeError};
pub use error_reference::reference;
pub use php_json::{Layout, to_php_json};
pub use proxy_error::ProxyError;
pub use refusal::{Allow, Refusal};
pub use remedy::Remedy;
pub use style::Style;
pub use words::{Message, UnfitSentence, Words};
