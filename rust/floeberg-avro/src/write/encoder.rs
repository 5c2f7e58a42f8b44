//! Which bytes stand for a value?
//!
//! In: values, one after the other, in the order of the writer schema. Out: their bytes, at the end of a buffer.
//! Spec: Avro 1.12, Binary Encoding.
//!
//! Invariant: arrays and maps are one block without its size, as Iceberg Java writes them, then a block without items.

/// The bytes of values.
#[derive(Debug, Default)]
pub struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    /// What was put so far.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What was put, taken out.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Truncates to that many bytes; the memory stays allocated.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.bytes.truncate(length);
    }

    /// `boolean`: one byte.
    #[inline]
    pub fn boolean(&mut self, value: bool) {
        self.bytes.push(u8::from(value));
    }

    /// `int`: as a long.
    #[inline]
    pub fn int(&mut self, value: i32) {
        self.long(i64::from(value));
    }

    /// `long`: zig-zag, seven bits a byte, lowest first.
    #[inline]
    pub fn long(&mut self, value: i64) {
        let mut rest = ((value << 1) ^ (value >> 63)) as u64;
        while rest >= 0x80 {
            self.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }

    /// `float`: four bytes, little-endian.
    #[inline]
    pub fn float(&mut self, value: f32) {
        self.fixed(&value.to_le_bytes());
    }

    /// `double`: eight bytes, little-endian.
    #[inline]
    pub fn double(&mut self, value: f64) {
        self.fixed(&value.to_le_bytes());
    }

    /// `fixed`: the bytes alone.
    #[inline]
    pub fn fixed(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
    }

    /// `bytes`, and the UTF-8 of a `string`: the length, then as many bytes.
    #[inline]
    pub fn prefixed(&mut self, value: &[u8]) {
        // No allocation of Rust is longer than an i64 counts.
        self.long(value.len() as i64);
        self.fixed(value);
    }

    /// A union of null and another type, in this order.
    pub fn optional<T>(&mut self, value: Option<T>, put: impl FnOnce(&mut Self, T)) {
        match value {
            None => self.long(0),
            Some(value) => {
                self.long(1);
                put(self, value);
            }
        }
    }

    /// An array, or a map of keys and values.
    pub fn items<T>(&mut self, items: impl ExactSizeIterator<Item = T>, mut put: impl FnMut(&mut Self, T)) {
        if items.len() > 0 {
            self.long(items.len() as i64);
            for item in items {
                put(self, item);
            }
        }
        self.long(0);
    }
}
