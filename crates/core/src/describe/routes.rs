//! The table as text for people.

use serde_json::Value;

use calendar_edge_judge::contract::{Argument, DefaultValue, Operation, table};

/// Returns the whole table as text: one line per operation, followed by indented lines for its arguments, in
/// aligned columns.
///
/// Columns are separated by at least two blanks. The text ends with a newline and is ASCII except for
/// meanings.
pub fn routes_text() -> String {
    let operations: Vec<[String; 3]> = table().operations().iter().map(heading).collect();
    let rows = |operation: &Operation| operation.arguments.iter().map(argument_row).collect();
    let arguments: Vec<Vec<[String; 5]>> = table().operations().iter().map(rows).collect();
    let heading_widths = widths(operations.iter());
    let argument_widths = widths(arguments.iter().flatten());
    let mut text = String::new();
    for (operation, arguments) in operations.iter().zip(&arguments) {
        push_line(&mut text, "", operation, &heading_widths);
        for argument in arguments {
            push_line(&mut text, "    ", argument, &argument_widths);
        }
    }
    text
}

fn heading(operation: &Operation) -> [String; 3] {
    let methods: Vec<&str> = methods(operation).collect();
    [
        methods.join(" "),
        operation.id.route.path(),
        operation.name.clone(),
    ]
}

/// The methods of an operation.
pub(super) fn methods(operation: &Operation) -> impl Iterator<Item = &str> {
    operation.id.action.methods().iter().map(http::Method::as_str)
}

fn argument_row(argument: &Argument) -> [String; 5] {
    let presence = if argument.is_required {
        "required"
    } else {
        "optional"
    };
    let default = default_json(argument.default);
    [
        argument.name.to_owned(),
        argument.documented.name().to_owned(),
        presence.to_owned(),
        default.map_or_else(|| "-".to_owned(), |value| value.to_string()),
        argument.meaning.to_owned(),
    ]
}

/// The width of each column, in characters.
fn widths<'a, const N: usize>(rows: impl Iterator<Item = &'a [String; N]>) -> [usize; N] {
    rows.fold([0; N], |mut widest, row| {
        for (width, cell) in widest.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
        widest
    })
}

fn push_line<const N: usize>(text: &mut String, indent: &str, row: &[String; N], widths: &[usize; N]) {
    let mut line = indent.to_owned();
    for (cell, width) in row.iter().zip(widths) {
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', width - cell.chars().count() + 2));
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

/// The default of an argument as JSON, in words where the backend generates it.
pub(super) fn default_json(default: DefaultValue) -> Option<Value> {
    match default {
        DefaultValue::None => None,
        DefaultValue::Null => Some(Value::Null),
        DefaultValue::Bool(value) => Some(value.into()),
        DefaultValue::Int(value) => Some(value.into()),
        DefaultValue::Text(value) => Some(value.into()),
        DefaultValue::Generated => Some("generated".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_a_line_for_every_operation_and_argument() {
        let arguments: usize = table()
            .operations()
            .iter()
            .map(|operation| operation.arguments.len())
            .sum();
        assert_eq!(
            routes_text().lines().count(),
            table().operations().len() + arguments
        );
    }

    #[test]
    fn aligns_columns_and_leaves_no_blanks_behind() {
        let text = routes_text();
        let columns: Vec<usize> = text
            .lines()
            .filter(|line| !line.starts_with(' '))
            .map(|line| line.find('/').expect("a path"))
            .collect();
        assert!(columns.windows(2).all(|pair| pair[0] == pair[1]));
        assert!(text.lines().all(|line| line == line.trim_end()));
    }

    #[test]
    fn shows_type_default_and_presence() {
        let text = routes_text();
        let cells = |line: &str| {
            line.split_whitespace()
                .take(4)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let page = text.lines().find(|line| line.contains(" page ")).expect("listed");
        assert_eq!(cells(page), ["page", "integer", "optional", "1"]);
        let update = text
            .lines()
            .find(|line| line.ends_with("tags.update"))
            .expect("listed");
        assert_eq!(cells(update), ["POST", "PUT", "PATCH", "/tags/{id}"]);
    }
}
