//! The allocator of the hook's process, which lives for a fraction of a millisecond.
//!
//! A general allocator gives memory back to the system and asks for it again; in so short a life
//! that costs more than all judging. This one has some space from the start and takes address space
//! once, cuts them into blocks of powers of two, and keeps freed blocks for the next who wants one
//! of that size. Large blocks, and whatever another thread wants, are the system allocator's.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::sys;

/// Space in the program itself, in bytes: enough for most calls, and nearer than a map of its own,
/// for which the system needs further pages.
const FIRST_BYTES: usize = 256 * 1024;

/// Space that is kept for [`start_over`], in bytes.
const RESERVE_BYTES: usize = 64 * 1024;

/// Address space that is taken after that, in bytes. It costs nothing until it is touched.
const SPACE_BYTES: usize = 64 * 1024 * 1024;

/// Smallest block, in bytes: room for the link to the next free one.
const BLOCK_BYTES_MIN: usize = 16;

/// Largest block, in bytes. For larger ones the system can move pages instead of copying.
const BLOCK_BYTES_MAX: usize = 64 * 1024;

const CLASSES: usize =
    (BLOCK_BYTES_MAX.trailing_zeros() - BLOCK_BYTES_MIN.trailing_zeros() + 1) as usize;

thread_local! {
    /// Its address names the thread.
    static THREAD: Cell<u8> = const { Cell::new(0) };
}

/// The allocator. What it knows lies before the space, on a page with the first blocks.
#[derive(Debug)]
#[repr(C)]
pub struct Heap {
    state: UnsafeCell<State>,
    first: First,
}

/// The space in the program itself, the reserve at its end; aligned like the blocks.
#[derive(Debug)]
#[repr(align(16))]
struct First(UnsafeCell<[u8; FIRST_BYTES + RESERVE_BYTES]>);

/// The heap of this process, once it is claimed.
static CLAIMED: AtomicPtr<Heap> = AtomicPtr::new(ptr::null_mut());

/// Has the heap begin anew in space that it kept: for a handler, which may have interrupted it at
/// anything, and after which nothing goes on.
pub fn start_over() {
    // SAFETY: it is null or was claimed, which only lasting heaps are.
    if let Some(heap) = unsafe { CLAIMED.load(Ordering::SeqCst).as_ref() } {
        heap.use_reserve();
    }
}

#[derive(Debug)]
struct State {
    /// The thread that may use what follows; zero before the first block.
    owner: usize,
    /// Where the space that was taken begins and ends; equal if there is none.
    begin: usize,
    end: usize,
    /// The part of either space that was never given away; equal if there is none.
    fresh: usize,
    fresh_end: usize,
    /// The first free block of each class, linked through their first bytes.
    free: [*mut u8; CLASSES],
}

// SAFETY: the state is used by the thread alone that took the space; see `state`.
unsafe impl Sync for Heap {}

impl Heap {
    /// An allocator that has taken nothing.
    #[must_use]
    pub const fn new() -> Self {
        let free = [ptr::null_mut(); CLASSES];
        let state = State {
            owner: 0,
            begin: 0,
            end: 0,
            fresh: 0,
            fresh_end: 0,
            free,
        };
        Self {
            state: UnsafeCell::new(state),
            first: First(UnsafeCell::new([0; FIRST_BYTES + RESERVE_BYTES])),
        }
    }

    /// Has the first page by writing to it: read first, it would be mapped twice. For the start of
    /// the program, when nobody else asks yet.
    pub fn claim(&'static self) {
        // SAFETY: there is one thread, and what it writes is what stands there.
        unsafe { (&raw mut (*self.state.get()).owner).write_volatile(0) };
        CLAIMED.store(ptr::from_ref(self).cast_mut(), Ordering::SeqCst);
    }

    /// Gives up all blocks, used and free, and cuts new ones from the reserve.
    fn use_reserve(&self) {
        let (state, space) = (self.state.get(), self.first_space());
        // SAFETY: nobody goes on who used the state, and each field is written for itself, since
        // whoever was interrupted had it.
        unsafe {
            (&raw mut (*state).free).write([ptr::null_mut(); CLASSES]);
            (&raw mut (*state).fresh).write(space.end - RESERVE_BYTES);
            (&raw mut (*state).fresh_end).write(space.end);
        }
    }

