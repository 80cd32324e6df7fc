//! The forms of texts in rules about backends, their responses, and the rest of the site.

use http::Method;
use jiff::civil::Date;

use super::form::{line, plain_name};
use super::text_form::{TextError, TypedSyntax};
use crate::settings::{OperationPattern, Percentage, SurfacePattern};

pub(crate) const BACKEND: TypedSyntax<String> =
    TypedSyntax::new("backend", "the name of a backend", &["next"], |text| match text {
        "" => Err(TextError::Malformed),
        name => Ok(name.to_owned()),
    });
pub(crate) const OPERATIONS: TypedSyntax<OperationPattern> = TypedSyntax::new(
    "operations",
    "the name of an operation, `KIND.*` or `*`",
    &["events.list", "venues.*"],
    |text| OperationPattern::parse(text).ok_or(TextError::Malformed),
);
pub(crate) const DIFFERENCE_PATH: TypedSyntax<String> = TypedSyntax::new(
    "path",
    "a path as reports print it, of 1 to 200 bytes",
    &["events[].modified_utc", ":header.link"],
    |text| line(text, 200),
);
pub(crate) const DAY: TypedSyntax<Date> = TypedSyntax::new("day", "a day", &["2027-03-01"], |text| {
    let day = text.parse::<Date>().ok().filter(|day| day.to_string() == text);
    day.ok_or(TextError::Malformed)
});
pub(crate) const SHARE: TypedSyntax<Percentage> =
    TypedSyntax::new("share", "a percentage from 0% to 100%", &["5%", "0.1%"], |text| {
        Percentage::parse(text).ok_or(TextError::Malformed)
    });
pub(crate) const RULE_NAME: TypedSyntax<String> = TypedSyntax::new(
    "name",
    "a name of up to 64 letters, digits, \"-\" and \"_\"",
    &["venues-read"],
    |text| plain_name(text, 64, b""),
);
pub(crate) const SURFACE_NAME: TypedSyntax<String> = TypedSyntax::new(
    "name",
    "a name of up to 64 letters, digits, \"-\", \"_\", \".\" and \"/\"",
    &["users"],
    |text| plain_name(text, 64, b"./"),
);
pub(crate) const ROUTE: TypedSyntax<SurfacePattern> = TypedSyntax::new(
    "preset or route",
    "a preset, or a route by its segments, of which \"*\" stands for any",
    &["users", "wp/v2/comments", "wp/v2/comments/*"],
    SurfacePattern::parse,
);
pub(crate) const METHOD: TypedSyntax<Method> = TypedSyntax::new(
    "method",
    "a method of the REST API",
    &["POST", "DELETE"],
    |text| {
        let mut methods = METHODS.iter();
        let method = methods.find(|method| method.as_str() == text);
        method.cloned().ok_or(TextError::Malformed)
    },
);

const METHODS: [Method; 6] = [
    Method::GET,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
    Method::OPTIONS,
];
