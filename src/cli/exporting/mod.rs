//! `calendar-edge export`: all records that an account can read, as files for another service.

mod entry;
mod export;
mod export_args;
mod export_files;
mod export_summary;
mod former_export;
mod kept_records;

pub(super) use export::run;
pub(super) use export_args::ExportArgs;
