//! Arguments of any REST route, judged by their schemas in the semantics and the words of WordPress.
//!
//! WordPress's keywords are those of JSON Schema; their meaning is its own (`rest_validate_value_from_schema` and
//! `rest_sanitize_value_from_schema`, compared with WordPress 6.1 and 6.9 on PHP 8). Whatever would need PHP itself to be sure,
//! such as a regular expression of PCRE alone, is left to the site. `fixtures/surface/schema-cases.jsonl` proves it.

mod argument;
mod combine;
mod formats;
mod json_value;
mod keywords;
mod objection;
mod objects;
mod pcre;
mod php_text;
mod phrases;
#[cfg(test)]
mod replayed;
mod sanitize;
mod schema_judge;
mod validate;

pub use argument::{ArgumentCheck, ArgumentsVerdict, SiteArgument, SiteRefusal, judge_arguments};
pub use json_value::value_of_json;
pub use keywords::has_known_keywords;
pub use pcre::RouteRegex;
pub use phrases::{PHRASES, PLURALS, SiteWords};
