//! What is left of a key in memory once it is dropped: nothing.
//!
//! A binary of its own, since it looks at all of its own memory.

#![cfg(target_os = "linux")]

use std::fs::File;
use std::hint::black_box;
use std::io::{Read as _, Seek as _, SeekFrom};

use agent_output_verifier::key::{KeyFile, SigningKey};
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// The complement of a byte of the seed: the seed itself stands nowhere in this program.
fn masked(place: usize) -> u8 {
    black_box((place * place * 7 + place * 31 + 97) as u8)
}

/// How often the memory of this process holds what `byte` gives for 0 to `length`.
fn copies(length: usize, byte: impl Fn(usize) -> u8) -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mut memory = File::open("/proc/self/mem").unwrap();
    let mut found = 0;
    for line in maps.lines() {
        let mut parts = line.split_ascii_whitespace();
        let (range, rights) = (parts.next().unwrap(), parts.next().unwrap());
        if !rights.starts_with("rw") {
            continue;
        }
        let (start, end) = range.split_once('-').unwrap();
        let [start, end] = [start, end].map(|text| u64::from_str_radix(text, 16).unwrap());
        memory.seek(SeekFrom::Start(start)).unwrap();
        let mut before = [0; 64];
        let mut block = [0; 4096];
        for _ in 0..(end - start) / 4096 {
            if memory.read_exact(&mut block).is_err() {
                break;
            }
            // What lies across two blocks is found with the end of the one before.
            let joined: Vec<u8> = before.iter().chain(&block).map(|byte| !*byte).collect();
            found += joined
                .windows(length)
                .filter(|window| (0..length).all(|place| window[place] == byte(place)))
                .count();
            before.copy_from_slice(&block[4096 - 64..]);
        }
    }
    found
}

/// Overwrites what calls have left on the stack.
#[inline(never)]
fn sweep() {
    black_box([0_u8; 512 * 1024]);
}

/// Everything that is done with a key, from its making to a signature; gives the key as text.
#[inline(never)]
fn use_a_key(check: impl FnOnce()) {
    let mut seed = Zeroizing::new([0; 32]);
    for (place, byte) in seed.iter_mut().enumerate() {
        *byte = !masked(place);
    }
    let file = KeyFile::new(seed, "k1".to_owned()).unwrap();
    let text = file.to_json();
    let again = KeyFile::parse(text.as_bytes(), None).unwrap();
    black_box(again.signing_key().sign_base64(b"message"));
    black_box(again.signing_key().sign_each(&[b"message", b"another"]));
    check();
}

#[test]
fn nothing_of_a_dropped_key_is_left_in_memory() {
    // What is complemented twice is the seed; complements of it are not counted.
    let seeds = || copies(32, masked);
    let texts = || {
        // Base64 of the seed, three bytes to four characters, complemented as the memory is.
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        copies(40, move |place| {
            let bit = |at: usize| usize::from(!masked(at / 8)) >> (7 - at % 8) & 1;
            let index = (0..6).fold(0, |index, next| index << 1 | bit(place * 6 + next));
            !alphabet[index]
        })
    };
    let mut during = (0, 0);
    use_a_key(|| during = (seeds(), texts()));
    assert!(during.0 > 0 && during.1 > 0, "the key is not found where it is: {during:?}");
    sweep();
    assert_eq!((seeds(), texts()), (0, 0));
}

#[test]
fn keys_are_wiped_and_cannot_be_printed() {
    fn is_wiped<T: ZeroizeOnDrop>() {}
    is_wiped::<ed25519_dalek::SigningKey>();
    is_wiped::<Zeroizing<[u8; 32]>>();

    /// Two ways to one name for what has `Debug`: this does not compile where a key has it.
    trait Printable<Way> {
        const FOUND: () = ();
    }
    impl<T> Printable<()> for T {}
    impl<T: std::fmt::Debug> Printable<u8> for T {}
    let () = <KeyFile as Printable<_>>::FOUND;
    let () = <SigningKey as Printable<_>>::FOUND;
}
