//! Values and bodies as PHP and WordPress read them.

mod html_entity;
pub mod payload;
pub mod value;

pub use html_entity::html_entity;
