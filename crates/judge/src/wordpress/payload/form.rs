//! Queries and form bodies: `a=1&b[]=2` as PHP reads it.

use super::elements::ELEMENT_LIMIT;
use super::form_fault::FormFault;
use super::percent::{Plus, decode};
use super::variable_names::{PHP_VARIABLE_LIMIT, VariableName};
use crate::wordpress::value::{PhpArray, Value, split_once};

/// Reads a query or a urlencoded body (backend.md section 4). Never fails: PHP accepts any bytes.
pub fn parse_form(text: &[u8]) -> PhpArray {
    let mut read = PhpArray::default();
    for (name, value) in read_variables(text) {
        name.register(&mut read, Value::text(decode(value, Plus::Space)));
    }
    read.settle_kinds();
    read
}

/// Reads an urlencoded body with at most [`ELEMENT_LIMIT`] elements.
///
/// # Errors
/// [`FormFault::TooManyElements`] when its names have more brackets or are longer than that; nothing is built then.
pub fn parse_form_body(text: &[u8]) -> Result<PhpArray, FormFault> {
    let counts = read_variables(text).map(|(name, _)| name.element_count());
    if counts.sum::<usize>() > ELEMENT_LIMIT {
        return Err(FormFault::TooManyElements);
    }
    Ok(parse_form(text))
}

/// All variables, with their values as they were sent.
pub(super) fn variables(text: &[u8]) -> impl Iterator<Item = (VariableName, &[u8])> {
    pairs(text).filter_map(variable)
}

/// The variables that PHP reads of them.
fn read_variables(text: &[u8]) -> impl Iterator<Item = (VariableName, &[u8])> {
    pairs(text).take(PHP_VARIABLE_LIMIT).filter_map(variable)
}

fn variable(pair: &[u8]) -> Option<(VariableName, &[u8])> {
    let (name, value) = split_pair(pair);
    Some((VariableName::read(&decode(name, Plus::Space))?, value))
}

/// The names in a query or urlencoded body that PHP reads as this variable, in the spelling in which they
/// were sent.
pub fn spellings<'a>(text: &'a [u8], name: &[u8]) -> Vec<&'a [u8]> {
    let sent = pairs(text)
        .take(PHP_VARIABLE_LIMIT)
        .map(|pair| split_pair(pair).0);
    let is_meant =
        |sent: &&[u8]| VariableName::read(&decode(sent, Plus::Space)).is_some_and(|read| read.is_of(name));
    sent.filter(is_meant).collect()
}

/// The number of variables in a query or urlencoded body, including those that PHP drops.
pub fn pair_count(text: &[u8]) -> usize {
    pairs(text).count()
}

fn pairs(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty())
}

fn split_pair(pair: &[u8]) -> (&[u8], &[u8]) {
    split_once(pair, b'=').unwrap_or((pair, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordpress::value::write_query;

    #[test]
    fn drops_what_follows_the_thousandth_variable() {
        let mut text = "x=1&".repeat(PHP_VARIABLE_LIMIT);
        text.push_str("page=0");
        assert!(parse_form(text.as_bytes()).get("page").is_none());
        assert_eq!(pair_count(text.as_bytes()), 1001);
    }

    #[test]
    fn refuses_more_brackets_than_elements_may_be() {
        let form = |count: usize| format!("a{}&", "[]".repeat(49)).repeat(count);
        assert!(parse_form_body(form(200).as_bytes()).is_ok());
        assert_eq!(
            parse_form_body(form(201).as_bytes()),
            Err(FormFault::TooManyElements)
        );
    }

    #[test]
    fn refuses_long_names_only_where_there_are_many() {
        let form = |count: usize| format!("{}&", "a".repeat(6400)).repeat(count);
        assert!(parse_form_body(form(99).as_bytes()).is_ok());
        assert_eq!(
            parse_form_body(form(100).as_bytes()),
            Err(FormFault::TooManyElements)
        );
    }

    #[test]
    fn keeps_a_second_equals_sign_and_semicolons_in_the_value() {
        let variables = parse_form(b"a=b=c;d=e?f");
        assert_eq!(
            variables.get("a").and_then(Value::as_text),
            Some(&b"b=c;d=e?f"[..])
        );
    }

    #[test]
    fn finds_every_spelling_of_a_name() {
        let text = b"per.page=1&page=2&per%5Fpage[]=3&+per_page=4&per-page=5";
        let found: [&[u8]; 3] = [b"per.page", b"per%5Fpage[]", b"+per_page"];
        assert_eq!(spellings(text, b"per_page"), found);
    }

    proptest::proptest! {
        #[test]
        fn takes_any_bytes(text: Vec<u8>) {
            let variables = parse_form(&text);
            proptest::prop_assert!(variables.len() <= pair_count(&text));
        }

        #[test]
        fn reads_a_value_as_it_was_written(text: Vec<u8>) {
            let mut query = String::new();
            write_query("a", &Value::text(text.as_slice()), &mut query);
            let variables = parse_form(query.as_bytes());
            proptest::prop_assert_eq!(variables.get("a"), Some(&Value::text(text)));
        }

        /// Web servers limit the request line, so that no request may grow by being written again.
        #[test]
        fn pairs_that_are_sent_as_they_are_written_keep_their_length(
            values in proptest::collection::vec("[ -~]{0,20}", 1..6),
        ) {
            let mut sent = String::new();
            for (index, text) in values.iter().enumerate().rev() {
                write_query(&format!("a{index}"), &Value::text(text.as_str()), &mut sent);
            }
            let mut written = String::new();
            for (key, value) in parse_form(sent.as_bytes()).entries() {
                write_query(&String::from_utf8_lossy(&key.to_bytes()), value, &mut written);
            }
            proptest::prop_assert_eq!(written, sent);
        }
    }
}
