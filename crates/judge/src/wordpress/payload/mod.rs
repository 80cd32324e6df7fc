//! The request's parameters as PHP and WordPress read them: query, form, multipart, JSON.
//!
//! Reads untrusted bytes into ordered parameters. This module does not depend on the contract table: `call`
//! decides which names matter.

mod content_headers;
mod content_type;
mod elements;
mod form;
mod form_fault;
mod form_scanner;
mod json;
mod json_error;
mod json_members;
mod json_outline;
mod json_text;
mod json_tokens;
mod multipart;
mod parameters;
mod percent;
mod rest_route;
mod scan_step;
mod sent_method;
mod site_form;
mod urlencoded;
mod variable_names;
mod xml_rpc;

pub use content_headers::ContentHeaders;
pub use content_type::{BodyReading, body_reading, is_php_form};
pub use elements::ELEMENT_LIMIT;
pub use form::{pair_count, parse_form, parse_form_body, spellings};
pub use form_fault::FormFault;
pub use form_scanner::{FormScanner, Scanned};
pub use json::{JsonShape, PHP_DEPTH, json_shape, parse_json};
pub use json_error::{JsonError, JsonRefusal};
pub use json_text::RawText;
pub use json_tokens::{JsonToken, JsonTokens};
pub use multipart::parse_multipart;
pub use parameters::{Parameters, Source, SourceParameters};
pub use percent::{Plus, decode};
pub use percent::{escaped, escapes};
pub use rest_route::named_routes;
pub use sent_method::{METHOD_OVERRIDE, MethodFault, SentMethod, method_override, nominated};
pub use site_form::SiteForm;
pub use variable_names::PHP_VARIABLE_LIMIT;
pub use xml_rpc::MethodScan;
