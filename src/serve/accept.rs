//! What a client likes to get, where there is a choice (RFC 9110 §12.5.1).

use axum::http::{HeaderMap, header};

/// Whether a client asks for JSON by name, and does not like HTML as much or better. Browsers ask
/// for HTML by name; whoever takes anything gets what people can read.
pub(crate) fn prefers_json(headers: &HeaderMap) -> bool {
    let quality = |wanted: &str| {
        let values = headers.get_all(header::ACCEPT).iter();
        let ranges = values.filter_map(|value| value.to_str().ok()).flat_map(|v| v.split(','));
        let qualities = ranges.filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let is_wanted = parts.next()?.eq_ignore_ascii_case(wanted);
            let quality = parts.find_map(|part| {
                let (name, value) = part.split_once('=')?;
                name.trim().eq_ignore_ascii_case("q").then(|| value.trim().parse().ok())?
            });
            is_wanted.then_some(quality.unwrap_or(1.0_f32))
        });
        qualities.fold(0.0, f32::max)
    };
    let json = quality("application/json");
    json > 0.0 && json > quality("text/html")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn json(accept: &[&'static str]) -> bool {
        let mut headers = HeaderMap::new();
        for value in accept {
            headers.append(header::ACCEPT, HeaderValue::from_static(value));
        }
        prefers_json(&headers)
    }

    #[test]
    fn json_is_for_those_who_name_it() {
        assert!(json(&["application/json"]));
        assert!(json(&["Application/JSON; q=0.5, */*"]));
        assert!(json(&["application/json, text/plain, */*"]));
        assert!(json(&["text/html;q=0.5", "application/json"]));
        assert!(!json(&[]));
        assert!(!json(&["*/*"]));
        assert!(!json(&["application/json;q=0"]));
        assert!(!json(&["text/html, application/json"]));
        assert!(!json(&[
            "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
        ]));
        assert!(!json(&["application/jsonx", "x; q"]));
    }
}
