//! The companion plugin of the site: the headers that it and the edge sign, and the changes it reports.

pub mod mark;
pub mod purge;
