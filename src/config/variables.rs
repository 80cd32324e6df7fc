//! Environment variables in the texts of the file: `"https://${SITE}/wp-json"`.
//!
//! Only texts have them, and only after the file was parsed: a variable can change one value, and neither a key nor the
//! structure of the file. A printed configuration keeps the names, and never has the values.

use std::ops::Range;

use calendar_edge_core::settings::{ConfigFinding, ConfigPlace, ConfigProblems};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The beginning of a reference; with another `$` before it, it is text.
const BEGINNING: &str = "${";

/// Replaces the references in a file by the values of variables.
pub(super) struct Variables<'a> {
    /// The text of the file.
    pub(super) text: &'a str,
    /// The value of a variable; none if it is not set or empty.
    pub(super) lookup: &'a dyn Fn(&str) -> Option<String>,
    pub(super) problems: &'a mut ConfigProblems,
}

// === impl Variables ===

impl Variables<'_> {
    /// Replaces all references in a table and below it.
    pub(super) fn replace(&mut self, table: &mut DeTable<'_>) {
        for (_, value) in table.iter_mut() {
            self.replace_value(value);
        }
    }

    fn replace_value(&mut self, value: &mut Spanned<DeValue<'_>>) {
        let span = value.span();
        match value.get_mut() {
            DeValue::Table(table) => self.replace(table),
            DeValue::Array(items) => {
                for item in items.iter_mut() {
                    self.replace_value(item);
                }
            }
            DeValue::String(text) if text.contains(BEGINNING) => *text = self.expanded(text, &span).into(),
            _ => {}
        }
    }

    /// A text with the values of its references; one that has no value is a problem, and stays.
    fn expanded(&mut self, text: &str, span: &Range<usize>) -> String {
        let mut expanded = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(BEGINNING) {
            if let Some(before) = before.strip_suffix('$') {
                expanded.push_str(before);
                expanded.push_str(BEGINNING);
                rest = after;
                continue;
            }
            expanded.push_str(before);
            let Some((name, behind)) = after.split_once('}').filter(|(name, _)| is_name(name)) else {
                self.refuse("", span);
                return expanded;
            };
            match (self.lookup)(name) {
                Some(value) => expanded.push_str(&value),
                None => self.refuse(name, span),
            }
            rest = behind;
        }
        expanded.push_str(rest);
        expanded
    }

    /// Refuses a variable that is not set, or a reference without a name.
    fn refuse(&mut self, name: &str, span: &Range<usize>) {
        let message = match name {
            "" => "`${` without the name of a variable and `}`".to_owned(),
            name => format!("the variable `{name}` is not set"),
        };
        let help = "`$${` stands for the characters `${`";
        let finding = ConfigFinding::new(message)
            .expected("`${NAME}` of an environment variable that is set and not empty")
            .help(Some(help.to_owned()));
        let place = ConfigPlace::Span(self.place(name, span));
        self.problems.add(&place, finding);
    }

    /// The bytes of a reference within those of its text; of the whole text where it is written with escapes.
    fn place(&self, name: &str, span: &Range<usize>) -> Range<usize> {
        let reference = format!("{BEGINNING}{name}");
        let within = self.text.get(span.clone()).and_then(|raw| raw.find(&reference));
        within.map_or_else(
            || span.clone(),
            |at| span.start + at..span.start + at + reference.len(),
        )
    }
}

/// True for a name that shells can set.
fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.is_empty() && !name.as_bytes()[0].is_ascii_digit() && name.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(name: &str) -> Option<String> {
        match name {
            "SITE" => Some("wp.example".to_owned()),
            "HOST_2" => Some("b.example\"\nmode = \"off".to_owned()),
            _ => None,
        }
    }

    fn replaced(text: &str) -> (String, Option<String>) {
        let mut problems = ConfigProblems::default();
        let mut table = DeTable::parse(text).expect("a TOML file");
        let mut variables = Variables {
            text,
            lookup: &lookup,
            problems: &mut problems,
        };
        variables.replace(table.get_mut());
        let is_fine = problems.is_empty();
        let error = super::super::problem::ConfigError::of(problems, Some(("edge.toml", text)));
        (format!("{table:?}"), (!is_fine).then(|| error.to_string()))
    }

    #[test]
    fn texts_have_the_values_of_variables() {
        for (text, expected) in [
            ("a = \"${SITE}\"", "wp.example"),
            ("a = \"https://${SITE}/wp-json\"", "https://wp.example/wp-json"),
            ("a = ['x', '${SITE} and ${SITE}']", "wp.example and wp.example"),
            ("[[t]]\na = { b = '${SITE}' }", "\"wp.example\""),
            ("a = '$${SITE}, $ and $SITE'", "\"${SITE}, $ and $SITE\""),
            // One value stays one value, whatever it holds.
            ("a = '${HOST_2}'", "b.example\\\"\\nmode = \\\"off"),
        ] {
            let (table, problems) = replaced(text);
            assert!(table.contains(expected), "{text}: {table}");
            assert_eq!(problems, None, "{text}");
        }
    }

    #[test]
    fn a_reference_without_a_value_is_a_problem_with_its_place() {
        const NO_NAME: &str = "`${` without the name of a variable";
        for (text, complaint, place) in [
            (
                "b = 1\na = 'x ${UNSET} ${SITE}'",
                "the variable `UNSET` is not set",
                "edge.toml:2:8",
            ),
            ("a = '${SITE'", NO_NAME, "edge.toml:1:6"),
            ("a = '${}'", NO_NAME, "edge.toml:1:6"),
            ("a = '${SITE:-x}'", NO_NAME, "edge.toml:1:6"),
            (
                "a = \"\\u0024{UNSET}\"",
                "the variable `UNSET` is not set",
                "edge.toml:1:5",
            ),
        ] {
            let (_, problems) = replaced(text);
            let told = problems.expect(text);
            for part in [complaint, place, "\n1 problem in"] {
                assert!(told.contains(part), "{text}: {told}");
            }
        }
    }
}
