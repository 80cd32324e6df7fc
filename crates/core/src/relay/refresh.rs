//! The URL in a `Refresh` header, found as browsers find it (HTML, "shared declarative refresh steps").

/// The URL; `None` if the header names none.
pub(super) fn refresh_url(value: &str) -> Option<&str> {
    let separators: &[char] = &[';', ',', ' ', '\t'];
    let (time, rest) = value.trim_start().split_once(separators)?;
    let rest = rest.trim_start_matches(separators);
    let url = match rest.split_once('=') {
        Some((name, url)) if name.trim_end().eq_ignore_ascii_case("url") => url.trim_start(),
        _ => rest,
    };
    let quote = url.chars().next().filter(|first| matches!(first, '"' | '\''));
    let url = quote.map_or(url, |quote| url.split(quote).nth(1).unwrap_or_default());
    let is_time = !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    Some(url.trim_end()).filter(|url| is_time && !url.is_empty())
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
            let found = refresh_url(value);
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
            let found = refresh_url(&value);
            prop_assert_eq!(found, Some(url.as_str()));
        }

        #[test]
        fn any_text_gives_a_part_of_it(value in "[0-9;,url= '\"é]{0,40}") {
            if let Some(url) = refresh_url(&value) {
                prop_assert!(!url.is_empty() && value.contains(url));
            }
        }
    }
}
