//! The elements of an array that is the whole text, read one at a time: memory holds one of them and
//! a window of the text, however long the array is.

use std::io::{self, Read};

use super::reader::{Ended, is_space, read_element};
use super::{Buffers, Document, ReadErrorKind, Value};

/// Bytes that are read at once. Elements that are longer make the window grow.
const WINDOW: usize = 256 * 1024;

/// Bytes of an element at most: beyond that, reading it again and again is not worth it.
const MAX_WINDOW: usize = 64 * 1024 * 1024;

/// How close to the window's end a fault may come from the cut: a surrogate pair's two escapes are the
/// longest sequence that is looked at as one.
const CUT: usize = 12;

/// What the text goes on with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Opening,
    ElementOrClosing,
    Element,
    CommaOrClosing,
    Nothing,
}

/// Reads an array from `source` and hands its elements to `each`, in order, until that says stop; gives
/// their number.
///
/// `None` where they cannot be had this way: where the text is not an array in UTF-8 without a byte
/// order mark, is at fault anywhere, has an element of more than 64 MiB, or `each` said stop. What is
/// wrong with a text, [`Document::parse`] tells of the whole. An array that is read here to its
/// end is one that is read there.
///
/// # Errors
///
/// Those of `source`.
pub fn read_elements(
    mut source: impl Read,
    mut each: impl FnMut(Value<'_>) -> bool,
) -> io::Result<Option<u64>> {
    let mut window = vec![0; WINDOW];
    let (mut filled, mut ended) = (0, false);
    let mut buffers = Buffers::default();
    let mut next = Next::Opening;
    let (mut count, mut passed) = (0u64, 0usize);
    loop {
        while filled < window.len() && !ended {
            match source.read(&mut window[filled..]) {
                Ok(read) => {
                    filled += read;
                    ended = read == 0;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let Some(text) = whole_characters(&window[..filled], ended) else {
            return Ok(None);
        };
        let mut at = 0;
        loop {
            at += text.as_bytes()[at..].iter().take_while(|&&byte| is_space(byte)).count();
            let Some(&byte) = text.as_bytes().get(at) else { break };
            next = match (next, byte) {
                (Next::Opening, b'[') => Next::ElementOrClosing,
                (Next::CommaOrClosing, b',') => Next::Element,
                (Next::CommaOrClosing | Next::ElementOrClosing, b']') => Next::Nothing,
                (Next::Element | Next::ElementOrClosing, _) => {
                    let rest = &text[at..];
                    let Ended { outcome, at: end, buffers: filled } = read_element(rest, buffers);
                    buffers = filled;
                    match outcome {
                        // A number at the cut may go on behind it.
                        Ok(()) if end == rest.len() && !ended => break,
                        Ok(()) => {}
                        Err(ReadErrorKind::EndsEarly) if !ended => break,
                        Err(_) if !ended && end + CUT > rest.len() => break,
                        Err(_) => return Ok(None),
                    }
                    let document = Document { text: &rest[..end], buffers };
                    if !each(document.root()) {
                        return Ok(None);
                    }
                    buffers = document.into_buffers();
                    count += 1;
                    at += end;
                    next = Next::CommaOrClosing;
                    continue;
                }
                _ => return Ok(None),
            };
            at += 1;
        }
        passed = passed.saturating_add(at);
        if ended {
            // A text has to be one that can be read whole, too.
            let complete = next == Next::Nothing && at == filled;
            return Ok((complete && u32::try_from(passed).is_ok()).then_some(count));
        }
        if at == 0 {
            if window.len() >= MAX_WINDOW {
                return Ok(None);
            }
            window.resize(window.len() * 2, 0);
        } else {
            window.copy_within(at..filled, 0);
            filled -= at;
        }
    }
}

/// The bytes as text, without a last character that is cut; `None` where they are none.
fn whole_characters(bytes: &[u8], ended: bool) -> Option<&str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() && !ended => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives bytes in pieces of a size.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn elements(bytes: &[u8]) -> Option<Vec<String>> {
        let mut seen = Vec::new();
        let count = read_elements(Pieces(bytes, 100_000), |element| {
            seen.push(element.source().to_owned());
            true
        });
        assert!(count.as_ref().unwrap().is_none_or(|count| count == seen.len() as u64));
        count.unwrap().map(|_| seen)
    }

    #[test]
    fn elements_come_as_they_are_written() {
        assert_eq!(elements(b" [ ] \n"), Some(vec![]));
        let text = br#" [1, "a\u0041", {"b": [null]} , -0.5e3,true ] "#;
        let expected = ["1", r#""a\u0041""#, r#"{"b": [null]}"#, "-0.5e3", "true"];
        assert_eq!(elements(text).unwrap(), expected);
    }

    #[test]
    fn what_is_not_read_whole_is_not_read_by_element() {
        let deep = "[".repeat(128) + &"]".repeat(128);
        assert!(elements(deep.as_bytes()).is_some());
        let deeper = format!("[{deep}]");
        let texts: [&[u8]; 17] = [
            b"",
            b" ",
            b"{}",
            b"1",
            b"[",
            b"[1",
            b"[1,",
            b"[1,]",
            b"[,1]",
            b"[1 2]",
            b"[1]]",
            b"[1]x",
            b"\xEF\xBB\xBF[]",
            b"[\"\xFF\"]",
            b"[{\"a\":1,\"a\":2}]",
            b"[tru]",
            deeper.as_bytes(),
        ];
        for text in texts {
            assert_eq!(elements(text), None, "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn windows_are_cut_anywhere() {
        // Every kind of token comes to lie across the window's end.
        let token = r#"[12345.678e-12,"é€😀\ud83d\ude00\n",true,false,null,{"k":[-1]}],"#;
        for shift in 0..token.len() {
            let text = format!("[{}{}1]", " ".repeat(shift), token.repeat(WINDOW / 32));
            let seen = elements(text.as_bytes()).unwrap();
            let whole = Document::parse(text.as_bytes()).unwrap();
            assert!(whole.root().elements().map(Value::source).eq(seen.iter().map(String::as_str)));
        }
    }

    #[test]
    fn elements_longer_than_the_window_are_read() {
        let long = format!("[\"{}\",2]", "x".repeat(3 * WINDOW));
        assert_eq!(elements(long.as_bytes()).unwrap().len(), 2);
        let space = format!("[{}1]", " ".repeat(3 * WINDOW));
        assert_eq!(elements(space.as_bytes()).unwrap(), ["1"]);
    }

    #[test]
    fn it_stops_when_told_and_passes_errors_on() {
        let mut seen = 0;
        let stopped = read_elements(&b"[1,2,3]"[..], |_| {
            seen += 1;
            seen < 2
        });
        assert_eq!((stopped.unwrap(), seen), (None, 2));

        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::ConnectionReset.into())
            }
        }
        assert!(read_elements(Broken, |_| true).is_err());
    }
}
