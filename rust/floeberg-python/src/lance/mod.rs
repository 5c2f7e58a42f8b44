//! What does Python ask of Lance tables?
//!
//! Pages of data files are decoded and encoded by Python: batches come in from there, and rows go out.
//!
//! - `recipe`: what another process needs to read the same rows.
//! - `pages`: what decodes and encodes data files.
//! - `rows`: rows, batch by batch.
//! - `task_group`: what a worker reads.
//! - `plan`: the fragments of a scan.
//! - `scan`: a scan.
//! - `describe`: versions, tags, branches, fragments as tuples.
//! - `table`: a table.
//! - `keys`: the keys of a source.
//! - `changelog`: changes of rows.
//! - `diff`: what differs between two versions.
//! - `operation`: what is committed.
//! - `data_files`: rows become data files.
//! - `changes`: changes of rows, columns and fragments.
//! - `commit`: tries of a commit, tags and branches, what may go.

pub mod recipe;
pub mod pages;
pub mod rows;
pub mod task_group;
pub mod plan;
pub mod scan;
pub mod describe;
pub mod table;
pub mod keys;
pub mod changelog;
pub mod diff;
pub mod operation;
pub mod data_files;
pub mod changes;
pub mod commit;
