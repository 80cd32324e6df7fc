//! The events that a page or a file of the site shows: by the markup of the plugin's views, and by no text (T-110).

use super::html::{HtmlTag, all_tags};

/// The class of the element in which the plugin shows a view.
const VIEW: &str = "tribe-events-view";

/// The class that such an element has beside [`VIEW`] if it is a widget, which shows the same events on every page.
const WIDGET: &str = "tribe-events-widget";

/// The class of an event in any list of posts.
const POST: &str = "type-tribe_events";

/// The beginning and the end of the classes of events in the plugin's views.
const IN_VIEW: &str = "tribe-events-calendar-";
const EVENTS: [&str; 4] = [
    "__event",
    "__calendar-event",
    "__multiday-event",
    "__mobile-event",
];

/// An element that shows a view, until it ends.
struct Container<'a> {
    name: &'a str,
    is_widget: bool,
    /// The open elements with this name, from the container on.
    depth: usize,
}

/// True if a body that the site sends shows an event, as a page or as a calendar file. On a page with a view only the
/// view counts; on a page without one, all but widgets.
pub fn shows_event(body: &[u8]) -> bool {
    let body = String::from_utf8_lossy(body);
    if body.trim_start().starts_with("BEGIN:VCALENDAR") {
        // A line that goes on begins with a blank: no text of an event begins a line.
        return body.lines().any(|line| line.trim_end() == "BEGIN:VEVENT");
    }
    let (mut container, mut has_view, mut is_outside) = (None::<Container<'_>>, false, false);
    for tag in all_tags(&body) {
        container = match container {
            Some(container) => container.behind(tag),
            None => Container::of(tag),
        };
        let is_widget = container.as_ref().map(|container| container.is_widget);
        has_view |= is_widget == Some(false);
        match is_widget {
            Some(false) if is_event(tag) => return true,
            None if is_event(tag) => is_outside = true,
            _ => {}
        }
    }
    is_outside && !has_view
}

fn is_event(tag: HtmlTag<'_>) -> bool {
    let is_in_view =
        |class: &str| class.starts_with(IN_VIEW) && EVENTS.iter().any(|end| class.ends_with(end));
    let mut classes = tag.classes();
    !tag.is_end && classes.any(|class| class == POST || is_in_view(class))
}

// === impl Container ===

impl<'a> Container<'a> {
    /// The container that a tag begins.
    fn of(tag: HtmlTag<'a>) -> Option<Self> {
        let has = |class: &str| tag.classes().any(|known| known == class);
        (!tag.is_end && has(VIEW)).then(|| Self {
            name: tag.name,
            is_widget: has(WIDGET),
            depth: 1,
        })
    }

    /// The same behind a tag in it; none if the tag ends it.
    fn behind(mut self, tag: HtmlTag<'_>) -> Option<Self> {
        if tag.is(self.name) {
            self.depth = if tag.is_end {
                self.depth - 1
            } else {
                self.depth + 1
            };
        }
        (self.depth > 0).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW: &str = r#"<div class="tribe-common tribe-events tribe-events-view tribe-events-view--day">"#;
    const WIDGET: &str = r#"<div class="tribe-common tribe-events tribe-events-view tribe-events-widget">"#;
    const LISTED: &str =
        r#"<article class="post-72 tribe_events type-tribe_events status-publish">x</article>"#;
    const IN_MONTH: &str = "<article class='tribe-events-calendar-month__multiday-event'>x</article>";

    fn shows(page: &str) -> bool {
        shows_event(page.as_bytes())
    }

    #[test]
    fn events_are_seen_in_views_and_in_files() {
        for event in [LISTED, IN_MONTH] {
            assert!(shows(&format!("{VIEW}<div><br></div>{event}</div>")), "{event}");
            assert!(
                shows(&format!("<main>{event}</main>")),
                "a theme's own list: {event}"
            );
        }
        assert!(shows("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n"));
        assert!(!shows("BEGIN:VCALENDAR\r\nSUMMARY:x\r\n BEGIN:VEVENT\r\n"));
    }

    #[test]
    fn t110_text_and_what_every_page_shows_are_no_events() {
        for page in [
            format!("{VIEW}<a href='/?x=type-tribe_events' title=\"{LISTED}\">type-tribe_events</a></div>"),
            format!("{VIEW}<script>{LISTED}</script><!-- {LISTED} --></div>"),
            format!("{VIEW}<textarea>{LISTED}</textarea></div><aside>{LISTED}</aside>"),
            format!("{VIEW}<div></div></div>{WIDGET}<div>{LISTED}</div></div>"),
            format!("<h1>Not found</h1>{WIDGET}<div>{LISTED}</div></div>"),
            format!("{VIEW}<div class='tribe-events-calendar-month__mobile-events-icon--event'></div></div>"),
            r#"<body class="post-type-archive-tribe_events">"#.to_owned(),
        ] {
            assert!(!shows(&page), "{page}");
        }
    }

    proptest::proptest! {
        #[test]
        fn reads_any_body(body: Vec<u8>) {
            shows_event(&body);
        }
    }
}