    /// The state, for the thread that asked first; nothing for any other.
    #[expect(
        clippy::mut_from_ref,
        reason = "one thread has it, and no call of it is nested"
    )]
    fn state(&self) -> Option<&mut State> {
        let thread = THREAD.with(|mark| ptr::from_ref(mark).addr());
        let state = self.state.get();
        // SAFETY: the word that other threads read is written once, by the first thread, before
        // there can be others. What follows is for that thread, and nothing below calls back.
        unsafe {
            if (*state).owner == 0 {
                (*state).owner = thread;
                let first = self.first_space();
                (*state).fresh = first.start;
                (*state).fresh_end = first.end - RESERVE_BYTES;
            }
            if (*state).owner == thread {
                Some(&mut *state)
            } else {
                None
            }
        }
    }

    fn first_space(&self) -> Range<usize> {
        let begin = self.first.0.get().expose_provenance();
        begin..begin + FIRST_BYTES + RESERVE_BYTES
    }

    fn holds(&self, block: *mut u8) -> bool {
        if self.first_space().contains(&block.addr()) {
            return true;
        }
        // SAFETY: both words are written once, before a block between them exists.
        let (begin, end) = unsafe { ((*self.state.get()).begin, (*self.state.get()).end) };
        (begin..end).contains(&block.addr())
    }
}

impl Default for Heap {
    fn default() -> Self {
        Self::new()
    }
}

impl State {
    fn take(&mut self, class: usize) -> Option<*mut u8> {
        let slot = self.free.get_mut(class)?;
        if !slot.is_null() {
            let block = *slot;
            // SAFETY: a free block begins with the link that `give` wrote.
            *slot = unsafe { block.cast::<*mut u8>().read() };
            return Some(block);
        }
        self.cut(BLOCK_BYTES_MIN << class)
    }

    /// A block that was never used.
    fn cut(&mut self, bytes: usize) -> Option<*mut u8> {
        let block = match self.fresh_block(bytes) {
            Some(block) => block,
            None if self.begin == 0 => {
                self.take_space();
                self.fresh_block(bytes)?
            }
            None => return None,
        };
        Some(ptr::with_exposed_provenance_mut(block))
    }

    fn fresh_block(&mut self, bytes: usize) -> Option<usize> {
        let block = self.fresh;
        self.fresh = block
            .checked_add(bytes)
            .filter(|next| *next <= self.fresh_end)?;
        Some(block)
    }

    /// Takes address space; what is left of the first space is given up.
    fn take_space(&mut self) {
        let space = sys::address_space(SPACE_BYTES);
        self.begin = space.map_or(usize::MAX, <*mut u8>::expose_provenance);
        self.end = self.begin.saturating_add(SPACE_BYTES);
        self.fresh = self.begin;
        self.fresh_end = self.end;
    }

    fn give(&mut self, block: *mut u8, class: usize) {
        if let Some(slot) = self.free.get_mut(class) {
            // SAFETY: the block is ours, nobody uses it, and a link fits into the smallest.
            unsafe { block.cast::<*mut u8>().write(*slot) };
            *slot = block;
        }
    }
}

/// Which blocks are wanted; nothing if it is too large or too aligned for them.
fn class(layout: Layout) -> Option<usize> {
    if layout.size() > BLOCK_BYTES_MAX || layout.align() > BLOCK_BYTES_MIN {
        return None;
    }
    let bits = layout
        .size()
        .max(BLOCK_BYTES_MIN)
        .next_power_of_two()
        .trailing_zeros();
    Some((bits - BLOCK_BYTES_MIN.trailing_zeros()) as usize)
}

