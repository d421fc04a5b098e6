//! The little of Protocol Buffers' encoding that traces need: varints, fixed numbers and texts, each with its field's
//! number. See <https://protobuf.dev/programming-guides/encoding/>.

/// A message in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct Message {
    pub(super) bytes: Vec<u8>,
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

impl Message {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds an unsigned number.
    pub(super) fn uint(mut self, field: u32, value: u64) -> Self {
        varint(&mut self.bytes, u64::from(field) << 3);
        varint(&mut self.bytes, value);
        self
    }

    /// Adds a signed number of type `int64`, which is written in two's complement.
    pub(super) fn int(self, field: u32, value: i64) -> Self {
        self.uint(field, value as u64)
    }

    /// Adds an unsigned number of type `fixed64`: eight bytes, the lowest first.
    pub(super) fn fixed(mut self, field: u32, value: u64) -> Self {
        varint(&mut self.bytes, u64::from(field) << 3 | 1);
        self.bytes.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Adds a text.
    pub(super) fn text(self, field: u32, value: &str) -> Self {
        self.field(field, value.as_bytes())
    }

    /// Adds a message.
    pub(super) fn message(self, field: u32, value: Message) -> Self {
        self.field(field, &value.bytes)
    }

    fn field(mut self, field: u32, bytes: &[u8]) -> Self {
        varint(&mut self.bytes, u64::from(field) << 3 | 2);
        varint(&mut self.bytes, bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
        self
    }
}

/// Appends `message` as a field of the outermost message.
pub(super) fn append(out: &mut Vec<u8>, field: u32, message: &Message) {
    varint(out, u64::from(field) << 3 | 2);
    varint(out, message.bytes.len() as u64);
    out.extend_from_slice(&message.bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the encoding's own documentation: field 1 is 150, field 2 is "testing".
    #[test]
    fn the_documented_examples() {
        assert_eq!(Message::new().uint(1, 150).bytes, [0x08, 0x96, 0x01]);
        assert_eq!(Message::new().fixed(1, 0x0102).bytes, [0x09, 2, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(Message::new().text(2, "testing").bytes, *b"\x12\x07testing");
        assert_eq!(Message::new().int(1, -2).bytes, [8, 254, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
        assert_eq!(Message::new().message(3, Message::new().uint(1, 150)).bytes, [0x1a, 3, 0x08, 0x96, 0x01]);
    }
}
