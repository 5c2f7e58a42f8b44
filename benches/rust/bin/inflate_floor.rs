//! How long does it take to inflate the manifests of a table, and nothing else? `inflate-floor METADATA_FILE --threads 2`.
//!
//! libdeflate, into buffers of the exact length, by as many threads; each takes one manifest after the other. Prints JSON:
//! `inflate` has the bytes in memory before the clock starts, `read_and_inflate` opens and reads the files too.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use floeberg_benches::arguments::Arguments;
use floeberg_benches::blocks::{StoredManifest, inflate, manifests_of, read};
use floeberg_core::{Error, Result};
use libdeflater::Decompressor;
use serde_json::{Value as Json, json};

/// What is done with the manifest of that number.
type Work<'a> = &'a (dyn Fn(usize, &mut Decompressor, &mut Vec<u8>) -> Result<()> + Sync);

const USAGE: &str = "inflate-floor METADATA_FILE [--threads 2] [--runs 5]";

fn main() -> Result<()> {
    let arguments = Arguments::parse(USAGE)?;
    let path: PathBuf = arguments.first()?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.option("threads", cores)?.max(1);
    let runs = arguments.option("runs", 5)?.max(1);
    let manifests = manifests_of(&path)?;
    let in_memory: Vec<Vec<u8>> =
        manifests.iter().map(|manifest| read(&manifest.path)).collect::<Result<_>>()?;
    let timed =
        |work: Work<'_>| (0..runs).map(|_| run(manifests.len(), threads, work)).collect::<Result<Vec<f64>>>();
    let inflated = timed(&|index, inflater, buffer| {
        inflate(&in_memory[index], &manifests[index].blocks, inflater, buffer)
    })?;
    let with_reading = timed(&|index, inflater, buffer| {
        let StoredManifest { path, blocks } = &manifests[index];
        inflate(&read(path)?, blocks, inflater, buffer)
    })?;
    let blocks = || manifests.iter().flat_map(|manifest| &manifest.blocks);
    let facts = json!({
        "threads": threads,
        "manifests": manifests.len(),
        "blocks": blocks().count(),
        "records": blocks().map(|block| block.records).sum::<u64>(),
        "stored_bytes": blocks().map(|block| block.stored).sum::<usize>(),
        "inflated_bytes": blocks().map(|block| block.inflated).sum::<usize>(),
        "inflate": seconds(inflated),
        "read_and_inflate": seconds(with_reading),
    });
    println!("{facts}");
    Ok(())
}

/// Seconds of one run over all manifests.
fn run(count: usize, threads: usize, work: Work<'_>) -> Result<f64> {
    let next = AtomicUsize::new(0);
    let started = Instant::now();
    thread::scope(|scope| {
        let worker = || -> Result<()> {
            let (mut inflater, mut buffer) = (Decompressor::new(), Vec::new());
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return Ok(());
                }
                work(index, &mut inflater, &mut buffer)?;
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(Error::internal("a thread that inflates panicked")))
        })
    })?;
    Ok(started.elapsed().as_secs_f64())
}

fn seconds(mut runs: Vec<f64>) -> Json {
    runs.sort_by(f64::total_cmp);
    json!({"min": runs[0], "median": runs[runs.len() / 2], "runs": runs})
}
