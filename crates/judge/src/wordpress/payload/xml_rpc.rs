//! The methods that a body may call at `xmlrpc.php`, by its bytes alone.
//!
//! WordPress reads the body as a stream of tags: wherever `</methodName>` closes, the text behind the last tag is the
//! method, and the last one counts. So each such place is looked at, also one that is no tag. A text that is not plain,
//! or does not follow its opening tag directly, may be any method: entities, CDATA and comments can spell a name.

use memchr::memmem;

const OPENING: &[u8] = b"<methodname>";

const CLOSING: &[u8] = b"</methodname";

/// The most bytes before a closing tag that are looked at. The longest name of WordPress's own has 36.
const LONGEST: usize = 256;

/// Reads the names of methods in a body, piece by piece.
#[derive(Debug, Clone, Default)]
pub struct MethodScan {
    /// The last bytes of earlier pieces, in lower case.
    kept: Vec<u8>,
}

// === impl MethodScan ===

impl MethodScan {
    /// Takes the next bytes. Returns the names that end in them, in lower case; none for one that may be any.
    pub fn push(&mut self, piece: &[u8]) -> Vec<Option<String>> {
        let behind = self.kept.len();
        self.kept.extend(piece.iter().map(u8::to_ascii_lowercase));
        // A tag that ends among the bytes of earlier pieces was looked at then.
        let new = memmem::find_iter(&self.kept, CLOSING).filter(|at| at + CLOSING.len() > behind);
        let before = |at: usize| self.kept.get(at.saturating_sub(LONGEST)..at);
        let names = new.map(|at| before(at).and_then(plain_name)).collect();
        let passed = self.kept.len().saturating_sub(LONGEST + CLOSING.len());
        self.kept.drain(..passed);
        names
    }

    /// The names in a whole body. One that names no method in plain bytes may call any.
    pub fn whole(body: &[u8]) -> Vec<Option<String>> {
        let names = Self::default().push(body);
        if names.is_empty() { vec![None] } else { names }
    }
}

/// The text between an opening tag and the end of the bytes, if it is a name that every parser reads alike.
fn plain_name(before: &[u8]) -> Option<String> {
    let start = memmem::rfind(before, OPENING)? + OPENING.len();
    let name = before.get(start..)?.trim_ascii();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-:/".contains(byte);
    let is_name = !name.is_empty() && name.iter().all(is_plain);
    is_name.then(|| name.iter().copied().map(char::from).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn call(name: &str) -> String {
        format!("<?xml version=\"1.0\"?><methodCall><methodName>{name}</methodName><params/></methodCall>")
    }

    fn names(body: &str) -> Vec<String> {
        let names = MethodScan::whole(body.as_bytes()).into_iter();
        names.map(|name| name.unwrap_or_else(|| "?".to_owned())).collect()
    }

    #[test]
    fn every_name_of_a_method_is_found() {
        let (list, posts) = (call("System.MultiCall"), call("wp.getPosts"));
        for (body, expected) in [
            (list.clone(), &["system.multicall"][..]),
            (call(" pingback.ping\n"), &["pingback.ping"]),
            (call("system.multicallx"), &["system.multicallx"]),
            (
                format!("{posts}<!--{list}-->"),
                &["wp.getposts", "system.multicall"],
            ),
            (
                posts.replace("</methodName>", "</methodName \n>"),
                &["wp.getposts"],
            ),
        ] {
            assert_eq!(names(&body), expected, "{body}");
        }
    }

    #[test]
    fn a_name_that_is_not_plain_may_be_any() {
        let long = format!("{}wp.getPosts", " ".repeat(LONGEST));
        for name in [
            "system.multi&#99;all",
            "&#x73;ystem.multicall",
            "<![CDATA[system.multicall]]>",
            "<![CDATA[system]]>.multicall",
            "system.<!-- -->multicall",
            "wp<b/>system.multicall",
            "system.<?x?>multicall",
            "caf\u{e9}",
            "",
            &long,
        ] {
            assert_eq!(names(&call(name)), ["?"], "{name}");
        }
        for body in [
            "",
            "no document",
            "<methodCall><methodName>wp.getPosts",
            "<methodCall><params><value>system.multicall</methodName>",
            "<methodCall><methodName x=''>wp.getPosts</methodName>",
        ] {
            assert_eq!(names(body), ["?"], "{body}");
        }
    }

    proptest! {
        #[test]
        fn a_name_is_found_however_the_body_is_cut(
            padding in 0_usize..600,
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
            name in prop::sample::select(vec!["system.multicall", "wp.getPosts", "wp.get<b/>Posts"]),
        ) {
            let body = format!("{}{}", "x".repeat(padding), call(name));
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
            cuts.extend([0, body.len()]);
            cuts.sort_unstable();
            let mut scan = MethodScan::default();
            let pieces = cuts.windows(2).map(|pair| &body.as_bytes()[pair[0]..pair[1]]);
            let found: Vec<_> = pieces.flat_map(|piece| scan.push(piece)).collect();
            prop_assert_eq!(found, MethodScan::whole(body.as_bytes()));
        }
    }
}
