//! Which addresses are public: what strangers may name.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is no public one, completing "the address … is"; `None` for one that is.
pub(crate) fn not_public(ip: IpAddr) -> Option<&'static str> {
    match ip {
        IpAddr::V4(ip) => not_public_v4(ip),
        IpAddr::V6(ip) => not_public_v6(ip),
    }
}

/// Why an IPv4 address is no public one, after IANA's special-purpose registry.
fn not_public_v4(ip: Ipv4Addr) -> Option<&'static str> {
    Some(match ip.octets() {
        // The metadata services of the clouds hand credentials to whoever asks. One of them
        // (168.63.129.16) has a public address, others lie in ranges refused anyway.
        [169, 254, 169, 254] | [100, 100, 100, 200] | [192, 0, 0, 192] | [168, 63, 129, 16] => {
            "a metadata service"
        }
        // Connecting to 0.0.0.0 reaches this machine.
        [0, ..] => "unspecified",
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => "private",
        [100, 64..=127, ..] => "behind a carrier's NAT",
        [127, ..] => "loopback",
        [169, 254, ..] => "link-local",
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => "for documentation",
        [198, 18 | 19, ..] => "for benchmarks",
        [224..=239, ..] => "multicast",
        // Protocol assignments, the relays of 6to4, and the future use that never came.
        [192, 0, 0, _] | [192, 88, 99, _] | [240..=255, ..] => "reserved",
        _ => return None,
    })
}

/// Why an IPv6 address is no public one. Only 2000::/3 is global; the rest need not be listed.
fn not_public_v6(ip: Ipv6Addr) -> Option<&'static str> {
    let v4 = |high: u16, low: u16| {
        not_public_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
    };
    Some(match ip.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => "unspecified",
        [0, 0, 0, 0, 0, 0, 0, 1] => "loopback",
        // A translator or tunnel carries these to the IPv4 address inside, so that one counts:
        // IPv4-mapped, NAT64 (as public IPv4 looks on a network with IPv6 alone), 6to4.
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => return v4(high, low),
        // IPv4-compatible, and Teredo with its server and its inverted client: given up long ago,
        // and so refused in any case.
        [0, 0, 0, 0, 0, 0, high, low] => v4(high, low).unwrap_or("reserved"),
        [0x2001, 0, high, low, _, _, client_high, client_low] => {
            v4(high, low).or_else(|| v4(!client_high, !client_low)).unwrap_or("reserved")
        }
        [0x2001, 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => "for documentation",
        [0x2001, 2, 0, ..] => "for benchmarks",
        // Protocol assignments, 2001::/23.
        [0x2001, 0..=0x01ff, ..] => "reserved",
        [0x2000..=0x3fff, ..] => return None,
        // Two clouds keep their metadata service here.
        [0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x254] | [0xfd20, 0x00ce, 0, 0, 0, 0, 0, 0x254] => {
            "a metadata service"
        }
        [0xfc00..=0xfdff, ..] => "unique-local",
        [0xfe80..=0xfebf, ..] => "link-local",
        [0xff00..=0xffff, ..] => "multicast",
        _ => "reserved",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_not_public_are_told_apart() {
        let refused = [
            ("unspecified", "0.0.0.0 0.1.2.3 :: ::2 64:ff9b:: 2002:: 2001::808:808"),
            (
                "loopback",
                "127.0.0.1 127.255.255.254 ::1 ::127.0.0.1 ::ffff:127.0.0.1 64:ff9b::127.0.0.1 \
                 2002:7f00:1::1 2001:0:7f00:1:: 2001:0:808:808:0:0:80ff:fffe",
            ),
            (
                "private",
                "10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255 \
                 ::10.0.0.1 ::ffff:10.0.0.1 64:ff9b::10.0.0.1 2002:a00:1:: 2002:c0a8:101:1::1",
            ),
            ("behind a carrier's NAT", "100.64.0.0 100.127.255.255 ::ffff:100.64.0.1"),
            ("link-local", "169.254.0.1 169.254.255.255 fe80::1 febf::1"),
            ("unique-local", "fc00::1 fd12:3456::1 fdff::1"),
            (
                "a metadata service",
                "169.254.169.254 100.100.100.200 168.63.129.16 192.0.0.192 \
                 ::ffff:169.254.169.254 64:ff9b::169.254.169.254 2002:a9fe:a9fe:: \
                 fd00:ec2::254 fd20:ce::254",
            ),
            (
                "for documentation",
                "192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1 3fff:fff::1",
            ),
            ("for benchmarks", "198.18.0.0 198.19.255.255 2001:2::1"),
            ("multicast", "224.0.0.1 239.255.255.255 ff02::1 ff0e::1"),
            (
                "reserved",
                "192.0.0.8 192.88.99.1 240.0.0.1 255.255.255.255 ::8.8.8.8 ::ffff:0:127.0.0.1 \
                 64:ff9b:1::8.8.8.8 64:ff9b:0:1::8.8.8.8 100::1 2001:0:808:808:0:0:f7f7:f7f7 \
                 2001:10::1 2001:1ff:ffff::1 4000::1 5f00::1 fe00::1 fec0::1",
            ),
        ];
        for (what, addresses) in refused {
            for ip in addresses.split(' ') {
                let objection = not_public(ip.parse().unwrap());
                assert_eq!(objection, Some(what), "{ip}");
            }
        }
        let public = "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 \
             126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 \
             192.0.1.1 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 \
             ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2001:200::1 2001:4860:4860::8888 2002:808:808::1 \
             2606:4700::1111 3ffe::1 3fff:1000::1";
        for ip in public.split(' ') {
            let objection = not_public(ip.parse().unwrap());
            assert_eq!(objection, None, "{ip}");
        }
    }
}
