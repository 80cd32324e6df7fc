//! The error messages of a site: one key for each message of WordPress that clients meet.

use super::form::{SENTENCE, SENTENCE_OF_ONE};
use super::group::SettingsGroup;
use super::key::{KeyField, SettingKey};
use super::slot::TextSlot;
use super::text_form::TextError;
use calendar_edge_judge::problem::{Message, Words};

const MESSAGES: [(&str, Message, &str); 4] = [
    ("no_route", Message::NoRoute, "Message of 404 `rest_no_route`."),
    (
        "missing_parameters",
        Message::Missing,
        "Message of 400 `rest_missing_callback_param`; `%s` is replaced by the names.",
    ),
    (
        "invalid_parameters",
        Message::Invalid,
        "Message of 400 `rest_invalid_param`; `%s` is replaced by the names.",
    ),
    (
        "forbidden",
        Message::Forbidden,
        "Message of 401 `rest_forbidden`.",
    ),
];

/// One message among the words of a site.
struct MessageSlot<'a> {
    words: &'a mut Words,
    message: Message,
}

impl SettingsGroup for Words {
    fn names(&mut self) -> Vec<&'static str> {
        MESSAGES.map(|(name, ..)| name).to_vec()
    }

    fn key(&mut self, name: &str) -> Option<SettingKey<'_>> {
        let (name, message, meaning) = MESSAGES.into_iter().find(|(known, ..)| *known == name)?;
        let form = match message.values() {
            0 => SENTENCE.text,
            _ => SENTENCE_OF_ONE.text,
        };
        Some(SettingKey {
            name,
            meaning,
            default: format!("`{}`", message.english()),
            field: KeyField::Text(form, Box::new(MessageSlot { words: self, message })),
        })
    }
}

impl TextSlot for MessageSlot<'_> {
    fn clear(&mut self) {}

    fn take(&mut self, text: &str) -> Result<(), TextError> {
        let taken = self.words.name(self.message, text);
        taken.map_err(|_| TextError::Malformed)
    }
}
