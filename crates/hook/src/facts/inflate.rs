//! Unpacks the beginning of zlib data (RFC 1950, 1951), as git stores its objects.
//! Any bytes give an answer or `None`, never a panic. Checks no checksum.

/// Longest code in bits.
const BITS_MAX: usize = 15;

/// The first bytes of what `packed` holds, at least `length` of them unless it is shorter.
/// `packed` may end where no more of it is needed.
pub(super) fn beginning(packed: &[u8], length: usize) -> Option<Vec<u8>> {
    let is_deflate = packed.first()? & 0x0f == 8;
    let has_dictionary = packed.get(1)? & 0x20 != 0;
    if !is_deflate || has_dictionary {
        return None;
    }
    let mut stream = Stream {
        bytes: packed.get(2..)?,
        at: 0,
        bits: 0,
        held: 0,
    };
    let mut out = Vec::new();
    loop {
        let is_last = stream.take(1)? == 1;
        match stream.take(2)? {
            0 => stream.stored(&mut out, length)?,
            1 => stream.codes(&fixed(), &mut out, length)?,
            2 => {
                let codes = stream.dynamic()?;
                stream.codes(&codes, &mut out, length)?;
            }
            _ => return None,
        }
        if is_last || out.len() >= length {
            return Some(out);
        }
    }
}

struct Stream<'a> {
    bytes: &'a [u8],
    at: usize,
    bits: u32,
    held: u32,
}

/// A canonical code: how many codes each length has, and the symbols in order.
struct Code {
    counts: [u16; BITS_MAX + 1],
    symbols: Vec<u16>,
}

/// The codes for literals and lengths, and for distances.
struct Codes {
    literals: Code,
    distances: Code,
}

impl Code {
    fn new(lengths: &[u8]) -> Self {
        let mut counts = [0; BITS_MAX + 1];
        let mut order: Vec<(u8, u16)> = Vec::new();
        for (symbol, length) in (0u16..).zip(lengths) {
            if *length > 0 {
                order.push((*length, symbol));
                if let Some(count) = counts.get_mut(usize::from(*length)) {
                    *count += 1;
                }
            }
        }
        order.sort_unstable();
        Self {
            counts,
            symbols: order.into_iter().map(|(_, symbol)| symbol).collect(),
        }
    }
}

fn fixed() -> Codes {
    let mut lengths = [8; 288];
    for (symbol, length) in lengths.iter_mut().enumerate() {
        *length = match symbol {
            144..=255 => 9,
            256..=279 => 7,
            _ => 8,
        };
    }
    Codes {
        literals: Code::new(&lengths),
        distances: Code::new(&[5; 30]),
    }
}

/// Base value and extra bits of the symbols 257 to 285.
#[rustfmt::skip]
const LENGTHS: &[(u16, u8)] = &[
    (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0), (11, 1), (13, 1), (15, 1),
    (17, 1), (19, 2), (23, 2), (27, 2), (31, 2), (35, 3), (43, 3), (51, 3), (59, 3), (67, 4),
    (83, 4), (99, 4), (115, 4), (131, 5), (163, 5), (195, 5), (227, 5), (258, 0),
];

/// Base value and extra bits of the distance symbols.
#[rustfmt::skip]
const DISTANCES: &[(u16, u8)] = &[
    (1, 0), (2, 0), (3, 0), (4, 0), (5, 1), (7, 1), (9, 2), (13, 2), (17, 3), (25, 3), (33, 4),
    (49, 4), (65, 5), (97, 5), (129, 6), (193, 6), (257, 7), (385, 7), (513, 8), (769, 8),
    (1025, 9), (1537, 9), (2049, 10), (3073, 10), (4097, 11), (6145, 11), (8193, 12), (12289, 12),
    (16385, 13), (24577, 13),
];

/// Order in which the lengths of the length codes are written.
const LENGTH_ORDER: &[usize] = &[
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];

impl Stream<'_> {
    fn take(&mut self, count: u32) -> Option<u32> {
        while self.held < count {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            self.bits |= u32::from(byte) << self.held;
            self.held += 8;
        }
        let value = self.bits & ((1 << count) - 1);
        self.bits >>= count;
        self.held -= count;
        Some(value)
    }

    fn symbol(&mut self, code: &Code) -> Option<u16> {
        let (mut value, mut first, mut index) = (0u32, 0u32, 0u32);
        for count in code.counts.iter().skip(1) {
            let count = u32::from(*count);
            value |= self.take(1)?;
            if value.checked_sub(count).is_none_or(|rest| rest < first) {
                let at = index + value.checked_sub(first)?;
                return code.symbols.get(at as usize).copied();
            }
            index += count;
            first = (first + count) << 1;
            value <<= 1;
        }
        None
    }

    fn stored(&mut self, out: &mut Vec<u8>, length: usize) -> Option<()> {
        self.bits = 0;
        self.held = 0;
        let header = self.bytes.get(self.at..self.at + 4)?;
        let count = usize::from(u16::from_le_bytes(header.get(0..2)?.try_into().ok()?));
        let rest = self.bytes.get(self.at + 4..)?;
        let wanted = length.saturating_sub(out.len());
        out.extend_from_slice(rest.get(..count).or_else(|| rest.get(..wanted))?);
        self.at += 4 + count;
        Some(())
    }

    fn dynamic(&mut self) -> Option<Codes> {
        let literals = self.take(5)? as usize + 257;
        let distances = self.take(5)? as usize + 1;
        let written = self.take(4)? as usize + 4;
        let mut lengths = [0u8; 19];
        for at in LENGTH_ORDER.iter().take(written) {
            *lengths.get_mut(*at)? = u8::try_from(self.take(3)?).ok()?;
        }
        let code = Code::new(&lengths);
        let mut lengths: Vec<u8> = Vec::new();
        while lengths.len() < literals + distances {
            let (value, times) = match self.symbol(&code)? {
                16 => (*lengths.last()?, 3 + self.take(2)?),
                17 => (0, 3 + self.take(3)?),
                18 => (0, 11 + self.take(7)?),
                length => (u8::try_from(length).ok()?, 1),
            };
            lengths.extend((0..times).map(|_| value));
        }
        let distance_lengths = lengths.get(literals..literals + distances)?;
        let distances = Code::new(distance_lengths);
        Some(Codes {
            literals: Code::new(lengths.get(..literals)?),
            distances,
        })
    }

    fn codes(&mut self, codes: &Codes, out: &mut Vec<u8>, length: usize) -> Option<()> {
        while out.len() < length {
            let symbol = self.symbol(&codes.literals)?;
            if let Ok(byte) = u8::try_from(symbol) {
                out.push(byte);
                continue;
            }
            if symbol == 256 {
                return Some(());
            }
            let count = self.number(LENGTHS, symbol - 257)?;
            let symbol = self.symbol(&codes.distances)?;
            let distance = self.number(DISTANCES, symbol)?;
            let start = out.len().checked_sub(distance)?;
            for at in start..start + count {
                out.push(*out.get(at)?);
            }
        }
        Some(())
    }

    fn number(&mut self, table: &[(u16, u8)], symbol: u16) -> Option<usize> {
        let (base, extra) = *table.get(usize::from(symbol))?;
        Some(usize::from(base) + self.take(u32::from(extra))? as usize)
    }
}
