//! Regular expressions over bytes.

use regex_automata::meta::Regex;
use regex_automata::util::syntax::Config;

/// The matcher of an expression of this crate, which matches bytes; a dot matches line ends too.
pub(crate) fn expression(pattern: &str) -> Regex {
    let bytes = Config::new()
        .unicode(false)
        .utf8(false)
        .dot_matches_new_line(true);
    let built = Regex::builder().syntax(bytes).build(pattern);
    built.expect("the expressions are constants")
}
