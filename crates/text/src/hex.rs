//! Bytes as hexadecimal digits, and back.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Two small digits a byte.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for half in [byte >> 4, byte & 15] {
            let digit = DIGITS.get(usize::from(half)).copied();
            out.push(char::from(digit.unwrap_or(b'0')));
        }
    }
    out
}

/// The bytes that the digits stand for, if they are digits by pairs.
#[must_use]
pub fn decode(digits: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(byte).collect())?
}

/// The bytes that the digits stand for, if they are just so many.
#[must_use]
pub fn decode_array<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    let mut bytes = [0; N];
    for (place, pair) in bytes.iter_mut().zip(pairs) {
        *place = byte(pair)?;
    }
    Some(bytes)
}

fn byte(pair: &[u8; 2]) -> Option<u8> {
    let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
    u8::try_from(high? << 4 | low?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let bytes: Vec<u8> = (0..=255).collect();
        let digits = encode(&bytes);
        assert!(digits.starts_with("000102") && digits.ends_with("fdfeff"));
        assert_eq!(decode(&digits), Some(bytes));
        assert_eq!(decode("0Af"), None);
        assert_eq!(decode("0A"), Some(vec![10]));
        for wrong in ["abc", "zz", "+1", "é"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
        assert_eq!(decode_array("00ff"), Some([0, 255]));
        for wrong in ["00", "00ff00", "00fz", "00ff0"] {
            assert_eq!(decode_array::<2>(wrong), None, "{wrong}");
        }
    }
}
