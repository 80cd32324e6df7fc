//! The mark that tells the companion plugin which requests the edge judged.

mod header;
mod key;

pub use header::{MARK, is_mark};
pub use key::{MarkKey, ShortSecret};
