//! How are fields written?
//!
//! In: fields in the order of their numbers. Out: bytes.
//! Spec: Protocol Buffers, Encoding.

/// The bytes of a message that is being written.
#[derive(Debug, Clone, Default)]
pub struct Encoder(Vec<u8>);

impl Encoder {
    /// What was written.
    pub fn finish(self) -> Vec<u8> {
        self.0
    }

    /// A number, unless it is zero.
    pub fn number(&mut self, number: u32, value: impl Into<u64>) {
        let value = value.into();
        if value != 0 {
            self.some_number(number, value);
        }
    }

    /// A number that may be zero.
    pub fn some_number(&mut self, number: u32, value: u64) {
        self.varint(u64::from(number) << 3);
        self.varint(value);
    }

    /// A float that may be zero.
    pub fn float(&mut self, number: u32, value: f64) {
        self.varint(u64::from(number) << 3 | 1);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Bytes or text, unless they are empty.
    pub fn bytes(&mut self, number: u32, bytes: impl AsRef<[u8]>) {
        if !bytes.as_ref().is_empty() {
            self.some_bytes(number, bytes);
        }
    }

    /// Bytes, text or a message, which may be empty.
    pub fn some_bytes(&mut self, number: u32, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.varint(u64::from(number) << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Packed numbers, unless there are none.
    pub fn packed(&mut self, number: u32, values: impl IntoIterator<Item = u64>) {
        let mut packed = Self::default();
        values.into_iter().for_each(|value| packed.varint(value));
        self.bytes(number, packed.0);
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
