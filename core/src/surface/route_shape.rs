//! A route as WordPress publishes it, an expression, read as literal segments and placeholders.

use std::fmt;

/// A published route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RouteShape(Vec<RouteStep>);

/// A segment of a route, or several that one placeholder stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RouteStep {
    /// This text, in lower case.
    Literal(Box<str>),
    /// Any one segment.
    One,
    /// One segment or more.
    Some,
}

/// Maximum number of segments of a route.
const MOST_SEGMENTS: usize = 24;

/// The characters that make a segment an expression.
const EXPRESSION: [char; 12] = ['(', ')', '[', ']', '{', '}', '*', '+', '?', '|', '^', '$'];

/// Where a character of an expression stands.
#[derive(Debug, Default)]
struct KeyPosition {
    is_escaped: bool,
    groups: usize,
    /// In a class of characters, or of all others.
    class: Option<CharacterClass>,
    before: char,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharacterClass {
    These,
    Others,
}

// === impl RouteShape ===

impl RouteShape {
    /// Reads the key of a route in the index of a site; none if it has more than 24 segments.
    ///
    /// The expression is not run: a segment is a literal, or it stands for anything.
    pub(super) fn read(key: &str) -> Option<Self> {
        let steps: Vec<RouteStep> = segments(key).iter().filter_map(|segment| step(segment)).collect();
        (steps.len() <= MOST_SEGMENTS).then_some(Self(steps))
    }

    pub(super) fn steps(&self) -> &[RouteStep] {
        &self.0
    }
}

impl fmt::Display for RouteShape {
    /// Writes the pattern as rules name it: segments without outer slashes, `*` for a placeholder.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            let slash = if index == 0 { "" } else { "/" };
            let text = match step {
                RouteStep::Literal(text) => text,
                RouteStep::One | RouteStep::Some => "*",
            };
            write!(f, "{slash}{text}")?;
        }
        Ok(())
    }
}

/// The parts between slashes that stand in no group and in no class.
fn segments(key: &str) -> Vec<String> {
    let mut segments = vec![String::new()];
    let mut position = KeyPosition::default();
    for character in key.chars() {
        let is_between = character == '/' && position.is_outside();
        position.pass(character);
        match segments.last_mut() {
            Some(segment) if !is_between => segment.push(character),
            _ => segments.push(String::new()),
        }
    }
    segments
}

/// The meaning of a segment; none for one that is empty or an optional slash.
fn step(segment: &str) -> Option<RouteStep> {
    if segment.is_empty() || segment == "?" {
        return None;
    }
    if !segment.contains(EXPRESSION) && !segment.contains('\\') {
        return Some(RouteStep::Literal(segment.to_lowercase().into()));
    }
    Some(if may_have_slashes(segment) {
        RouteStep::Some
    } else {
        RouteStep::One
    })
}

/// Returns true if an expression names a slash, other than among the characters that it does not take.
fn may_have_slashes(segment: &str) -> bool {
    let mut position = KeyPosition::default();
    segment.chars().any(|character| {
        let is_taken = position.class != Some(CharacterClass::Others);
        position.pass(character);
        character == '/' && is_taken
    })
}

// === impl KeyPosition ===

impl KeyPosition {
    fn is_outside(&self) -> bool {
        self.groups == 0 && self.class.is_none()
    }

    fn pass(&mut self, character: char) {
        let before = std::mem::replace(&mut self.before, character);
        if std::mem::take(&mut self.is_escaped) {
            return;
        }
        match (character, self.class) {
            ('\\', _) => self.is_escaped = true,
            ('[', None) => self.class = Some(CharacterClass::These),
            ('^', Some(CharacterClass::These)) if before == '[' => self.class = Some(CharacterClass::Others),
            (']', Some(_)) => self.class = None,
            ('(', None) => self.groups += 1,
            (')', None) => self.groups = self.groups.saturating_sub(1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(key: &str) -> String {
        RouteShape::read(key).expect("few segments").to_string()
    }

    #[test]
    fn the_keys_of_wordpress_become_patterns() {
        for (key, expected) in [
            ("/", ""),
            ("/wp/v2/users", "wp/v2/users"),
            ("/wp/v2/users/(?P<id>[\\d]+)", "wp/v2/users/*"),
            ("/oembed/1.0/embed", "oembed/1.0/embed"),
            (
                "/wp/v2/users/(?P<user_id>(?:[\\d]+|me))/application-passwords/(?P<uuid>[\\w\\-]+)",
                "wp/v2/users/*/application-passwords/*",
            ),
            (
                r#"/wp/v2/templates/(?P<id>([^\/:<>\*\?"\|]+(?:\/[^\/:<>\*\?"\|]+)?)[\/\w%-]+)/autosaves"#,
                "wp/v2/templates/*/autosaves",
            ),
            ("/x/v1/Things/?", "x/v1/things"),
            ("/x/v1/[a-z/]+/(", "x/v1/*/*"),
        ] {
            assert_eq!(shown(key), expected, "{key}");
        }
    }

    #[test]
    fn a_placeholder_that_names_a_slash_stands_for_several_segments() {
        for (key, expected) in [
            ("/x/(?P<id>[\\d]+)", RouteStep::One),
            ("/x/(?P<slug>[^/]+)", RouteStep::One),
            (r"/x/(?P<slug>[^\/:]+)", RouteStep::One),
            ("/x/(?P<name>[a-z0-9-]+/[a-z0-9-]+)", RouteStep::Some),
            (r"/x/(?P<name>[^\/]+(?:\/[^\/]+)?)", RouteStep::Some),
            (r"/x/(?P<slug>[\/\w-]+)", RouteStep::Some),
        ] {
            let route = RouteShape::read(key).expect("few segments");
            assert_eq!(route.steps().last(), Some(&expected), "{key}");
        }
    }

    #[test]
    fn a_route_of_many_segments_is_left_out() {
        assert_eq!(RouteShape::read(&"/a".repeat(MOST_SEGMENTS + 1)), None);
        assert!(RouteShape::read(&"/a".repeat(MOST_SEGMENTS)).is_some());
    }

    proptest::proptest! {
        #[test]
        fn any_key_is_read(key in "[/a-z()\\[\\]^?*\\\\.<>|]{0,60}") {
            if let Some(route) = RouteShape::read(&key) {
                let shown = route.to_string();
                proptest::prop_assert!(!shown.starts_with('/') && !shown.ends_with('/') && !shown.contains("//"));
            }
        }
    }
}
