//! What does Python ask of Lance tables?
//!
//! Pages of data files are decoded by Python: batches come in from there, and rows go out.
//!
//! - `recipe`: what another process needs to read the same rows.
//! - `rows`: rows of a fragment.
//! - `task_group`: what a worker reads.
//! - `plan`: the fragments of a scan.
//! - `taken`: rows by ids or addresses.
//! - `scan`: a scan.
//! - `describe`: versions, tags, branches, fragments as tuples.
//! - `table`: a table.
//! - `keys`: the keys of a source.
//! - `operation`: what is committed.
//! - `commit`: tries of a commit, tags and branches, what may go.

pub mod recipe;
pub mod rows;
pub mod task_group;
pub mod plan;
pub mod taken;
pub mod scan;
pub mod describe;
pub mod table;
pub mod keys;
pub mod operation;
pub mod commit;
