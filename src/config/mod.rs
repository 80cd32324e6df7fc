//! Configuration: from a file and flags to settings that cannot be wrong.
//!
//! Two stages: what was typed (with its place in the file), then what it means ([`Settings`]). The rest of
//! the program sees only the second.

mod settings;

pub use settings::{
    AdminSettings, CorsSettings, Limits, ListenAddress, LogFormat, LogSettings, Mode, OperationSettings,
    OriginSettings, OtherTraffic, Profile, Root, Settings, Timeouts, Writes,
};
