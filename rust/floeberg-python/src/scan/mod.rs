//! How do scans, plans and their rows reach Python?
//!
//! - `aggregate`: answers of counts and bounds.
//! - `engine_schema`: the types of an engine, which batches may get.
//! - `stream`: batches, one at a time.
//! - `rows`: rows of a scan, or of tasks of one.
//! - `explain`: the account of a plan.
//! - `analyze`: times and counts of a scan.
//! - `task`: a file scan task.
//! - `task_group`: what a worker needs to read its part of a plan.
//! - `plan`: a plan.
//! - `scan`: a scan.
//! - `parts`: a plan whose manifests tasks read.
//! - `changelog`: what rows snapshots changed.
//! - `lane`: what Spark's own reader must know of files.

pub mod aggregate;
pub mod engine_schema;
pub mod stream;
pub mod rows;
pub mod explain;
pub mod analyze;
pub mod task;
pub mod task_group;
pub mod plan;
pub mod planner;
#[expect(clippy::module_inception, reason = "the class that the folder is about")]
pub mod scan;
pub mod parts;
pub mod changelog;
pub mod lane;
