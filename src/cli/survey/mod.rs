//! Sends the requests that the judges of a site need, and prints their findings, for `check` and `init`.
//!
//! `survey` in `asker` sends the requests of a judge of the core, at once, until a deadline; [`print()`] prints the lines.
//! No code here knows a command line.

mod asker;
mod checking;
mod discovery;
mod exchange_obstacle;
mod printed_lines;
pub(crate) mod unsafe_settings;

pub(crate) use asker::{RequestSender, deadline};
pub(crate) use checking::{check_alone, check_online};
pub(crate) use discovery::find;
pub(crate) use printed_lines::print;