// SAFETY: a block is at least as large as its layout and begins at a multiple of the smallest
// block's size, which is at least the alignment; it is in no list while it is given away; what did
// not come from the space goes to the allocator that it came from.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let block = class(layout).and_then(|class| self.state()?.take(class));
        // SAFETY: as the caller promises.
        block.unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if !self.holds(block) {
            // SAFETY: it came from there.
            return unsafe { System.dealloc(block, layout) };
        }
        // Another thread just leaves it.
        if let (Some(class), Some(state)) = (class(layout), self.state()) {
            state.give(block, class);
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size is not zero and does not overflow.
        let wanted = unsafe { Layout::from_size_align_unchecked(bytes, layout.align()) };
        if !self.holds(block) {
            // SAFETY: it came from there.
            return unsafe { System.realloc(block, layout, bytes) };
        }
        if class(layout) == class(wanted) {
            return block;
        }
        // SAFETY: both blocks have room for the smaller of the sizes, and are not the same.
        unsafe {
            let moved = self.alloc(wanted);
            if !moved.is_null() {
                ptr::copy_nonoverlapping(block, moved, layout.size().min(bytes));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A block that was given out, with the byte that fills it.
    struct Given(*mut u8, Layout, u8);

    impl Given {
        fn fill(&self) {
            // SAFETY: the block is as large as its layout.
            unsafe { self.0.write_bytes(self.2, self.1.size()) };
        }

        fn is_whole(&self, bytes: usize) -> bool {
            // SAFETY: the block is as large as its layout, and filled.
            (0..bytes).all(|at| unsafe { self.0.add(at).read() } == self.2)
        }
    }

    proptest! {
        #[test]
        fn blocks_do_not_overlap_and_keep_what_is_in_them(
            steps in prop::collection::vec((0_u8..3, 1_usize..200_000, 0_u32..7, any::<usize>()), 1..120),
        ) {
            let heap = Heap::new();
            let mut given: Vec<Given> = Vec::new();
            for (number, (what, bytes, align, which)) in steps.into_iter().enumerate() {
                let byte = u8::try_from(number % 251).unwrap();
                // Small sizes are the usual ones.
                let is_large = which % 16 == 0 && !cfg!(miri);
                let bytes = if is_large { bytes } else { 1 + bytes % 300 };
                if what == 0 || given.is_empty() {
                    let layout = Layout::from_size_align(bytes, 1 << align).unwrap();
                    // SAFETY: the size is not zero.
                    let block = unsafe { heap.alloc(layout) };
                    prop_assert!(!block.is_null() && block.addr() % layout.align() == 0);
                    given.push(Given(block, layout, byte));
                    given.last().unwrap().fill();
                    continue;
                }
                let Given(block, layout, old) = given.swap_remove(which % given.len());
                let before = Given(block, layout, old);
                prop_assert!(before.is_whole(layout.size()));
                if what == 1 {
                    // SAFETY: it was given out with this layout, and is forgotten now.
                    unsafe { heap.dealloc(block, layout) };
                    continue;
                }
                // SAFETY: as above; the size is not zero.
                let moved = unsafe { heap.realloc(block, layout, bytes) };
                let wanted = Layout::from_size_align(bytes, layout.align()).unwrap();
                let mut after = Given(moved, wanted, old);
                prop_assert!(after.is_whole(bytes.min(layout.size())));
                after.2 = byte;
                after.fill();
                given.push(after);
            }
            for block in &given {
                prop_assert!(block.is_whole(block.1.size()));
                // SAFETY: it was given out with this layout, and is not used any more.
                unsafe { heap.dealloc(block.0, block.1) };
            }
        }
    }

    #[test]
    fn a_freed_block_is_used_again() {
        let heap = Heap::new();
        let layout = Layout::new::<[u64; 9]>();
        // SAFETY: the size is not zero, and each block is freed once.
        unsafe {
            let first = heap.alloc(layout);
            heap.dealloc(first, layout);
            assert_eq!(heap.alloc(Layout::new::<[u64; 12]>()), first);
            assert_ne!(heap.alloc(layout), first);
        }
    }

    #[test]
    fn begun_anew_it_leaves_what_was_given_alone() {
        let heap = Heap::new();
        let layout = Layout::new::<[u64; 9]>();
        // SAFETY: the size is not zero, and each block is freed at most once with its layout.
        unsafe {
            let before = heap.alloc(layout);
            let freed = heap.alloc(layout);
            heap.dealloc(freed, layout);
            heap.use_reserve();
            let after = heap.alloc(layout);
            let reserve = heap.first_space().end - RESERVE_BYTES..heap.first_space().end;
            assert!(reserve.contains(&after.addr()) && heap.holds(after));
            assert!(!reserve.contains(&before.addr()) && freed != after);
            heap.dealloc(after, layout);
            assert_eq!(heap.alloc(layout), after);
        }
    }

    #[test]
    fn other_threads_get_memory_too() {
        static HEAP: Heap = Heap::new();
        let layout = Layout::new::<[u64; 9]>();
        // SAFETY: the size is not zero, and each block is freed once with its layout.
        unsafe {
            let mine = HEAP.alloc(layout).expose_provenance();
            let theirs = std::thread::spawn(move || {
                HEAP.dealloc(ptr::with_exposed_provenance_mut(mine), layout);
                HEAP.alloc(layout).expose_provenance()
            });
            let theirs = theirs.join().unwrap();
            assert!(HEAP.holds(ptr::with_exposed_provenance_mut(mine)));
            assert!(!HEAP.holds(ptr::with_exposed_provenance_mut(theirs)));
            HEAP.dealloc(ptr::with_exposed_provenance_mut(theirs), layout);
        }
    }
}
