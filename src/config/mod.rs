//! Configuration: from a file and flags to settings that cannot be wrong.
//!
//! Two stages: what was typed (with its place in the file), then what it means ([`Settings`]). The rest of
//! the program sees only the second. One table of keys drives reading, the search for the nearest known key
//! and the reference.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "reads the operator's file, not a client's bytes"
)]

mod check;
mod draft;
mod excerpt;
mod form;
mod http2;
mod key;
mod keys;
mod listening;
mod load;
mod message_keys;
mod nearest;
mod overrides;
mod problem;
mod protection;
mod protection_form;
mod quantity;
mod read;
mod reading;
mod reference;
mod resolve;
mod settings;
mod source;

pub use excerpt::Excerpt;
pub use http2::{FrameRates, Http2Limits};
pub use listening::{ListenAddress, ProxyProtocol, TlsSettings};
pub use load::{load, parse};
pub use overrides::{OverrideSource, Overrides};
pub use problem::{Complaint, ConfigError, Impossible, Location, Problem};
pub(crate) use protection::visitor_network;
pub use protection::{BreakerSettings, CallRates, ImageHost, Rate, RateLimits};
pub use reference::reference;
pub use settings::{
    AdminSettings, CorsSettings, Limits, LogFormat, LogSettings, Mode, OperationSettings, OriginSettings,
    OtherTraffic, Profile, Root, Settings, Timeouts, Writes,
};
pub use source::Source;
