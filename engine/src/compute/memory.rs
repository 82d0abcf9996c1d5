//! Where do large tables live?
//!
//! On huge pages where the system has them: a row of a table of a gigabyte is somewhere else each time, and with small
//! pages the processor looks up its address in vain. A request, not a need: without them everything works as well, only
//! slower.

use super::real::Real;

/// So many zeros, on huge pages if they are many.
pub fn zeros<T: Real>(count: usize) -> Vec<T> {
    let numbers = vec![T::ZERO; count];
    ask_for_huge_pages(&numbers);
    numbers
}

/// Makes a buffer so long, on huge pages if that is much; what is in it is anything.
pub fn make_room<T: Real>(buffer: &mut Vec<T>, count: usize) {
    if buffer.capacity() < count {
        *buffer = zeros(count + count / 8);
    }
    buffer.resize(count, T::ZERO);
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn ask_for_huge_pages<T>(numbers: &[T]) {
    const PAGE: usize = 2 << 20;
    let bytes = size_of_val(numbers);
    let begin = numbers.as_ptr() as usize;
    let (first, end) = (begin.next_multiple_of(PAGE), (begin + bytes) / PAGE * PAGE);
    if first < end {
        // SAFETY: the range lies within the slice, and the advice changes how memory is backed, never what it holds.
        // That the system may refuse is no concern.
        unsafe { libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages<T>(_: &[T]) {}

/// Asks the allocator to keep what is given back to it from now on, and to part with what it has. A step uses the same large buffers as the one before; fetching
/// their pages from the system each time, zeroed, would take longer than the step itself.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub fn keep_buffers() {
    // SAFETY: these calls return free pages and set two numbers within the allocator, under its own lock. A refusal
    // changes nothing.
    unsafe {
        libc::malloc_trim(0);
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 30);
        libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX);
    }
}

/// Elsewhere the allocator does as it likes.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_buffers() {}

#[cfg(test)]
mod tests {
    #[test]
    fn buffers_have_the_asked_length() {
        let mut buffer: Vec<f64> = Vec::new();
        for count in [5, 0, 100_000, 7] {
            super::make_room(&mut buffer, count);
            assert_eq!(buffer.len(), count);
        }
    }

    #[test]
    fn large_tables_are_zero_and_can_be_written() {
        for count in [0, 1, 1000, 3 << 20] {
            let mut numbers = super::zeros::<f32>(count);
            assert!(numbers.iter().all(|&x| x == 0.0));
            numbers.iter_mut().for_each(|x| *x = 1.0);
            assert_eq!(numbers.iter().map(|&x| f64::from(x)).sum::<f64>(), count as f64);
        }
    }
}
