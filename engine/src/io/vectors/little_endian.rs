//! How do numbers become bytes, the same on every machine?

/// Large enough that a call for each piece costs nothing, small enough to stay in a cache.
const PIECE: usize = 1 << 20;

/// Hands out the numbers as little-endian bytes, piece by piece.
pub(super) fn for_each_piece<E>(
    numbers: &[f32],
    mut take: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut bytes = Vec::with_capacity(PIECE.min(size_of_val(numbers)));
    for piece in numbers.chunks(PIECE / size_of::<f32>()) {
        bytes.clear();
        bytes.extend(piece.iter().flat_map(|number| number.to_le_bytes()));
        take(&bytes)?;
    }
    Ok(())
}

/// Reads as many numbers as there are places for them.
pub(super) fn read(bytes: &[u8], numbers: &mut [f32]) {
    for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks().0) {
        *number = f32::from_le_bytes(*bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn pieces_are_the_whole_and_read_back() {
        for count in [0, 1, PIECE / 4, PIECE / 4 + 1, PIECE] {
            let numbers: Vec<f32> =
                (0..count as u32).map(|n| f32::from_bits(n.wrapping_mul(2_654_435_761))).collect();
            let mut bytes = Vec::new();
            let mut largest = 0;
            let Ok(()) = for_each_piece(&numbers, |piece| {
                largest = largest.max(piece.len());
                bytes.extend_from_slice(piece);
                Ok::<(), Infallible>(())
            });
            assert!(largest <= PIECE);
            assert_eq!(bytes, numbers.iter().flat_map(|n| n.to_bits().to_le_bytes()).collect::<Vec<u8>>());
            let mut again = vec![0.0; count];
            read(&bytes, &mut again);
            assert!(again.iter().zip(&numbers).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
    }

    #[test]
    fn a_failure_ends_it() {
        let mut calls = 0;
        let outcome = for_each_piece(&vec![0.0; PIECE], |_| {
            calls += 1;
            Err("full")
        });
        assert_eq!((outcome, calls), (Err("full"), 1));
    }
}
