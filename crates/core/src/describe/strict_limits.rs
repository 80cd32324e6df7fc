//! The strict profile as Markdown: its limits, and the form of every argument.

use std::fmt::Write as _;

use calendar_edge_judge::contract::strict::{
    BODY_BYTES, ID_DIGITS, JSON_DEPTH, JSON_ELEMENTS, LARGEST_ID, LARGEST_PAGE, LAST_PAGE, LIST_ELEMENTS,
    OBJECT_MEMBERS, QUERY_PAIRS, SLUG_BYTES, TEXT_CHARACTERS,
};
use calendar_edge_judge::contract::{Argument, Relation, StrictRule, table};

const HEAD: &str = "\
# Strict profile

For operators who set `profile = \"strict\"`, and for programmers of their clients. This file is written from the table in \
`crates/judge/src/contract`; a test compares the two.

The strict profile takes the specification to the letter. A call must pass WordPress's own checks as well, and their \
words come first where both object to a value. Lower `limits` of the configuration count, too.

- The path is spelt as documented: exact case, no repeated slashes, ids without leading zeros, no route in the query.
- Parameter names are spelt as documented, each sent once; `[]` stands behind names of lists only.
- Undeclared parameters are refused, except those that `extra_parameters` lists, unless `undeclared` is set.
- A write names no other method, neither in `_method` nor in `X-HTTP-Method-Override`.
- Arguments of creates and updates stand in the body, which is JSON or a urlencoded form in UTF-8. Other calls have no \
body.
- In JSON a whole number is a number, not a text.

| Limit | At most |
|---|---|
";

const ARGUMENTS: &str = "
`events.writes` are all creates and updates of events, by slug too. Numbers are written in plain digits, no text or slug has \
control characters, and a list has one element at least.

| Arguments | Form | Operations |
|---|---|---|
";

/// Every limit with its unit, for documents. Of more than the largest page the site gives as many, without an error.
const LIMITS: [(&str, u64); 12] = [
    ("Pairs of a query", QUERY_PAIRS as u64),
    ("Bytes of a request body", BODY_BYTES as u64),
    ("Nesting of a JSON body", JSON_DEPTH as u64),
    ("Members of one JSON object", OBJECT_MEMBERS as u64),
    ("Elements of one JSON list", JSON_ELEMENTS as u64),
    ("Elements of one list argument", LIST_ELEMENTS as u64),
    (
        "Characters of a text that is not a description",
        TEXT_CHARACTERS as u64,
    ),
    ("Bytes of a slug", SLUG_BYTES as u64),
    ("Digits of an id in a path", ID_DIGITS as u64),
    ("The largest id", LARGEST_ID),
    ("The largest page", LAST_PAGE),
    ("The largest page size", LARGEST_PAGE),
];

/// Returns the Markdown text of `docs/reference/strict.md`.
fn strict_reference() -> String {
    let mut text = HEAD.to_owned();
    for (what, most) in LIMITS {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| {what} | {most} |");
    }
    text.push_str(ARGUMENTS);
    for row in rows() {
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            quoted(&row.names),
            row.form,
            operations(&row.operations)
        );
    }
    text
}

/// Arguments of one form, with all operations that use them in this form.
struct StrictRow {
    names: Vec<&'static str>,
    form: String,
    operations: Vec<&'static str>,
}

fn rows() -> Vec<StrictRow> {
    let mut rows: Vec<StrictRow> = Vec::new();
    for single in rows_of_arguments() {
        let known = rows
            .iter_mut()
            .find(|row| row.form == single.form && row.operations == single.operations);
        match known {
            Some(row) => row.names.extend(single.names),
            None => rows.push(single),
        }
    }
    rows
}

/// A row for each argument in each of its forms.
fn rows_of_arguments() -> Vec<StrictRow> {
    let mut rows: Vec<StrictRow> = Vec::new();
    for operation in table().operations() {
        for argument in &operation.arguments {
            let form = form_of(argument);
            let known = rows
                .iter_mut()
                .find(|row| row.names == [argument.name] && row.form == form);
            match known {
                Some(row) => row.operations.push(operation.name.as_str()),
                None => rows.push(StrictRow {
                    names: vec![argument.name],
                    form,
                    operations: vec![operation.name.as_str()],
                }),
            }
        }
    }
    rows
}

/// Names of operations; those that write a kind as one, where all of them are among the names.
fn operations(names: &[&str]) -> String {
    let all: Vec<&str> = table()
        .operations()
        .iter()
        .map(|operation| operation.name.as_str())
        .collect();
    let mut shown: Vec<String> = Vec::new();
    for name in names {
        let kind = name.split('.').next().unwrap_or_default();
        let writes = ["create", "update", "by-slug.update"].map(|write| format!("{kind}.{write}"));
        let is_write = writes.iter().any(|write| write == name);
        let mut known = writes.iter().filter(|write| all.contains(&write.as_str()));
        let is_whole = is_write && known.all(|write| names.contains(&write.as_str()));
        let word = format!(
            "`{}`",
            if is_whole {
                format!("{kind}.writes")
            } else {
                (*name).to_owned()
            }
        );
        if !shown.contains(&word) {
            shown.push(word);
        }
    }
    shown.join(", ")
}

fn form_of(argument: &Argument) -> String {
    let form = form(argument.strict);
    match argument.relation {
        None => form,
        Some(Relation::OtherCoordinate(other)) => format!("{form}; only together with `{other}`"),
        Some(Relation::NotBefore(start)) => format!("{form}; not before `{start}`"),
    }
}

fn form(rule: StrictRule) -> String {
    match rule {
        StrictRule::Whole { most } => format!("a whole number from 1 to {most}"),
        StrictRule::Flag => "`true`, `false`, `1` or `0`".to_owned(),
        StrictRule::AbsoluteDate => {
            "`YYYY-MM-DD`, with `HH:MM` or `HH:MM:SS` behind a blank or a `T`".to_owned()
        }
        StrictRule::ReadableDate => "a date that PHP reads, in the years 1 to 9999; no number".to_owned(),
        StrictRule::Degrees { most } => format!("a plain decimal number from -{most} to {most}"),
        StrictRule::Ids => "ids, as a list or with commas".to_owned(),
        StrictRule::Terms => "ids, slugs or names of terms, as a list or with commas".to_owned(),
        StrictRule::Url => "an absolute `http` or `https` URL without a user".to_owned(),
        StrictRule::Image => "an id, or an absolute `http` or `https` URL without a user".to_owned(),
        StrictRule::Word(words) => quoted(words),
        StrictRule::WordInAnyCase(words) => format!("{}, in upper or lower case", quoted(words)),
        StrictRule::Slug => "a slug".to_owned(),
        StrictRule::InPath => {
            "a slug, decoded, without `/`, `\\`, `?` and `#`; not `.`, `..` or a name that ends with `.php`"
                .to_owned()
        }
        StrictRule::LongText => "a text without control characters but tabs and line ends".to_owned(),
        StrictRule::Text => "a text".to_owned(),
        StrictRule::Scalar => "a number, `true`, `false`, or a text".to_owned(),
    }
}

fn quoted(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `UPDATE_FIXTURES=1` writes the document instead of comparing it.
    #[test]
    fn the_committed_strict_profile_is_fresh() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/strict.md");
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            std::fs::write(path, strict_reference()).expect("a writable file");
        }
        let committed = std::fs::read_to_string(path).expect("the committed document");
        assert!(
            committed == strict_reference(),
            "docs/reference/strict.md is stale: run UPDATE_FIXTURES=1 cargo test strict"
        );
    }
}
