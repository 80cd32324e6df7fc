//! Proposals as lines of the configuration.

use std::fmt::Write as _;

use serde_json::Value;

use super::proposals::{ProposedDefault, ProposedRule};

/// The lines to paste; empty without proposals. They only report until `mode` is `enforce`.
pub(super) fn toml(rules: &[ProposedRule], default: Option<&ProposedDefault>) -> String {
    let mut text = String::new();
    for rule in rules {
        let ProposedRule {
            name,
            routes,
            callers,
            reason,
        } = rule;
        let routes = list(routes);
        // Writing to a string succeeds.
        let _ = write!(
            text,
            "# {reason}\n[[surface]]\nname = {}\nroutes = {routes}\ncallers = {}\nmode = \"report\"\n\n",
            quoted(name),
            quoted(callers)
        );
    }
    if let Some(ProposedDefault { known, reason }) = default {
        let known = list(known);
        let _ = write!(
            text,
            "# {reason}\n[surface_default]\nunknown = \"credentials\"\nknown = {known}\nmode = \"report\"\n"
        );
    }
    let end = text.trim_end().len();
    text.truncate(end);
    if end > 0 {
        text.push('\n');
    }
    text
}

fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
    format!("[{}]", items.join(", "))
}

/// A string of TOML. Its escapes are those of JSON, apart from DEL, which JSON leaves as it is.
fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_their_reason() {
        let rule = ProposedRule {
            name: "batch".to_owned(),
            routes: vec!["batch".to_owned(), "x/\"v1\u{1b}".to_owned()],
            callers: "nobody".to_owned(),
            reason: "in 7 days: nothing".to_owned(),
        };
        let default = ProposedDefault {
            known: vec!["wp/v2".to_owned()],
            reason: "in 7 days: little".to_owned(),
        };
        let expected = "# in 7 days: nothing\n[[surface]]\nname = \"batch\"\nroutes = [\"batch\", \"x/\\\"v1\\u001b\"]\n\
                        callers = \"nobody\"\nmode = \"report\"\n\n# in 7 days: little\n[surface_default]\n\
                        unknown = \"credentials\"\nknown = [\"wp/v2\"]\nmode = \"report\"\n";
        assert_eq!(toml(std::slice::from_ref(&rule), Some(&default)), expected);
        assert!(toml(&[rule], None).ends_with("\"report\"\n"));
        assert_eq!(toml(&[], None), "");
    }
}
