//! Slugs: the spelling that the edge forwards.

use crate::wordpress::payload::escaped;
use crate::wordpress::value::{is_unreserved, write_escaped};

/// The spelling that is forwarded for a NUL.
const NUL: &str = "%2500";

/// A path segment that WordPress looks up as the same slug.
///
/// WordPress decodes a slug once more when it looks it up, plus signs included. The segment therefore
/// contains the once-decoded bytes, encoded again, and leaves `+` and `%2B` unchanged (decision 0005).
pub fn canonical_slug(slug: &[u8]) -> String {
    let mut segment = String::with_capacity(slug.len());
    let mut rest = slug;
    while let [first, tail @ ..] = rest {
        let escape = if *first == b'%' { escaped(tail) } else { None };
        rest = match tail {
            [_, _, behind @ ..] if escape.is_some() => behind,
            _ => tail,
        };
        match escape {
            // Web servers refuse `%00`. No slug contains a NUL, so this spelling also finds no record.
            Some(0) => segment.push_str(NUL),
            None if *first == 0 => segment.push_str(NUL),
            Some(byte) => write_escaped(&[byte], &mut segment),
            None if *first == b'+' || is_unreserved(*first) => segment.push(char::from(*first)),
            None => write_escaped(&[*first], &mut segment),
        }
    }
    match segment.as_str() {
        // A server on the way would resolve dot segments. To WordPress all slugs that normalise to an empty
        // text are the same; this is the spelling that is forwarded.
        "." | ".." => "-".to_owned(),
        _ => match segment.strip_suffix(".php") {
            // Web servers run such a path as a script, however it is encoded. WordPress looks dots up as
            // dashes.
            Some(name) => format!("{name}-php"),
            None => segment,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_once_and_encodes_again() {
        let cases: [(&str, &str); 13] = [
            ("new-york-gala", "new-york-gala"),
            ("%6eew york", "new%20york"),
            ("a+b%2Bc%2bd", "a+b%2Bc%2Bd"),
            ("%2565vents", "%2565vents"),
            ("100%", "100%25"),
            ("x%2Fy", "x%2Fy"),
            ("東", "%E6%9D%B1"),
            ("%e6%9d%b1", "%E6%9D%B1"),
            ("%2e.", "-"),
            ("index.php", "index-php"),
            ("index%2Ephp", "index-php"),
            ("index.php5", "index.php5"),
            ("a\0b%00", "a%2500b%2500"),
        ];
        for (slug, expected) in cases {
            assert_eq!(canonical_slug(slug.as_bytes()), expected, "{slug}");
        }
    }

    proptest::proptest! {
        #[test]
        fn is_its_own_canonical_form(slug: Vec<u8>) {
            let once = canonical_slug(&slug);
            proptest::prop_assert_eq!(canonical_slug(once.as_bytes()), once.clone());
            proptest::prop_assert!(!once.contains('/') && once != "." && once != "..");
        }
    }
}
