//! The response to a client in place of a page without events.

use std::fmt::Write as _;

use url::Url;

use crate::companion::facts::SiteFacts;

/// The calendar file without events. The plugin sends nothing at all there, which programs take for a fault.
pub const EMPTY_CALENDAR: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//calendar-edge//EN\r\nCALSCALE:GREGORIAN\r\nMETHOD:PUBLISH\r\nEND:VCALENDAR\r\n";

/// The page without events, with a sentence about that in the site's language and a link to the calendar.
pub(super) fn page_without_events(site: &SiteFacts) -> String {
    // The path alone: it holds at whatever address the client reached the site.
    let calendar = Url::parse(&site.calendar).map_or_else(|_| "/".to_owned(), |url| url.path().to_owned());
    let [language, none, path, name] =
        [&site.language, &site.words.none, &calendar, &site.words.calendar].map(|text| escaped(text));
    format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"robots\" content=\"noindex\">\n\
         <title>{none}</title>\n</head>\n<body>\n<p>{none}</p>\n<p><a href=\"{path}\">{name}</a></p>\n</body>\n</html>\n"
    )
}

fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' | '<' | '>' | '"' | '\'' => {
                // Writing to a string cannot fail.
                let _ = write!(written, "&#{};", u32::from(character));
            }
            _ => written.push(character),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_speaks_the_sites_language_and_cannot_be_broken_by_it() {
        let mut site = crate::pages::page_judge::tests::site();
        "de-DE".clone_into(&mut site.language);
        "https://a.example/sub/termine/".clone_into(&mut site.calendar);
        "Keine <Termine> & \"mehr\"".clone_into(&mut site.words.none);
        "L'été".clone_into(&mut site.words.calendar);
        let page = page_without_events(&site);
        for part in [
            "<html lang=\"de-DE\">",
            "<p>Keine &#60;Termine&#62; &#38; &#34;mehr&#34;</p>",
            "<a href=\"/sub/termine/\">L&#39;été</a>",
            "content=\"noindex\"",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!crate::pages::shows_event(page.as_bytes()));
    }
}
