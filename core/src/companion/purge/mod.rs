//! Orders to remove answers, and what an edge knows of the changes that the site has counted.

mod ledger;
mod order;
mod seen;
mod unfinished;

pub use ledger::{AnswerAge, ChangeLedger};
pub use order::{Order, OrderFault};
pub use seen::{SeenFault, SeenSeals};
pub use unfinished::UnfinishedChange;
