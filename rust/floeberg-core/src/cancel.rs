//! Does the caller still want the answer?
//!
//! A flag that long work checks between its steps: between manifests, files and batches.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// A flag shared by the one who waits and the threads that work. Clones are the same flag.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Was it asked to stop?
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Goes on, unless it was asked to stop. Errors: `Cancelled`.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            Err(Error::new(ErrorKind::Cancelled, "the work was cancelled"))
        } else {
            Ok(())
        }
    }
}
