//! The keys of `[roots.messages]`: what a site says when WordPress refuses.

use super::draft::RootDraft;
use super::form;
use super::key::{Form, Key, Outcome, Refusal, Shown, Store};
use crate::problem::Message;

/// One key a sentence of WordPress.
pub(super) const ROOT_MESSAGES: &[Key<RootDraft>] = &[
    key(
        "no_route",
        Message::NoRoute,
        |root, text| name(root, Message::NoRoute, text),
        "404 `rest_no_route`.",
    ),
    key(
        "invalid_namespace",
        Message::InvalidNamespace,
        |root, text| name(root, Message::InvalidNamespace, text),
        "404 `rest_invalid_namespace`.",
    ),
    key(
        "missing_parameters",
        Message::Missing,
        |root, text| name(root, Message::Missing, text),
        "400 `rest_missing_callback_param`; `%s` stands for the names.",
    ),
    key(
        "invalid_parameters",
        Message::Invalid,
        |root, text| name(root, Message::Invalid, text),
        "400 `rest_invalid_param`; `%s` stands for the names.",
    ),
    key(
        "invalid_parameter",
        Message::InvalidOne,
        |root, text| name(root, Message::InvalidOne, text),
        "One of `data.params`, for a value that was found wrong.",
    ),
    key(
        "wrong_type",
        Message::WrongType,
        |root, text| name(root, Message::WrongType, text),
        "One of `data.params`, for a value of another type; `%1$s` stands for its name, `%2$s` for the type.",
    ),
    key(
        "invalid_json",
        Message::InvalidJson,
        |root, text| name(root, Message::InvalidJson, text),
        "400 `rest_invalid_json`.",
    ),
    key(
        "forbidden",
        Message::Forbidden,
        |root, text| name(root, Message::Forbidden, text),
        "401 `rest_forbidden`.",
    ),
    key(
        "invalid_callback",
        Message::InvalidCallback,
        |root, text| name(root, Message::InvalidCallback, text),
        "400 `rest_callback_invalid`.",
    ),
    key(
        "callback_disabled",
        Message::CallbackDisabled,
        |root, text| name(root, Message::CallbackDisabled, text),
        "400 `rest_callback_disabled`.",
    ),
];

const fn key(
    name: &'static str,
    message: Message,
    store: fn(&mut RootDraft, &str) -> Outcome,
    meaning: &'static str,
) -> Key<RootDraft> {
    Key {
        name,
        store: Store::Text(form(message), store),
        default: Shown::Value(message.english()),
        meaning,
    }
}

const fn form(message: Message) -> &'static Form {
    match message.values() {
        0 => &form::SENTENCE,
        1 => &form::SENTENCE_OF_ONE,
        _ => &form::SENTENCE_OF_TWO,
    }
}

fn name(root: &mut RootDraft, message: Message, text: &str) -> Outcome {
    root.words.name(message, text).map_err(|_| Refusal::Malformed)
}
