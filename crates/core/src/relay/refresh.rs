//! The URL in a `Refresh` header, found as browsers find it (HTML, "shared declarative refresh steps").

use std::ops::Range;

/// The place of the URL; `None` if the header names none.
pub(super) fn refresh_url(value: &[u8]) -> Option<Range<usize>> {
    let at = after_time(value)?;
    let named = after_name(value, at).unwrap_or(at);
    let (start, end) = match value.get(named) {
        Some(&quote @ (b'"' | b'\'')) => {
            let rest = value.get(named + 1..)?;
            let length = rest.iter().position(|&byte| byte == quote);
            (named + 1, named + 1 + length.unwrap_or(rest.len()))
        }
        _ => (named, value.len()),
    };
    let trailing = value.get(start..end)?.iter().rev();
    let end = end - trailing.take_while(|byte| byte.is_ascii_whitespace()).count();
    (start < end).then_some(start..end)
}

/// The place behind the time and its separator.
fn after_time(value: &[u8]) -> Option<usize> {
    let start = skip(value, 0, |byte| byte.is_ascii_whitespace());
    let digits = skip(value, start, |byte| byte.is_ascii_digit());
    if digits == start && value.get(start) != Some(&b'.') {
        return None;
    }
    let end = skip(value, digits, |byte| byte.is_ascii_digit() || byte == b'.');
    let blanks = skip(value, end, |byte| byte.is_ascii_whitespace());
    match value.get(blanks)? {
        b';' | b',' => Some(skip(value, blanks + 1, |byte| byte.is_ascii_whitespace())),
        _ => (blanks > end).then_some(blanks),
    }
}

/// The place behind `url=`, if that stands there.
fn after_name(value: &[u8], at: usize) -> Option<usize> {
    let name = value.get(at..at + 3)?;
    let equals = skip(value, at + 3, |byte| byte.is_ascii_whitespace());
    let is_named = name.eq_ignore_ascii_case(b"url") && value.get(equals) == Some(&b'=');
    is_named.then(|| skip(value, equals + 1, |byte| byte.is_ascii_whitespace()))
}

fn skip(value: &[u8], mut at: usize, belongs: impl Fn(u8) -> bool) -> usize {
    while value.get(at).copied().is_some_and(&belongs) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn finds_the_url_that_a_browser_would_load() {
        for (value, url) in [
            ("5; url=http://h/a", Some("http://h/a")),
            ("0;URL='http://h/a;b'x", Some("http://h/a;b")),
            ("0 , Url = \"http://h/a\"", Some("http://h/a")),
            ("1.5 http://h/a", Some("http://h/a")),
            (".5;http://h/a", Some("http://h/a")),
            ("5; url =  http://h/a  ", Some("http://h/a")),
            ("5;url=\"http://h/a", Some("http://h/a")),
            ("5;urls", Some("urls")),
            ("5;url http://h/", Some("url http://h/")),
            ("5", None),
            ("5;", None),
            ("5;url=", None),
            ("5;url=''", None),
            ("5url=http://h/", None),
            ("x;url=http://h/", None),
            ("", None),
        ] {
            let found = refresh_url(value.as_bytes()).map(|place| &value[place]);
            assert_eq!(found, url, "{value:?}");
        }
    }

    proptest! {
        #[test]
        fn the_url_is_found_however_it_is_written(
            time in "[0-9]{1,3}(\\.[0-9]*)?",
            separator in "[ \t]{0,2}[;,][ \t]{0,2}",
            name in "([uU][rR][lL][ \t]{0,2}=[ \t]{0,2})?",
            url in "http://[a-z0-9/?&=;,.-]{1,20}",
            quote in proptest::sample::select(vec!["", "\"", "'"]),
        ) {
            let value = format!("{time}{separator}{name}{quote}{url}{quote}");
            let found = refresh_url(value.as_bytes()).map(|place| &value[place]);
            prop_assert_eq!(found, Some(url.as_str()));
        }

        #[test]
        fn any_bytes_give_a_place_inside(value in proptest::collection::vec(
            prop_oneof![any::<u8>(), proptest::sample::select(b"0;,url= '\"".to_vec())], 0..40,
        )) {
            if let Some(place) = refresh_url(&value) {
                prop_assert!(place.start < place.end && place.end <= value.len());
            }
        }
    }
}
