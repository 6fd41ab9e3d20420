//! Equality of short texts.

/// Whether two texts are the same. Names are short and compared all the time: those of up to 16 bytes
/// are, a word or two at a time, without a call.
pub(crate) fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if a.len() > 16 {
        return a == b;
    }
    // The two words overlap, or meet.
    if let (Some(first), Some(last)) = (a.first_chunk::<8>(), a.last_chunk::<8>()) {
        return b.first_chunk() == Some(first) && b.last_chunk() == Some(last);
    }
    if let (Some(first), Some(last)) = (a.first_chunk::<4>(), a.last_chunk::<4>()) {
        return b.first_chunk() == Some(first) && b.last_chunk() == Some(last);
    }
    a.iter().eq(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_counts() {
        for length in 0..=40 {
            let text: Vec<u8> = (0..length).collect();
            assert!(is_same(&text, &text.clone()));
            for place in 0..text.len() {
                let mut other = text.clone();
                other[place] ^= 0x20;
                assert!(!is_same(&text, &other));
                assert!(!is_same(&text, &text[..place]));
            }
        }
    }
}
