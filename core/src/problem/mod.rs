//! Refusals and faults in WordPress's own words (backend.md section 3).
//!
//! Pure: a [`Problem`] says what is wrong, a [`Refusal`] is the answer that says it.

mod catalogue;
mod cause;
mod edge;
mod php_json;
mod proxy_error;
mod reference;
mod refusal;
mod style;
mod words;

pub use catalogue::{Edge, Fault, InvalidParameter, Problem};
pub use cause::Cause;
pub use edge::{EdgeEntry, EdgeError};
pub use php_json::{Layout, to_php_json};
pub use proxy_error::ProxyError;
pub use reference::reference;
pub use refusal::{Allow, Refusal};
pub use style::Style;
pub use words::{Message, UnfitSentence, Words};
