//! The reference of the edge's own errors, as Markdown, generated from the catalogue.

use std::fmt::Write as _;

use calendar_edge_judge::problem::OwnError;

use super::cause::CAUSES;
use super::edge::ALL;

const HEAD: &str = "\
# Errors

For programmers of clients, and for operators who look up a code. This file is generated from the catalogue in \
`crates/core/src/errors/edge.rs`; a test compares the two.

An error has the JSON body of WordPress's errors:

```json
{\"code\":\"edge_rate_limited\",\"message\":\"Too many requests. Please wait and try again.\",\"data\":{\"status\":429}}
```

A code that begins with `edge_` comes from calendar-edge and is listed here. Every other code is WordPress's or the \
plugin's, also if the edge refuses a request in their place. Codes and their statuses are stable; messages \
are for people and may change.

Such a response also has the header `Proxy-Status: calendar-edge; error=…` (RFC 9209) with the kind of failure: \
`http_request_error`, unless the kinds stand here after the status. The line `request served` of the log has the code \
as `edge.code`, and the id of `X-Request-Id` as `request_id`. Without advice for the operator, the request is wrong; \
the line names the client.
";

/// The kind of failure of requests that are wrong.
const REQUEST_ERROR: &str = "http_request_error";

/// The Markdown text of `docs/reference/errors.md`.
fn reference() -> String {
    let mut text = HEAD.to_owned();
    for error in ALL {
        section(error, &mut text);
    }
    text
}

fn section(error: &OwnError, text: &mut String) {
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "\n## `{}`\n\nStatus {}{}. {}\n\n- Client: {}\n",
        error.code,
        error.status.as_u16(),
        proxy_errors(error),
        error.meaning,
        error.client
    );
    if ![OwnError::LOOK_AT_CLIENT, "Nothing."].contains(&error.operator) {
        let _ = writeln!(text, "- Operator: {}", error.operator);
    }
}

/// Every `error` that `Proxy-Status` may contain, the usual one first; none where all are errors of the request.
fn proxy_errors(error: &OwnError) -> String {
    if error.proxy_error == REQUEST_ERROR {
        return String::new();
    }
    let causes = CAUSES.iter().filter(|cause| cause.code == error.code);
    let own = causes.map(|cause| cause.proxy_error);
    let own = own.filter(|kind| *kind != error.proxy_error);
    let names = std::iter::once(error.proxy_error).chain(own);
    let names: Vec<String> = names.map(|name| format!(", `{name}`")).collect();
    names.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `UPDATE_FIXTURES=1` writes the document instead of comparing it.
    #[test]
    fn the_committed_reference_is_fresh() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/errors.md");
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            std::fs::write(path, reference()).expect("a writable file");
        }
        let committed = std::fs::read_to_string(path).expect("the committed reference");
        assert!(
            committed == reference(),
            "docs/reference/errors.md is stale: run UPDATE_FIXTURES=1 cargo test reference"
        );
    }
}
