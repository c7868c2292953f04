#[path="../tests/support/render.rs"] mod render;
use std::io::Read;
fn main(){ let mut b=Vec::new(); std::io::stdin().read_to_end(&mut b).unwrap();
 for chunk in b.split(|c|*c==b'\x1e'){ if chunk.is_empty(){continue} let s=shell::parse(chunk); println!("{}", render::script(&s)); } }
