//! How does a large file get on the disk without a copy in the page cache?
//!
//! In: a new file, empty, its path, and its bytes. Out: whether they are in it; they are not where the file system has no such
//! writes.
//!
//! ```text
//! | piece | piece | ... | last piece, filled up with zeros to a block |     each on the disk when its write returns
//! |<-------------- the bytes ------------------->| cut here
//! ```
//!
//! Invariant: a file whose bytes were not taken is empty again, so that it can be written as any other.

#[cfg(target_os = "linux")]
pub(super) use linux::write;

/// Shorter files are read again soon, and cost little: they go the usual way.
const LEAST: usize = 4 << 20;

/// No other system says that it has them.
#[cfg(not(target_os = "linux"))]
pub(super) fn write(_: &std::fs::File, _: &std::path::Path, _: &[u8]) -> std::io::Result<bool> {
    let _ = LEAST;
    Ok(false)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
    use std::path::Path;

    use super::LEAST;

    /// A multiple of the blocks of all disks: offsets in the file, lengths and addresses of the bytes must be multiples of them.
    const BLOCK: usize = 4096;
    const PIECE: usize = 1 << 20;

    /// Writes the bytes, unless they are few or the file system cannot do it. The file is to be synced as any other.
    pub(in super::super) fn write(file: &File, path: &Path, bytes: &[u8]) -> io::Result<bool> {
        if bytes.len() < LEAST {
            return Ok(false);
        }
        let Ok(direct) = OpenOptions::new().write(true).custom_flags(libc::O_DIRECT).open(path) else {
            return Ok(false);
        };
        match write_pieces(&direct, bytes) {
            Ok(()) => file.set_len(bytes.len() as u64).map(|()| true),
            // Blocks of another size, or a file system that says so late.
            Err(error) if is_refused(&error) => file.set_len(0).map(|()| false),
            Err(error) => Err(error),
        }
    }

    fn write_pieces(direct: &File, bytes: &[u8]) -> io::Result<()> {
        let mut room = vec![0; PIECE + BLOCK];
        // A place that is not aligned would be refused, and the file written as any other.
        let start = room.as_ptr().align_offset(BLOCK).min(BLOCK);
        let room = &mut room[start..start + PIECE];
        let mut position = 0;
        for piece in bytes.chunks(PIECE) {
            let length = piece.len().next_multiple_of(BLOCK);
            room[..piece.len()].copy_from_slice(piece);
            room[piece.len()..length].fill(0);
            direct.write_all_at(&room[..length], position)?;
            position += length as u64;
        }
        Ok(())
    }

    fn is_refused(error: &io::Error) -> bool {
        error.kind() == io::ErrorKind::InvalidInput || error.kind() == io::ErrorKind::Unsupported
    }
}
