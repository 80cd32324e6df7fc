//! Queries and forms: what was read and written again reads the same.

#![no_main]

use calendar_edge_judge::wordpress::payload::{PHP_VARIABLE_LIMIT, pair_count, parse_form};
use calendar_edge_judge::wordpress::value::{PhpArray, Value, write_escaped, write_query};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let variables = parse_form(text);
    assert!(variables.len() <= pair_count(text).min(PHP_VARIABLE_LIMIT));
    let again = parse_form(written(&variables).as_bytes());
    assert_eq!(again, variables);
});

fn written(variables: &PhpArray) -> String {
    let mut query = String::new();
    for (key, value) in variables.entries() {
        assert_holds_text_alone(value);
        let mut name = String::new();
        write_escaped(&key.to_bytes(), &mut name);
        write_query(&name, value, &mut query);
    }
    query
}

fn assert_holds_text_alone(value: &Value) {
    match value {
        Value::String(_) => {}
        Value::Array(array) => array.values().for_each(assert_holds_text_alone),
        Value::Null | Value::Bool(_) | Value::Number(_) => panic!("forms hold text and arrays"),
    }
}
