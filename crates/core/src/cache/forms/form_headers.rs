//! The headers of a response in another form than the pages that it is written of.

use http::header::{AGE, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, ETAG, LINK};
use http::{HeaderMap, HeaderName, HeaderValue};

/// Headers of a page that do not depend on the form.
const OF_PAGE: [HeaderName; 6] = [
    AGE,
    CONTENT_LENGTH,
    ETAG,
    LINK,
    HeaderName::from_static("cache-status"),
    HeaderName::from_static("x-tec-totalpages"),
];

/// The headers of a page as those of a calendar, whose body has so many bytes.
pub fn calendar_headers(mut page: HeaderMap, length: usize) -> HeaderMap {
    for name in OF_PAGE {
        page.remove(name);
    }
    let file = HeaderValue::from_static("inline; filename=\"events.ics\"");
    page.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/calendar; charset=utf-8"),
    );
    page.insert(CONTENT_DISPOSITION, file);
    page.insert(CONTENT_LENGTH, HeaderValue::from(length));
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_keeps_what_is_true_of_all_its_pages() {
        let mut page = HeaderMap::new();
        for (name, value) in [
            ("content-type", "application/json; charset=UTF-8"),
            ("content-length", "7"),
            ("etag", "\"a\""),
            ("link", "<https://events.example/?page=2>; rel=\"next\""),
            ("x-tec-totalpages", "3"),
            ("x-tec-total", "24"),
        ] {
            page.insert(name, HeaderValue::from_static(value));
        }
        let calendar = calendar_headers(page, 90);
        assert_eq!(calendar[CONTENT_TYPE], "text/calendar; charset=utf-8");
        assert_eq!(calendar[CONTENT_LENGTH], "90");
        assert_eq!(calendar["x-tec-total"], "24");
        assert_eq!(calendar[CONTENT_DISPOSITION], "inline; filename=\"events.ics\"");
        for name in [ETAG, LINK, HeaderName::from_static("x-tec-totalpages")] {
            assert!(!calendar.contains_key(&name), "{name}");
        }
    }
}
