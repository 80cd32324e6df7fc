//! The keys of the configuration, declared beside the fields that they set: names, meanings, bounds, defaults, forms.
//!
//! A file is read elsewhere. This module lists the keys, and takes their values.

mod choices;
pub(crate) mod form;
pub(crate) mod group;
pub(crate) mod key;
pub(crate) mod listening_form;
mod nearest;
pub(crate) mod protection_form;
mod quantity;
pub(crate) mod rule_form;
mod section;
mod slot;
pub(crate) mod store_form;
pub(crate) mod text_form;

pub(crate) use choices::{MODES, OTHERS, PROFILES, UNDECLARED, WRITES};
pub use group::SettingsGroup;
pub use key::{KeyField, SettingKey, TakeTexts};
pub use nearest::nearest;
pub use protection_form::rate;
pub use quantity::{duration, show_duration, show_size, size};
pub use section::{Occurs, SECTIONS, Section};
pub use slot::ValueSlot;
pub use text_form::{TextError, TextSyntax};
