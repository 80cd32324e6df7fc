//! Values and bodies as PHP and WordPress read them.

mod expression;
mod html_entity;
pub mod payload;
pub mod value;

pub(crate) use expression::expression;
pub use html_entity::html_entity;
