//! The checksum of every stored byte, and the name of a long text. Owns one function; knows no
//! format.
//!
//! It finds damage, not forgery. It is part of the formats on disk, so it never changes.

const SEED: u64 = 0x746f_6c6c_6761_7465;
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Checksum of `bytes`, eight at a time. A change inside one aligned eight-byte word is always
/// found, because each step is a bijection; any other change is missed once in 2⁶⁴.
#[must_use]
pub fn sum64(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    let start = SEED ^ (bytes.len() as u64).wrapping_mul(ODD);
    let sum = words.iter().chain([&last]).fold(start, |sum, word| {
        let mixed = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(ODD);
        mixed.rotate_left(31)
    });
    let sum = (sum ^ sum >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    sum ^ sum >> 31
}

#[cfg(test)]
mod tests {
    use super::sum64;

    #[test]
    fn every_flipped_bit_and_every_cut_is_found() {
        let bytes: Vec<u8> = (0..100).collect();
        let sum = sum64(&bytes);
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(sum64(&flipped), sum, "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert_ne!(sum64(&bytes[..length]), sum, "length {length}");
        }
    }

    #[test]
    fn the_sum_on_disk_never_changes() {
        assert_eq!(sum64(b""), 0x9822_f41b_ef53_02a9);
        assert_eq!(sum64(b"tollgate"), 0x5360_b339_1d19_ae2f);
        assert_eq!(sum64(b"a line of odd length."), 0x535d_cd35_1064_b4d9);
    }
}
