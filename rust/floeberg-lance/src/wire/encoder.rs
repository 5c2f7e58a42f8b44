//! How are messages of protocol buffers written?
//!
//! In: fields in the order of their numbers. Out: bytes.
//! Spec: Protocol Buffers, Encoding.
//!
//! Invariant: a field that is zero or empty is left out, unless its presence says something: then it is an `Option`.

/// The bytes of a message that is being written.
#[derive(Debug, Clone, Default)]
pub struct Encoder(Vec<u8>);

impl Encoder {
    /// What was written.
    pub fn finish(self) -> Vec<u8> {
        self.0
    }

    /// A number, unless it is zero.
    pub fn number(&mut self, tag: u32, number: impl Into<u64>) {
        let number = number.into();
        if number != 0 {
            self.some_number(tag, Some(number));
        }
    }

    /// A number that may be zero.
    pub fn some_number(&mut self, tag: u32, number: Option<impl Into<u64>>) {
        if let Some(number) = number {
            self.varint(u64::from(tag) << 3);
            self.varint(number.into());
        }
    }

    /// A signed number, unless it is zero.
    pub fn signed(&mut self, tag: u32, number: i32) {
        self.number(tag, i64::from(number) as u64);
    }

    /// Bytes or text, unless they are empty.
    pub fn bytes(&mut self, tag: u32, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        if !bytes.is_empty() {
            self.some_bytes(tag, Some(bytes));
        }
    }

    /// Bytes or text that may be empty.
    pub fn some_bytes(&mut self, tag: u32, bytes: Option<impl AsRef<[u8]>>) {
        if let Some(bytes) = bytes {
            let bytes = bytes.as_ref();
            self.varint(u64::from(tag) << 3 | 2);
            self.varint(bytes.len() as u64);
            self.0.extend_from_slice(bytes);
        }
    }

    /// Packed numbers, unless there are none.
    pub fn packed(&mut self, tag: u32, numbers: impl IntoIterator<Item = u64>) {
        let mut packed = Self::default();
        numbers.into_iter().for_each(|number| packed.varint(number));
        self.bytes(tag, packed.0);
    }

    /// Packed signed numbers, unless there are none.
    pub fn packed_signed(&mut self, tag: u32, numbers: &[i32]) {
        self.packed(tag, numbers.iter().map(|number| i64::from(*number) as u64));
    }

    /// Whole fields as they were written.
    pub fn raw(&mut self, fields: &[u8]) {
        self.0.extend_from_slice(fields);
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}
