//! Where does a buffer begin?
//!
//! At the start of a line of the cache, if the program that uses this library asks for it:
//!
//! ```
//! use linknbed::compute::lines::AtLines;
//!
//! #[global_allocator]
//! static ALLOCATOR: AtLines = AtLines;
//!
//! let numbers = vec![1.0f32; 1000];
//! assert_eq!(numbers.as_ptr() as usize % 64, 0);
//! ```
//!
//! Allocators begin a buffer sixteen bytes after a line does. A vector instruction of 64 bytes then reads two lines each
//! time, and a row of a table lies in one line more than it must: products of matrices took a fifth longer, a step of
//! training a tenth.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;

/// The system's allocator, with buffers of a kilobyte and more at the start of a line.
#[derive(Debug, Clone, Copy, Default)]
pub struct AtLines;

/// Bytes of a line, and by how many a buffer is longer than was asked.
const LINE: usize = 64;
/// Smaller buffers lie where the system puts them.
const LEAST: usize = 1024;
/// What every buffer of the system begins at a multiple of, so that before a line there is room for a number.
const STEP: usize = 16;

/// What the system is asked for to place such a buffer within, if it is one that is placed.
fn around(layout: Layout) -> Option<Layout> {
    let is_placed = layout.size() >= LEAST && layout.align() <= LINE;
    // A size at which this overflows can be had from nobody.
    is_placed.then(|| Layout::from_size_align(layout.size() + LINE, STEP).ok())?
}

/// Places a buffer within what the system gave.
///
/// # Safety
///
/// `outer` is null, or begins at a multiple of STEP, and has LINE bytes more than the buffer.
#[allow(unsafe_code)]
unsafe fn place(outer: *mut u8) -> *mut u8 {
    if outer.is_null() {
        return outer;
    }
    let gap = LINE - outer.addr() % LINE;
    // SAFETY: the gap is at most LINE, and at least STEP, where a number fits in before the line.
    unsafe {
        let buffer = outer.add(gap);
        buffer.cast::<usize>().sub(1).write(gap);
        buffer
    }
}

/// How far a placed buffer is from what the system gave.
///
/// # Safety
///
/// The buffer is of [`place`].
#[allow(unsafe_code)]
unsafe fn gap_before(buffer: *mut u8) -> usize {
    // SAFETY: `place` wrote it there.
    unsafe { buffer.cast::<usize>().sub(1).read() }
}

// SAFETY: all memory is of the system's allocator, which is given back what it gave, with the layout that it was asked for:
// by its own layout alone a buffer is placed or not. A placed one has all its bytes within, and begins at a multiple of
// LINE, which is one of its alignment.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for AtLines {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise; `around` is larger than what is placed by LINE.
        unsafe {
            match around(layout) {
                Some(outer) => place(System.alloc(outer)),
                None => System.alloc(layout),
            }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: likewise. What `place` writes lies before the buffer.
        unsafe {
            match around(layout) {
                Some(outer) => place(System.alloc_zeroed(outer)),
                None => System.alloc_zeroed(layout),
            }
        }
    }

    unsafe fn dealloc(&self, buffer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise; what was placed goes back as the system gave it.
        unsafe {
            match around(layout) {
                Some(outer) => System.dealloc(buffer.sub(gap_before(buffer)), outer),
                None => System.dealloc(buffer, layout),
            }
        }
    }

    unsafe fn realloc(&self, buffer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise, which covers the alignment of the new layout as well.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let kept = layout.size().min(size);
        // SAFETY: the same, and as above. The system moves what it gave as a whole; where its place within a line has
        // changed, the bytes that are kept follow, within a region that has room for them at either place.
        unsafe {
            match (around(layout), around(new)) {
                (Some(outer), Some(new_outer)) => {
                    let gap = gap_before(buffer);
                    let moved = System.realloc(buffer.sub(gap), outer, new_outer.size());
                    if moved.is_null() {
                        return moved;
                    }
                    let new_gap = LINE - moved.addr() % LINE;
                    if new_gap != gap {
                        ptr::copy(moved.add(gap), moved.add(new_gap), kept);
                    }
                    place(moved)
                }
                (None, None) => System.realloc(buffer, layout, size),
                _ => {
                    let moved = self.alloc(new);
                    if !moved.is_null() {
                        ptr::copy_nonoverlapping(buffer, moved, kept);
                        self.dealloc(buffer, layout);
                    }
                    moved
                }
            }
        }
    }
}

#[cfg(test)]
#[allow(unsafe_code)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Fills, or compares, with bytes that tell their places apart.
    fn byte(at: usize) -> u8 {
        (at * 31 % 251) as u8
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn buffers_begin_at_lines_and_keep_what_they_hold(
            sizes in prop::collection::vec(1..300_000usize, 1..12), power in 0..8u32, zeroed in any::<bool>(),
        ) {
            let layout = |size| Layout::from_size_align(size, 1 << power).unwrap();
            let mut size = sizes[0];
            // SAFETY: sizes are above zero, and each buffer is read and written within its size, and given back once.
            unsafe {
                let mut buffer = match zeroed {
                    true => AtLines.alloc_zeroed(layout(size)),
                    false => AtLines.alloc(layout(size)),
                };
                if zeroed {
                    prop_assert!(std::slice::from_raw_parts(buffer, size).iter().all(|&x| x == 0));
                }
                for &next in &sizes {
                    (0..size).for_each(|at| buffer.add(at).write(byte(at)));
                    buffer = AtLines.realloc(buffer, layout(size), next);
                    let kept = std::slice::from_raw_parts(buffer, size.min(next));
                    prop_assert!(kept.iter().enumerate().all(|(at, &x)| x == byte(at)));
                    size = next;
                    let least = if size >= LEAST { LINE.max(1 << power) } else { 1 << power };
                    prop_assert_eq!(buffer.addr() % least, 0);
                }
                AtLines.dealloc(buffer, layout(size));
            }
        }
    }

    #[test]
    fn what_nobody_can_give_is_refused() {
        for size in [isize::MAX as usize - 7, isize::MAX as usize / 2] {
            let layout = Layout::from_size_align(size, 8).unwrap();
            // SAFETY: the size is above zero; nothing is given, so that nothing is to give back.
            let buffer = unsafe { AtLines.alloc(layout) };
            // Seen by someone, or the compiler takes for granted that it was given.
            assert!(std::hint::black_box(buffer).is_null(), "{size}");
        }
    }
}
