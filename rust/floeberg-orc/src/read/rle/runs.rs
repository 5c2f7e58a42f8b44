//! One run of integers, in either version of the encoding.
//!
//! Spec: ORC v1, Integer Run Length Encoding, version 1 and 2.
//!
//! Invariant: a run has at most 512 integers; sums wrap, as in writers.

use floeberg_core::{Error, Result};

use super::packed::{unpack, width, written_width};
use crate::read::stream::{ByteStream, unzigzag};

/// Reads runs of a stream.
pub(super) struct Runs {
    stream: ByteStream,
    signed: bool,
    scratch: Vec<u8>,
    packed: Vec<u64>,
}

impl Runs {
    pub(super) fn new(stream: ByteStream, signed: bool) -> Self {
        Self { stream, signed, scratch: Vec::new(), packed: Vec::new() }
    }

    /// The next run of version 1.
    pub(super) fn first(&mut self, out: &mut Vec<i64>) -> Result<()> {
        let header = self.stream.byte()?;
        if header < 0x80 {
            let delta = i64::from(self.stream.byte()? as i8);
            let mut value = self.value()?;
            for _ in 0..usize::from(header) + 3 {
                out.push(value);
                value = value.wrapping_add(delta);
            }
        } else {
            for _ in 0..0x100 - usize::from(header) {
                out.push(self.value()?);
            }
        }
        Ok(())
    }

    /// The next run of version 2.
    pub(super) fn second(&mut self, out: &mut Vec<i64>) -> Result<()> {
        let header = self.stream.byte()?;
        match header >> 6 {
            0 => self.short_repeat(header, out),
            1 => self.direct(header, out),
            2 => self.patched_base(header, out),
            _ => self.delta(header, out),
        }
    }

    fn short_repeat(&mut self, header: u8, out: &mut Vec<i64>) -> Result<()> {
        let value = self.big_endian(usize::from(header >> 3 & 7) + 1)?;
        let value = if self.signed { unzigzag(value) } else { value as i64 };
        out.resize(out.len() + usize::from(header & 7) + 3, value);
        Ok(())
    }

    fn direct(&mut self, header: u8, out: &mut Vec<i64>) -> Result<()> {
        let count = self.length(header)? + 1;
        self.unpack(width(header >> 1 & 0x1f), count)?;
        if self.signed {
            out.extend(self.packed.iter().map(|value| unzigzag(*value)));
        } else {
            out.extend(self.packed.iter().map(|value| *value as i64));
        }
        Ok(())
    }

    fn patched_base(&mut self, header: u8, out: &mut Vec<i64>) -> Result<()> {
        let value_width = width(header >> 1 & 0x1f);
        let count = self.length(header)? + 1;
        let (third, fourth) = (self.stream.byte()?, self.stream.byte()?);
        let base_bytes = usize::from(third >> 5) + 1;
        let patch_width = width(third & 0x1f);
        let gap_width = u32::from(fourth >> 5) + 1;
        let patches = usize::from(fourth & 0x1f);
        if patch_width + gap_width > 64 {
            return Err(Error::invalid_data("integers of the ORC file have patches wider than 64 bits"));
        }
        // The highest bit is the sign, the others the magnitude.
        let base = self.big_endian(base_bytes)?;
        let sign = 1 << (base_bytes * 8 - 1);
        let base = if base & sign == 0 { base as i64 } else { ((base & !sign) as i64).wrapping_neg() };
        self.unpack(value_width, count)?;
        let start = out.len();
        out.extend(self.packed.iter().map(|value| *value as i64));
        let values = &mut out[start..];
        self.packed.clear();
        unpack(
            &mut self.stream,
            written_width(patch_width + gap_width),
            patches,
            &mut self.scratch,
            &mut self.packed,
        )?;
        let mut position = 0;
        for patch in &self.packed {
            position += (patch >> patch_width) as usize & 0xff;
            // A patch of no bits bridges a long gap.
            let high = patch & (u64::MAX >> (64 - patch_width));
            if high == 0 {
                continue;
            }
            let Some(value) = values.get_mut(position) else {
                return Err(Error::invalid_data("integers of the ORC file have a patch past their end"));
            };
            *value |= high.checked_shl(value_width).unwrap_or(0) as i64;
        }
        for value in values {
            *value = value.wrapping_add(base);
        }
        Ok(())
    }

    fn delta(&mut self, header: u8, out: &mut Vec<i64>) -> Result<()> {
        let code = header >> 1 & 0x1f;
        let more = self.length(header)?;
        let mut value = self.value()?;
        let base = self.stream.signed()?;
        out.push(value);
        if code == 0 {
            for _ in 0..more {
                value = value.wrapping_add(base);
                out.push(value);
            }
            return Ok(());
        }
        let Some(more) = more.checked_sub(1) else {
            return Err(Error::invalid_data(
                "integers of the ORC file have a difference without a following value",
            ));
        };
        value = value.wrapping_add(base);
        out.push(value);
        self.unpack(width(code), more)?;
        for delta in &self.packed {
            let delta = *delta as i64;
            value = if base < 0 { value.wrapping_sub(delta) } else { value.wrapping_add(delta) };
            out.push(value);
        }
        Ok(())
    }

    /// One value of variable length.
    fn value(&mut self) -> Result<i64> {
        if self.signed { self.stream.signed() } else { self.stream.number().map(|value| value as i64) }
    }

    /// The nine bits of a header that say a length, less one.
    fn length(&mut self, header: u8) -> Result<usize> {
        Ok(usize::from(header & 1) << 8 | usize::from(self.stream.byte()?))
    }

    fn big_endian(&mut self, length: usize) -> Result<u64> {
        let mut bytes = [0; 8];
        self.stream.fill(&mut bytes[8 - length..])?;
        Ok(u64::from_be_bytes(bytes))
    }

    fn unpack(&mut self, width: u32, count: usize) -> Result<()> {
        self.packed.clear();
        unpack(&mut self.stream, width, count, &mut self.scratch, &mut self.packed)
    }
}
