//! Requests to remove stored responses, and the edge's state of the changes that the site has counted.

mod change_tracker;
mod purge_request;
mod seen;
mod silence;
mod site_companion;
mod unfinished;

pub use change_tracker::ChangeTracker;
pub use purge_request::{PurgeAddress, PurgeRequest};
pub use seen::{SeenFault, SeenSeals};
pub use silence::CompanionSilence;
pub use site_companion::{CompanionSign, ExchangeStart, SiteCompanion};
pub use unfinished::UnfinishedChange;
