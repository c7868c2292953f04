//! Tickets: how a verdict is obtained that counts. The page `tickets.md` has states and
//! transitions.
