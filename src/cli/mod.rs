//! The command line: one file per subcommand; no other module uses clap or anyhow.

mod admin_client;
mod args;
mod cache;
mod check;
mod comparing;
#[cfg(feature = "demo")]
mod demo;
mod dispatch;
mod environment;
mod explain;
mod guard;
mod init;
mod migration;
mod named_address;
mod openapi;
mod purge;
mod routes;
mod serve;
mod status;
mod version;

pub(crate) use dispatch::run;
pub(crate) use status::complain;
