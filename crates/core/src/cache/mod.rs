//! The policy of stored responses: which may be kept, under which key, for how long, and the events that remove them.

mod bypass;
mod cache_status;
pub mod compression;
mod dependencies;
pub mod forms;
mod freshness;
mod key;
mod nonce;
mod pairs;
mod records;
mod removal;
mod same_text;
pub(crate) mod settings;
mod stated;
mod storable;
mod tag;
#[cfg(test)]
mod tests;
mod turn;
mod validator;
mod weight;
mod write_end;
mod written;
mod zone;

pub use bypass::{Bypass, CachePolicy, CacheableCall};
pub use cache_status::{CACHE_STATUS, CacheOutcome, ForwardedRequest};
pub use dependencies::Dependencies;
pub use freshness::{CompanionSigns, LifetimeFacts, LifetimeRule, Serving};
pub use key::{KeySpace, ReachedBy};
pub use nonce::shows_nonce;
pub use removal::{Removal, RemovalCause};
pub use same_text::same_text;
pub use stated::{StatedLife, stated_age};
pub use storable::Storable;
pub use tag::{Tag, UnknownTag};
pub use validator::{entity_tag, if_none_match, is_known};
pub use write_end::{WriteEnd, WritePlace};
pub use written::written_by;
pub use zone::{SiteZone, day_end};
