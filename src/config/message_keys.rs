//! The keys of `[roots.messages]`: the error messages of a site.

use super::form;
use super::key::{KeyRow, TextError, TextForm, ValueKind};
use calendar_edge_core::settings::Root;
use calendar_edge_judge::problem::Message;

/// One key per message of WordPress.
pub(super) const ROOT_MESSAGES: &[KeyRow<Root>] = &[
    key(
        "no_route",
        Message::NoRoute,
        |root, text| name(root, Message::NoRoute, text),
        "Message of 404 `rest_no_route`.",
    ),
    key(
        "invalid_namespace",
        Message::InvalidNamespace,
        |root, text| name(root, Message::InvalidNamespace, text),
        "Message of 404 `rest_invalid_namespace`.",
    ),
    key(
        "missing_parameters",
        Message::Missing,
        |root, text| name(root, Message::Missing, text),
        "Message of 400 `rest_missing_callback_param`; `%s` is replaced by the names.",
    ),
    key(
        "invalid_parameters",
        Message::Invalid,
        |root, text| name(root, Message::Invalid, text),
        "Message of 400 `rest_invalid_param`; `%s` is replaced by the names.",
    ),
    key(
        "invalid_parameter",
        Message::InvalidOne,
        |root, text| name(root, Message::InvalidOne, text),
        "Entry in `data.params` for an invalid value.",
    ),
    key(
        "wrong_type",
        Message::WrongType,
        |root, text| name(root, Message::WrongType, text),
        "Entry in `data.params` for a value of the wrong type; `%1$s` is replaced by the name, `%2$s` by the type.",
    ),
    key(
        "invalid_json",
        Message::InvalidJson,
        |root, text| name(root, Message::InvalidJson, text),
        "Message of 400 `rest_invalid_json`.",
    ),
    key(
        "forbidden",
        Message::Forbidden,
        |root, text| name(root, Message::Forbidden, text),
        "Message of 401 `rest_forbidden`.",
    ),
    key(
        "invalid_callback",
        Message::InvalidCallback,
        |root, text| name(root, Message::InvalidCallback, text),
        "Message of 400 `rest_callback_invalid`.",
    ),
    key(
        "callback_disabled",
        Message::CallbackDisabled,
        |root, text| name(root, Message::CallbackDisabled, text),
        "Message of 400 `rest_callback_disabled`.",
    ),
];

const fn key(
    name: &'static str,
    message: Message,
    set: fn(&mut Root, &str) -> Result<(), TextError>,
    meaning: &'static str,
) -> KeyRow<Root> {
    KeyRow::new(name, ValueKind::Text(form(message), set), meaning).value(message.english())
}

const fn form(message: Message) -> &'static TextForm {
    match message.values() {
        0 => &form::SENTENCE,
        1 => &form::SENTENCE_OF_ONE,
        _ => &form::SENTENCE_OF_TWO,
    }
}

fn name(root: &mut Root, message: Message, text: &str) -> Result<(), TextError> {
    root.words.name(message, text).map_err(|_| TextError::Malformed)
}
