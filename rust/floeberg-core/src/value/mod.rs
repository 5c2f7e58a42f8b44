//! Values of the formats' types: their bytes, their JSON, their order.

mod literal;

pub use literal::Value;
