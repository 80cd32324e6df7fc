//! Judges requests to the REST API of The Events Calendar as WordPress and the plugin would, without WordPress.
//!
//! A request is located ([`routing`]), its credentials are read ([`call::credentials`]), its query and body are read as
//! PHP reads them ([`wordpress`]), and every argument is judged by one table ([`contract`]). The result is one of three:
//!
//! * *admit*: the call is encoded again as a [`call::CanonicalRequest`], which means the same in one form only;
//! * *reject*: a [`problem::Refusal`] has the status and the bytes that WordPress would have sent;
//! * *defer*: the call is forwarded, because only the database of the site can decide.
//!
//! ```
//! use calendar_edge_judge::call::credentials::Credentials;
//! use calendar_edge_judge::call::{Judge, Outcome, RawCall};
//! use calendar_edge_judge::policy::Policy;
//! use calendar_edge_judge::routing::{Roots, Target};
//! use calendar_edge_judge::wordpress::payload::ContentHeaders;
//! use http::{HeaderMap, Method};
//!
//! let policy = Policy::default();
//! let (roots, judge) = (Roots::new(&policy), Judge::new(policy));
//! let headers = HeaderMap::new();
//! let credentials = Credentials::default();
//!
//! let outcome = |query: &str| {
//!     let path = "/wp-json/tribe/events/v1/events";
//!     let Target::Calendar(target) = roots.locate(&Method::GET, path, Some(query)) else {
//!         panic!("a route of the calendar");
//!     };
//!     let call = RawCall {
//!         method: &Method::GET,
//!         target: &target,
//!         credentials: &credentials,
//!         content: ContentHeaders::of(&headers),
//!         body: &[],
//!     };
//!     judge.judge(&call).outcome
//! };
//!
//! // Admitted, and encoded again: the last value counts, as in PHP.
//! let Outcome::Forward(call) = outcome("per_page=5&per_page=%37") else {
//!     panic!("a valid call");
//! };
//! assert_eq!(call.request().query("tribe/events/v1").as_deref(), Some("per_page=7"));
//!
//! // Refused in WordPress's own words.
//! let Outcome::Refuse(refusal) = outcome("per_page=many") else {
//!     panic!("an invalid call");
//! };
//! assert_eq!(refusal.status(), 400);
//! assert!(refusal.body().starts_with(br#"{"code":"rest_invalid_param","message":"Invalid parameter(s): per_page""#));
//! ```

#![cfg_attr(test, allow(clippy::string_slice, reason = "a panic is how a test fails"))]

pub mod call;
pub mod contract;
pub mod policy;
pub mod problem;
pub mod routing;
pub mod translation;
pub mod wordpress;
