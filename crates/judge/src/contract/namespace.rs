//! The namespace of the calendar API among those that a site lists.

/// The public name of the namespace in the specification.
pub const SPECIFIED_NAMESPACE: &str = "calendar/events/v1";

/// The name under which the plugin registers the same routes (backend.md section 1).
pub const PLUGIN_NAMESPACE: &str = "tribe/events/v1";

/// The longest namespace that is taken from a site, in bytes.
const MOST_BYTES: usize = 64;

/// The calendar's namespace in the list of a REST root; none if the site lists none, or several that only look like it.
///
/// The names of the specification and of the plugin are preferred, in this order. A site may rename the plugin's; a
/// single name that ends as theirs do is taken for it.
pub fn calendar_namespace<'a>(listed: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let known = [SPECIFIED_NAMESPACE, PLUGIN_NAMESPACE];
    let known = known
        .into_iter()
        .find_map(|known| listed.clone().find(|name| *name == known));
    known.or_else(|| {
        let mut similar = listed.filter(|name| name.ends_with("/events/v1") && is_plain(name));
        similar.next().filter(|_| similar.next().is_none())
    })
}

/// Segments of letters, digits, `.`, `_` and `-`, as the setting allows.
fn is_plain(name: &str) -> bool {
    let is_plain = |segment: &str| {
        let mut bytes = segment.bytes();
        !segment.is_empty()
            && !matches!(segment, "." | "..")
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
    };
    name.len() <= MOST_BYTES && name.split('/').all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calendars_namespace_is_found_among_others() {
        for (listed, expected) in [
            (
                &[
                    "oembed/1.0",
                    "tribe/event-aggregator/v1",
                    "tribe/events/v1",
                    "tec/v1",
                    "wp/v2",
                ][..],
                Some("tribe/events/v1"),
            ),
            (
                &["tribe/events/v1", "calendar/events/v1"],
                Some("calendar/events/v1"),
            ),
            (&["wp/v2", "club/events/v1"], Some("club/events/v1")),
            (&["a/events/v1", "b/events/v1"], None),
            (&["../events/v1", "a b/events/v1", "/events/v1"], None),
            (&["wp/v2"], None),
            (&[], None),
        ] {
            assert_eq!(calendar_namespace(listed.iter().copied()), expected, "{listed:?}");
        }
    }
}
