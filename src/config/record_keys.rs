//! The keys of the recording of calls.

use super::key::KeyRow;
use super::key::NumberField::{U32, U64};
use super::key::ValueKind::{Count, Flag, Size, Text};
use super::listening;
use super::migration_keys::{SHARE, share};
use calendar_edge_core::settings::Settings;

type RecordingKey = KeyRow<Settings>;

/// The keys of `[record]`.
pub(super) const RECORD: &[RecordingKey] = &[
    RecordingKey::new(
        "file",
        Text(&listening::RECORDING, |settings, text| {
            listening::file(text).map(|value| settings.record.file = Some(value))
        }),
        "The file that calls are recorded into. A full file gets the name with `.1` behind it, and replaces the one before.",
    )
    .unset("nothing is recorded"),
    RecordingKey::new(
        "on",
        Flag(|settings| &mut settings.record.on),
        "Whether the edge records from its start on. A reload returns to this.",
    ),
    RecordingKey::new(
        "share",
        Text(&SHARE, |settings, text| {
            share(text).map(|share| settings.record.share = share)
        }),
        "The share of the calls that are admitted.",
    )
    .shown(|settings| format!("\"{}\"", settings.record.share)),
    RecordingKey::new(
        "quota",
        Count(1..=10_000_000, |settings| U32(&mut settings.record.quota)),
        "Maximum number of calls of one operation in one file.",
    ),
    RecordingKey::new(
        "size",
        Size(65_536..=1 << 40, |settings| U64(&mut settings.record.size)),
        "Maximum size of a file.",
    ),
];
