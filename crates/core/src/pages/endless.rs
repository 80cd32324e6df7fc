//! Requests for which WordPress runs one of the calendar's endless pages, in whatever spelling (T-114).

use http::request::Parts;
use memchr::memmem;

use calendar_edge_judge::wordpress::payload::{ContentHeaders, Plus, SiteForm, decode, parse_form};
use calendar_edge_judge::wordpress::value::PhpArray;

/// The form of a request, as far as it was read.
#[derive(Debug, Clone, Copy)]
pub enum FormReading<'a> {
    /// PHP reads no form from it.
    Absent,
    /// The whole form.
    Whole(&'a [u8]),
    /// A form that was not read.
    Unread,
}

/// The parameters that name a date, or request a calendar file.
const DATED: [&str; 6] = [
    "eventDate",
    "tribe-bar-date",
    "view_data",
    "tribe_view_data",
    "ical",
    "outlook-ical",
];

/// The names of the views that scripts of calendar pages load: their REST routes, and their action in `admin-ajax.php`.
const VIEWS: [&[u8]; 2] = [b"tribe/views/v2", b"tribe_events_views_v2_fallback"];

/// The folders of files, which have dates in their paths.
const FILES: [&[u8]; 2] = [b"wp-content", b"wp-includes"];

/// True if a request has WordPress run a page with a date, a calendar file, or a view for a script. It depends on no
/// fact about the site, and reads more broadly than the site does.
pub fn is_endless(head: &Parts, form: FormReading<'_>) -> bool {
    let query = head.uri.query().unwrap_or_default().as_bytes();
    let path = settled(head.uri.path().as_bytes());
    is_dated_path(&path)
        || names_views(&path)
        || names_views(&settled(query))
        || is_dated(&parse_form(query))
        || is_endless_form(head, form, &path)
}

fn is_endless_form(head: &Parts, form: FormReading<'_>, path: &[u8]) -> bool {
    let fields = match form {
        FormReading::Absent => return false,
        FormReading::Whole(form) if names_views(&settled(form)) => return true,
        FormReading::Whole(form) => {
            SiteForm::of(&head.method, ContentHeaders::of(&head.headers)).fields(form)
        }
        FormReading::Unread => None,
    };
    // A form that cannot be read may name any page, unless another script or a route takes it.
    fields.map_or_else(|| is_of_pages(path), |fields| is_dated(&fields))
}

fn is_dated(parameters: &PhpArray) -> bool {
    DATED.iter().any(|name| parameters.get(name).is_some())
}

/// True if a segment is a day, a month, or the name of calendar files.
fn is_dated_path(path: &[u8]) -> bool {
    let mut segments = path
        .split(|byte| *byte == b'/')
        .filter(|segment| !segment.is_empty());
    let is_of_files = segments
        .clone()
        .next()
        .is_some_and(|first| FILES.contains(&first));
    !is_of_files && segments.any(|segment| segment == b"ical" || is_date(segment))
}

