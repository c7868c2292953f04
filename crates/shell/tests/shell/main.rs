//! The tests of the parser, in one program.

#[cfg(test)]
mod bash;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod check;
#[cfg(test)]
mod generate;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod other_parser;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod render;
#[cfg(test)]
mod tables;
