//! The keys of `[fleet]`: the store through which several edges agree.

use super::form;
use super::key::ValueKind::{Flag, OneOrList, Text};
use super::key::{ListStore, TextError, TextForm};
use super::keys::SettingKey;
use super::listening;
use super::problem::Impossible;
use calendar_edge_core::settings::{NoStoreAddress, StoreAddress};

static STORE: TextForm = TextForm::new(
    "store address",
    "the address of a Redis or Valkey server, of a Sentinel, or a Unix socket, without a password",
    &[
        "redis://valkey:6379",
        "rediss://valkey:6379/3",
        "unix:/run/valkey.sock",
        "sentinel://a:26379",
    ],
);
static NAME: TextForm = TextForm::new(
    "name",
    "a name of up to 64 letters, digits, \"-\", \"_\" and \".\"",
    &["example"],
);
static USER: TextForm = TextForm::new(
    "user",
    "the name of a user at the store, without blanks",
    &["calendar-edge"],
);
static FILE: TextForm = TextForm::new("file", "the path of a file", &["/etc/calendar-edge/store"]);
static ADMIN: TextForm = TextForm::new(
    "URL",
    "a scheme and a host, with a port if needed",
    &["http://10.0.0.7:9787"],
);

/// The keys of the fleet.
pub(super) const FLEET: &[SettingKey] = &[
    SettingKey::new(
        "store",
        OneOrList(
            &STORE,
            ListStore::new(
                |settings| settings.fleet.store.clear(),
                |settings, text| store(text).map(|address| settings.fleet.store.push(address)),
            ),
        ),
        "The store that all edges of the fleet share: Valkey or Redis, version 5 or newer. `rediss:` and `sentinels:` use TLS. \
         A list names Sentinels, which are asked for the server on each connection, or nodes of a cluster.",
    )
    .unset("one edge"),
    SettingKey::new(
        "master",
        Text(&NAME, |settings, text| {
            name(text).map(|name| settings.fleet.master = Some(name))
        }),
        "The name by which Sentinels know the server.",
    )
    .unset("none; Sentinels need it"),
    SettingKey::new(
        "cluster",
        Flag(|settings| &mut settings.fleet.cluster),
        "Whether the store is a cluster. All keys of a fleet are in one slot.",
    ),
    SettingKey::new(
        "user",
        Text(&USER, |settings, text| {
            user(text).map(|name| settings.fleet.user = Some(name))
        }),
        "The user at the store. `calendar-edge check` prints the ACL line that it needs.",
    )
    .unset("the store's default user"),
    SettingKey::new(
        "password_file",
        Text(&FILE, |settings, text| {
            listening::file(text).map(|file| settings.fleet.password_file = Some(file))
        }),
        "File with the password of that user, one line. A reload reads the file again.",
    )
    .unset("no password"),
    SettingKey::new(
        "sentinel_user",
        Text(&USER, |settings, text| {
            user(text).map(|name| settings.fleet.sentinel_user = Some(name))
        }),
        "The user at the Sentinels, whose accounts are their own. It needs the commands `hello`, `auth` and `sentinel`.",
    )
    .unset("their default user"),
    SettingKey::new(
        "sentinel_password_file",
        Text(&FILE, |settings, text| {
            listening::file(text).map(|file| settings.fleet.sentinel_password_file = Some(file))
        }),
        "File with the password that the Sentinels ask for, one line. A reload reads the file again.",
    )
    .unset("no password"),
    SettingKey::new(
        "ca_file",
        Text(&FILE, |settings, text| {
            listening::file(text).map(|file| settings.fleet.ca_file = Some(file))
        }),
        "PEM file with the authorities that the store's certificate is checked by, in place of the system's.",
    )
    .unset("those of the system"),
    SettingKey::new(
        "certificate_file",
        Text(&FILE, |settings, text| {
            listening::file(text).map(|file| settings.fleet.certificate_file = Some(file))
        }),
        "PEM file with the certificate that the edge shows to the store.",
    )
    .unset("none"),
    SettingKey::new(
        "key_file",
        Text(&FILE, |settings, text| {
            listening::file(text).map(|file| settings.fleet.key_file = Some(file))
        }),
        "PEM file with the private key of that certificate.",
    )
    .unset("none"),
    SettingKey::new(
        "secret_file",
        Text(&listening::SECRET_FILE, |settings, text| {
            listening::file(text).map(|file| settings.fleet.secret_file = Some(file))
        }),
        "File with a secret of at least 32 bytes that all edges of the fleet share, and nobody else. It seals what they tell \
         each other, and hides the names and addresses of clients from the store.",
    )
    .unset("the file of `origin.secret_file`"),
    SettingKey::new(
        "name",
        Text(&NAME, |settings, text| {
            name(text).map(|name| settings.fleet.name = Some(name))
        }),
        "The name of the fleet in the store, where fleets with one secret share it.",
    )
    .unset("derived from the secret"),
    SettingKey::new(
        "advertise",
        Text(&ADMIN, |settings, text| {
            form::site(text).map(|url| settings.fleet.advertise = Some(url))
        }),
        "Address of this edge's admin listener for the other edges and for `calendar-edge explain ID`, for example \
         `http://${POD_IP}:9787`.",
    )
    .unset("none: the others cannot ask this edge"),
];

fn store(text: &str) -> Result<StoreAddress, TextError> {
    StoreAddress::parse(text).map_err(|fault| match fault {
        NoStoreAddress::Malformed => TextError::Malformed,
        NoStoreAddress::Credentials => TextError::Impossible(Impossible::Credentials),
    })
}

fn name(text: &str) -> Result<String, TextError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let fits = (1..=64).contains(&text.len()) && text.bytes().all(is_plain);
    fits.then(|| text.to_owned()).ok_or(TextError::Malformed)
}

fn user(text: &str) -> Result<String, TextError> {
    let fits = (1..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    fits.then(|| text.to_owned()).ok_or(TextError::Malformed)
}
