//! Validation and canonical encoding: judges arguments by the table. Pure.
//!
//! [`Judge::judge`] reads top to bottom: a raw call becomes parameters, and parameters become readings. The
//! phases of `phases.rs` judge the readings. Last, a call that may be forwarded is encoded again, as a
//! [`ForwardableCall`].

mod breakable;
mod canonical;
mod canonical_route;
mod case;
pub mod credentials;
mod encode;
mod explain;
mod fatal_values;
mod finding;
mod foreign_image;
mod forwardable;
mod judge;
mod nonce;
mod phases;
mod policy;
mod reading;
mod rules;
mod strict;
mod unconditional;
mod undeclared;
mod unfound;
mod usable;
mod waiver;
mod wordpress;

pub use breakable::breakable_rules;
pub use canonical::CanonicalRequest;
pub use canonical_route::CanonicalRoute;
pub use explain::Explanation;
pub use finding::Finding;
pub use forwardable::{EncodedCall, ForwardableCall, UnprovenCall, ValidatedCall};
pub use judge::{BodyNeed, Judge, Judgement, Outcome};
pub use reading::RawCall;
pub use rules::{JudgeContext, elements, judge_value};
pub use undeclared::UndeclaredOutcome;
pub use waiver::Waiver;
pub use wordpress::{Deferred, Reading};
