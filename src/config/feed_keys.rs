//! The keys of `[feed]` and `[[webhooks]]`.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::form;
use super::key::ValueKind::{Flag, List, Text, Time};
use super::key::{KeyRow, ListStore, TextError, TextForm};
use super::keys::SettingKey;
use super::listening;
use calendar_edge_core::settings::WebhookSettings;
use calendar_edge_judge::contract::Kind;

type WebhookKey = KeyRow<WebhookSettings>;

static KIND: TextForm = TextForm::new("kind", "a kind of record", &["events", "venues"]);
static RECEIVER: TextForm = TextForm::new(
    "URL",
    "an address with http or https",
    &["https://app.example.org/api/calendar"],
);
static SECRET: TextForm = TextForm::new("file", "the path of a file", &["/etc/calendar-edge/webhook"]);

const BATCHES: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_mins(1);
const ATTEMPTS: RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_mins(1);

/// The keys of the feed.
pub(super) const FEED: &[SettingKey] = &[SettingKey::new(
    "enabled",
    Flag(|settings| &mut settings.feed.enabled),
    "Whether the edge answers `GET {root}/calendar-edge/v1/changes`. Needs `origin.secret_file`, the companion \
         plugin, and the cache.",
)];

/// The keys of a receiver.
pub(super) const WEBHOOKS: &[WebhookKey] = &[
    WebhookKey::new(
        "url",
        Text(&RECEIVER, |webhook, text| {
            form::receiver(text).map(|url| webhook.url = url)
        }),
        "Where changes are posted. Redirects are not followed. Any address may stand here, private ones too: nobody but \
         this file names it.",
    )
    .unset("required"),
    WebhookKey::new(
        "secret_file",
        Text(&SECRET, |webhook, text| {
            listening::file(text).map(|file| webhook.secret_file = Some(file))
        }),
        "File with the secret of at least 32 bytes that signs each request.",
    )
    .unset("required"),
    WebhookKey::new(
        "kinds",
        List(
            &KIND,
            ListStore::not_empty(
                |webhook| webhook.kinds.clear(),
                |webhook, text| kind(text).map(|kind| webhook.kinds.push(kind)),
            ),
        ),
        "The kinds of records that are told: `events`, `venues`, `organizers`, `categories`, `tags`.",
    )
    .unset("all"),
    WebhookKey::new(
        "batch",
        Time(BATCHES, |webhook| &mut webhook.batch),
        "Time for which changes are collected before they are posted together.",
    ),
    WebhookKey::new(
        "timeout",
        Time(ATTEMPTS, |webhook| &mut webhook.timeout),
        "The longest time of one attempt.",
    ),
];

fn kind(text: &str) -> Result<Kind, TextError> {
    let mut kinds = Kind::ALL.into_iter();
    kinds
        .find(|kind| kind.collection() == text)
        .ok_or(TextError::Malformed)
}
