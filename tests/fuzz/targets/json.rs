//! JSON: what was read and written again reads the same, and no other reader sees another document.

#![no_main]

use calendar_edge_judge::wordpress::payload::{JsonRefusal, PHP_DEPTH, json_shape, parse_json};
use calendar_edge_judge::wordpress::value::to_json;
use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;

fuzz_target!(|text: &[u8]| {
    let read = parse_json(text, PHP_DEPTH);
    assert_eq!(json_shape(text, PHP_DEPTH).err(), read.as_ref().err().copied());
    let other = serde_json::from_slice::<serde_json::Value>(text);
    let value = match read {
        Ok(value) => value,
        Err(JsonRefusal::TooManyElements) => return,
        Err(JsonRefusal::Invalid(error)) => {
            assert!(other.is_err(), "PHP: {error}");
            return;
        }
    };
    let written = to_json(&value).expect("decoded text is UTF-8");
    assert_eq!(parse_json(&written, PHP_DEPTH).as_ref(), Ok(&value));
    assert_eq!(to_json(&value).as_deref(), Ok(&*written));
    serde_json::from_slice::<IgnoredAny>(&written).expect("what is written is JSON");
    if let Ok(other) = other {
        assert_eq!(
            serde_json::from_slice::<serde_json::Value>(&written).ok(),
            Some(other)
        );
    }
});
