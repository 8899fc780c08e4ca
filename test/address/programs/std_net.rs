// Answers each line of standard input, a text in hexadecimal: its 16 bytes in hexadecimal or "-", then "?" for the missing prefix parser.
use std::io::{BufRead, BufWriter, Write};
use std::net::IpAddr;

fn answer(text: &[u8]) -> String {
    let parsed = std::str::from_utf8(text).ok().and_then(|text| text.parse::<IpAddr>().ok());
    let octets = match parsed {
        None => return "-".to_string(),
        Some(IpAddr::V4(address)) => address.to_ipv6_mapped().octets(),
        Some(IpAddr::V6(address)) => address.octets(),
    };
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}

fn main() {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let text: Vec<u8> = (0..line.len() / 2).map(|at| u8::from_str_radix(&line[2 * at..2 * at + 2], 16).unwrap()).collect();
        writeln!(out, "{} ?", answer(&text)).unwrap();
    }
}