/// True if a text has the form of a day or a month.
pub(super) fn is_date(text: &[u8]) -> bool {
    let is_written = text.iter().enumerate().all(|(at, byte)| match at {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    is_written && matches!(text.len(), 7 | 10)
}

fn names_views(text: &[u8]) -> bool {
    VIEWS.iter().any(|name| memmem::find(text, name).is_some())
}

/// True if `index.php` takes a path, or the script of views.
fn is_of_pages(path: &[u8]) -> bool {
    let mut segments = path.split(|byte| *byte == b'/');
    segments.all(|segment| {
        let is_script = segment.ends_with(b".php");
        segment != b"wp-json" && (!is_script || matches!(segment, b"index.php" | b"admin-ajax.php"))
    })
}

/// A text as servers and WordPress may read it: decoded as often as it can be, in lower case, with single slashes.
fn settled(text: &[u8]) -> Vec<u8> {
    /// WordPress decodes a route twice, and a server before it once.
    const DECODINGS: usize = 3;
    let mut text = text.to_vec();
    for _ in 0..DECODINGS {
        text = decode(&text, Plus::Literal).into_owned();
    }
    text.make_ascii_lowercase();
    for byte in &mut text {
        *byte = if *byte == b'\\' { b'/' } else { *byte };
    }
    text.dedup_by(|next, before| *next == b'/' && *before == b'/');
    text
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn head(method: &str, target: &str, kind: &str) -> Parts {
        let request = Request::builder().method(method).uri(target);
        let request = request.header("content-type", kind);
        request.body(()).unwrap().into_parts().0
    }

    fn by_target(target: &str) -> bool {
        ["GET", "HEAD", "OPTIONS", "POST", "PUT"]
            .iter()
            .all(|method| is_endless(&head(method, target, "text/plain"), FormReading::Absent))
    }

    #[test]
    fn t114_dated_pages_files_and_views_pay_in_every_spelling() {
        for target in [
            "/events/2127-05-01/",
            "/events/2127-05-01/feed/",
            "/%65vents%2F2127-05-01",
            "/index.php/events/month/2127-05/",
            "/events/category/x/day/2127-05-01/",
            "/event/weekly/2127-05-01/",
            "/events/list/?tribe-bar-date=tomorrow",
            "/?post_type=tribe_events&eventDate=2127-05",
            "/?p=1&%65ventDate=x",
            "/events/?view.data[bar-date]=2127-05-01",
            "/events/category/x/ical/",
            "/no-such-page/?ical",
            "/event/none/?outlook-ical=0",
            "/wp-json/tribe/views/v2/html?url=x",
            "/wp-json//tribe\\views/V2/html/",
            "/wp-json/tribe%252Fviews/v2/html",
            "/?rest_route=/tribe/views/v2/html",
            "/about/?rest_route=%2Ftribe%2F%2Fviews%2Fv2",
            "/wp-admin/admin-ajax.php?action=tribe_events_views_v2_fallback",
        ] {
            assert!(by_target(target), "{target}");
        }
    }

    #[test]
    fn what_has_an_end_is_free() {
        for target in [
            "/",
            "/events/",
            "/events/list/page/2/?foo=1",
            "/events/today/",
            "/event/gala-2127-05-01/",
            "/2027/05/01/news/",
            "/sitemap.xml",
            "/musical/?s=ical",
            "/wp-content/uploads/2027-05/a.png",
            "/wp-json/wp/v2/posts",
        ] {
            let head = head("GET", target, "text/plain");
            assert!(!is_endless(&head, FormReading::Absent), "{target}");
        }
    }

    #[test]
    fn t114_forms_pay_for_what_they_name_and_for_what_cannot_be_read() {
        const FORM: &str = "application/x-www-form-urlencoded";
        let pays = |target: &str, form| is_endless(&head("POST", target, FORM), form);
        for form in [
            "post_type=tribe_events&eventDate=2127-05",
            "tribe%2Dbar-date=x",
            "rest_route=%2Ftribe%2Fviews%2Fv2%2Fhtml",
            "action=tribe_events_views_v2_fallback&url=x",
        ] {
            assert!(pays("/", FormReading::Whole(form.as_bytes())), "{form}");
        }
        assert!(!pays(
            "/contact/",
            FormReading::Whole(b"text=a+musical+on+2127-05-01")
        ));
        for (target, is_charged) in [
            ("/", true),
            ("/contact/", true),
            ("/wp-admin/admin-ajax.php", true),
            ("/index.php/x", true),
            ("/wp-comments-post.php", false),
            ("/wp-json/forms/v1/7", false),
        ] {
            assert_eq!(pays(target, FormReading::Unread), is_charged, "{target}");
        }
        let parts = b"--x\r\nContent-Disposition: form-data; name=\"eventDate\"\r\n\r\n2127-05\r\n--x--\r\n";
        let multipart = head("POST", "/", "multipart/form-data; boundary=x");
        assert!(is_endless(&multipart, FormReading::Whole(parts)));
    }

    proptest::proptest! {
        #[test]
        fn reads_any_form(form: Vec<u8>) {
            is_endless(&head("POST", "/", "application/x-www-form-urlencoded"), FormReading::Whole(&form));
        }
    }
}
