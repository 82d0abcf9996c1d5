//! How is the work on contexts shared among threads?
//!
//! In pieces of so many contexts, whatever the number of threads, so that the bits do not depend on it.

/// Contexts of one piece.
pub(super) const CONTEXTS: usize = 64;

/// The starts of the lists of each piece, with the end of its last.
pub(super) fn pieces(starts: &[u32]) -> Vec<&[u32]> {
    let contexts = starts.len().saturating_sub(1);
    (0..contexts).step_by(CONTEXTS).map(|first| &starts[first..=(first + CONTEXTS).min(contexts)]).collect()
}

/// Cuts a table with a row for each reference of the lists, so that each piece has its own.
pub(super) fn cut<'a, T>(mut table: &'a mut [T], pieces: &[&[u32]], width: usize) -> Vec<&'a mut [T]> {
    let mut parts = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let references = (piece[piece.len() - 1] - piece[0]) as usize;
        let part;
        (part, table) = table.split_at_mut(references * width);
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_hold_every_context_and_reference_once(lengths in prop::collection::vec(0..4u32, 0..300), width in 1..4usize) {
            let mut starts = vec![0];
            lengths.iter().for_each(|length| starts.push(starts[starts.len() - 1] + length));
            let pieces = pieces(&starts);
            let found: Vec<u32> = pieces.iter().flat_map(|piece| piece.windows(2)).map(|ends| ends[1] - ends[0]).collect();
            prop_assert_eq!(&found, &lengths);
            prop_assert!(pieces.iter().all(|piece| (2..=CONTEXTS + 1).contains(&piece.len())));
            let mut table: Vec<usize> = (0..starts[lengths.len()] as usize * width).collect();
            let whole = table.clone();
            let parts = cut(&mut table, &pieces, width);
            for (part, piece) in parts.iter().zip(&pieces) {
                prop_assert_eq!(part.first().copied().unwrap_or(piece[0] as usize * width), piece[0] as usize * width);
            }
            prop_assert_eq!(parts.concat(), whole);
        }
    }

    #[test]
    fn no_lists_have_no_pieces() {
        assert!(pieces(&[]).is_empty() && pieces(&[0]).is_empty());
    }
}
