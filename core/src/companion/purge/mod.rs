//! Orders to remove answers, and what an edge knows of the changes that the site has counted.

mod change_tracker;
mod purge_request;
mod seen;
mod unfinished;

pub use change_tracker::{AnswerAge, ChangeLedger};
pub use purge_request::{Order, OrderFault};
pub use seen::{SeenFault, SeenSeals};
pub use unfinished::UnfinishedChange;
