//! How are the records of an Avro file read as columns?
//!
//! - `codec`: how the data of a block is stored.
//! - `column`: columns under construction.
//! - `cursor`: primitives, one after the other.
//! - `finish`: gathered values to Arrow arrays.
//! - `allowance`: how much memory the columns of a file may still take.
//! - `frame`: where a block begins and ends.
//! - `skip`: how unwanted values are skipped.
//! - `skip_plan`: the cheapest way to skip a type.
//! - `step`: how the bytes of one field are read.
//! - `keyed`: the values of single keys of a map.
//! - `block_range`: where a file may be split for several threads.
//! - `container`: the header of a file, and its blocks.
//! - `parsed_schemas`: schemas that were parsed before.
//! - `leaf`: from a writer's primitive to a value of the wanted type.
//! - `compile`: steps from a writer's records to wanted columns.
//! - `compile_leaves`: steps to some of the writer's own columns.
//! - `decode`: the records of a file, as columns.
//! - `records`: the same for a file that is read piece by piece.

mod codec;
mod column;
mod cursor;
mod finish;
mod allowance;
mod frame;
mod skip;
mod skip_plan;
mod step;
mod keyed;
mod block_range;
mod container;
mod parsed_schemas;
mod leaf;
mod compile;
mod compile_leaves;
mod decode;
mod records;

pub use block_range::BlockRange;
pub use compile::{Projection, StoredFields};
pub(crate) use container::MAGIC;
pub use container::{Block, BlockForm, Blocks, Container};
pub(crate) use cursor::Cursor;
pub use decode::{Decoder, Enough, Progress, decode, decode_blocks};
pub use frame::{FRAME_START, Frame, Framing};
pub use leaf::FixedForm;
#[cfg(test)]
pub(crate) use parsed_schemas::MOST;
pub use parsed_schemas::ParsedSchemas;
pub use records::{Records, Taken};
pub(crate) use skip::Skip;
pub(crate) use skip_plan::Skips;
