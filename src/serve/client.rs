//! Who a request comes from, as far as the free allowance needs it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::http::HeaderMap;

/// A client: an IPv4 address, or the network of 64 bits that an IPv6 address is in, as one
/// subscriber usually has all of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Client {
    V4(Ipv4Addr),
    V6(u64),
}

impl Client {
    fn of(address: IpAddr) -> Client {
        match address.to_canonical() {
            IpAddr::V4(address) => Client::V4(address),
            IpAddr::V6(address) => Client::V6((address.to_bits() >> 64) as u64),
        }
    }
}

/// The client of a request: the other end of the connection, or, where a proxy stands before us,
/// whom the proxy names.
pub(crate) fn client(peer: SocketAddr, headers: &HeaderMap, trust_proxy: bool) -> Client {
    let named = trust_proxy.then(|| named_by_proxy(headers)).flatten();
    Client::of(named.unwrap_or(peer.ip()))
}

/// The address that the nearest proxy added, which is the last of its header: all before it may
/// come from the client. A header that the proxy does not set comes from the client as a whole, so
/// where both are there and differ, neither is believed.
fn named_by_proxy(headers: &HeaderMap) -> Option<IpAddr> {
    let last = |name: &str| {
        let value = headers.get_all(name).iter().next_back()?.to_str().ok()?;
        Some(value.rsplit(',').next().unwrap_or(value))
    };
    let forwarded = last("forwarded").map(|element| {
        let mut pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
        let (_, node) = pairs.find(|(name, _)| name.eq_ignore_ascii_case("for"))?;
        address(node.trim().trim_matches('"'))
    });
    let x_forwarded_for = last("x-forwarded-for").map(|node| address(node.trim()));
    match (forwarded, x_forwarded_for) {
        (Some(one), Some(other)) => one.filter(|one| Some(*one) == other),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => None,
    }
}

/// An address as both headers write it: `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]:80`, `2001:db8::1`
/// (RFC 7239 §6).
fn address(node: &str) -> Option<IpAddr> {
    if let Ok(address) = node.parse() {
        return Some(address);
    }
    if let Ok(address) = node.parse::<SocketAddr>() {
        return Some(address.ip());
    }
    node.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn seen(headers: &[(&'static str, &str)], trust_proxy: bool) -> Client {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        client("198.51.100.9:1234".parse().unwrap(), &map, trust_proxy)
    }

    fn v4(address: &str) -> Client {
        Client::V4(address.parse().unwrap())
    }

    #[test]
    fn headers_count_only_behind_a_proxy() {
        let headers = [("x-forwarded-for", "192.0.2.1")];
        assert_eq!(seen(&headers, false), v4("198.51.100.9"));
        assert_eq!(seen(&headers, true), v4("192.0.2.1"));
        assert_eq!(seen(&[], true), v4("198.51.100.9"));
    }

    #[test]
    fn the_last_address_is_the_proxys() {
        let forged = [("x-forwarded-for", "203.0.113.7, 192.0.2.1")];
        assert_eq!(seen(&forged, true), v4("192.0.2.1"));
        let twice = [("x-forwarded-for", "203.0.113.7"), ("x-forwarded-for", "192.0.2.1:99")];
        assert_eq!(seen(&twice, true), v4("192.0.2.1"));
        let forwarded = [("forwarded", "for=203.0.113.7, proto=https;For=\"192.0.2.1:4711\"")];
        assert_eq!(seen(&forwarded, true), v4("192.0.2.1"));
    }

    #[test]
    fn headers_that_differ_are_not_believed() {
        let differ = [("forwarded", "for=203.0.113.7"), ("x-forwarded-for", "192.0.2.1")];
        assert_eq!(seen(&differ, true), v4("198.51.100.9"));
        let agree = [("forwarded", "for=192.0.2.1"), ("x-forwarded-for", "192.0.2.1")];
        assert_eq!(seen(&agree, true), v4("192.0.2.1"));
        assert_eq!(seen(&[("x-forwarded-for", "unknown")], true), v4("198.51.100.9"));
    }

    #[test]
    fn ipv6_counts_by_its_network() {
        let one = seen(&[("x-forwarded-for", "2001:db8:1:2::1")], true);
        let other = seen(&[("forwarded", "for=\"[2001:db8:1:2:ffff::9]:80\"")], true);
        assert_eq!(one, other);
        assert_ne!(one, seen(&[("x-forwarded-for", "2001:db8:1:3::1")], true));
        assert_eq!(seen(&[("x-forwarded-for", "::ffff:192.0.2.1")], true), v4("192.0.2.1"));
    }
}
