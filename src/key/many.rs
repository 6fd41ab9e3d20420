//! Many signatures with one key.
//!
//! A signature ends in an inversion in the field, a fifth of its work, to write the point R in its one
//! form. The inverses of many values come for little more than that of one.

use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use ed25519_dalek::SigningKey;
use ed25519_dalek::hazmat::ExpandedSecretKey;
use sha2::{Digest as _, Sha512};
use zeroize::Zeroizing;

/// Signs each message: RFC 8032 §5.1.6, step by step for all. The names are those of the RFC.
pub(super) fn sign_each(key: &SigningKey, messages: &[&[u8]]) -> Vec<[u8; 64]> {
    let secret = ExpandedSecretKey::from(key.as_bytes());
    let public = key.verifying_key();
    // Whoever knows an `r` knows the key; of the point's coordinates the same is feared.
    let nonces: Vec<Scalar> =
        messages.iter().map(|message| hash(&[&secret.hash_prefix, message])).collect();
    let nonces = Zeroizing::new(nonces);
    let points: Vec<EdwardsPoint> = nonces.iter().map(EdwardsPoint::mul_base).collect();
    let points = Zeroizing::new(points);
    let encoded = EdwardsPoint::compress_batch_alloc(&points);
    let signed = messages.iter().zip(nonces.iter()).zip(&encoded);
    signed
        .map(|((message, r), encoded)| {
            let k = hash(&[encoded.as_bytes(), public.as_bytes(), message]);
            let s = k * secret.scalar + r;
            let mut signature = [0; 64];
            signature[..32].copy_from_slice(encoded.as_bytes());
            signature[32..].copy_from_slice(s.as_bytes());
            signature
        })
        .collect()
}

/// SHA-512 of the parts, as a scalar.
fn hash(parts: &[&[u8]]) -> Scalar {
    let mut hash = Sha512::new();
    parts.iter().for_each(|part| hash.update(part));
    Scalar::from_bytes_mod_order_wide(&hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::Signer as _;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn signatures_of_many_are_those_of_each(
            seed: [u8; 32],
            messages in proptest::collection::vec(
                proptest::collection::vec(any::<u8>(), 0..300),
                1..20,
            ),
        ) {
            let key = SigningKey::from_bytes(&seed);
            let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
            let one_by_one: Vec<[u8; 64]> =
                messages.iter().map(|message| key.sign(message).to_bytes()).collect();
            prop_assert_eq!(sign_each(&key, &messages), one_by_one);
        }
    }
}
