//! Values and bodies as PHP and WordPress read them.

pub mod payload;
pub mod value;
