//! What does a filter on columns say about partition values?

mod before_epoch;
mod discrete;
mod exact;
mod inclusive;
mod partition_column;
mod residual;
mod strict;
#[cfg(test)]
mod tests;
mod wrapped;

pub use inclusive::project_inclusive;
pub use partition_column::PartitionColumn;
pub use residual::Residuals;
pub use strict::project_strict;
