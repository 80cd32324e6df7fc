//! The companion plugin of the site: the headers that it and the edge sign, the changes it reports, and their readers.

pub mod facts;
pub mod feed;
pub mod mark;
pub mod purge;
