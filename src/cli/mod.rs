//! The command line: one file per subcommand; no other module uses clap or anyhow.

mod args;
mod check;
mod comparing;
#[cfg(feature = "demo")]
mod demo;
mod dispatch;
mod environment;
mod explain;
mod guard;
mod named_address;
mod openapi;
mod routes;
mod serve;
mod status;
mod version;

pub(crate) use dispatch::run;
pub(crate) use status::complain;
