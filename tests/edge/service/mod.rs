//! The edge before the calendar service, over real sockets.

mod calendar;
mod merging;
mod through_edge;
