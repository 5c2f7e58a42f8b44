//! What does a filter on columns mean for partition values?

mod discrete;
mod partition_column;
mod before_epoch;
mod exact;
mod wrapped;
mod inclusive;
mod strict;
mod residual;
#[cfg(test)]
mod tests;

pub use inclusive::project_inclusive;
pub use partition_column::PartitionColumn;
pub use residual::Residuals;
pub use strict::project_strict;
