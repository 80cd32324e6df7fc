//! The edge's decision about one request, as a pure function of its head, its body and the settings.
//!
//! [`Decider::decide`] is the whole of it. The gateway takes the same steps one by one, because the body arrives
//! after the head: [`HeadRules::check`], [`Decider::open`], [`Decider::judge`]. `calendar-edge explain` prints the
//! same decision.

mod call_context;
mod decider;
mod head_limits;
mod head_rules;
mod host_rule;
mod on_head;
mod opened_call;
mod own_read;
mod patch_conditions;
mod request_head;
mod second_call;
mod site_form;
mod site_headers;
mod site_login;
mod sole_target;
mod surface_verdicts;
mod upgrade;

pub use decider::{Decider, Decision, Opening};
pub use head_rules::HeadRules;
pub use opened_call::{BodyRule, OpenedCall, ReadableCall};
pub use patch_conditions::PatchConditions;
pub use request_head::RequestHead;
pub use second_call::SecondCall;
pub use site_form::{SiteFormScan, WHOLE_FORM_BYTES};
pub use site_headers::{keep_end_to_end, strip_hop_by_hop};
pub use site_login::{LOGIN_RESPONSE_BYTES, LoginDoor};
pub use upgrade::offered_upgrade;
