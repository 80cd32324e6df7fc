//! What the companion plugin says about every REST endpoint of the site, and what WordPress would refuse by it.

mod judged_request;
mod published;
mod site_answer;
mod site_routes;

pub use judged_request::{JudgedSiteRequest, SiteRequest};
pub use published::{ContractFault, SiteContract, SiteVersions};
pub use site_answer::{SITE_ANSWER_BYTES, SiteOutcome, code_of};
pub use site_routes::{SiteEndpoint, SiteRoute};
