//! How the system shows that a call of our hook comes from the host. Looks at nothing itself.

/// What a host gives us to know it by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provenance {
    /// Our standard input is a socket that the host made: its other end names the process. A file
    /// or a pipe in its place shows that somebody else called.
    Peer,
    /// Our standard input is a plain pipe. What remains: the host itself is our parent, or that of
    /// the one shell between, and confines us no more than itself, while what its worker runs is
    /// sandboxed.
    /// Without that sandbox this tells a worker's program from the host only by its number.
    Pipe,
    /// Nothing is shown: what calls is believed, and nothing that it says is a human's word.
    Nothing,
}
