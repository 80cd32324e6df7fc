//! The forms of texts about the store of a fleet.

use super::form::plain_name;
use super::text_form::{TextError, TypedSyntax};
use crate::settings::StoreAddress;

pub(crate) const STORE: TypedSyntax<StoreAddress> = TypedSyntax::new(
    "store address",
    "the address of a Redis or Valkey server, of a Sentinel, or a Unix socket, without a password",
    &[
        "redis://valkey:6379",
        "rediss://valkey:6379/3",
        "unix:/run/valkey.sock",
        "sentinel://a:26379",
    ],
    StoreAddress::parse,
);
pub(crate) const NAME: TypedSyntax<String> = TypedSyntax::new(
    "name",
    "a name of up to 64 letters, digits, \"-\", \"_\" and \".\"",
    &["example"],
    |text| plain_name(text, 64, b"."),
);
pub(crate) const USER: TypedSyntax<String> = TypedSyntax::new(
    "user",
    "the name of a user at the store, without blanks",
    &["calendar-edge"],
    |text| {
        let fits = (1..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| text.to_owned()).ok_or(TextError::Malformed)
    },
);
