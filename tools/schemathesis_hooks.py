"""What schemathesis cannot know of the API document: the formats of addresses, which times there are, and bodies of lines."""

import ipaddress
from datetime import datetime, timezone

import schemathesis
from hypothesis import strategies as st

ipv4 = st.integers(0, 2**32 - 1).map(lambda value: str(ipaddress.IPv4Address(value)))
# Addresses that stand for IPv4 are written as such by some programs; what they are is tested elsewhere.
ipv6 = st.integers(2**125, 2**128 - 1).map(lambda value: str(ipaddress.IPv6Address(value)))
# So few that rules meet.
few = st.integers(0, 7).map(lambda last: f"192.0.2.{last}")
address = st.one_of(few, ipv4, ipv6)


def prefixes(bits, of):
    def prefix(pair):
        value, length = pair
        return str(of((value >> (bits - length) << (bits - length), length)))

    return st.tuples(st.integers(0, 2**bits - 1), st.integers(0, bits)).map(prefix)


schemathesis.openapi.format("ip-address", address)
schemathesis.openapi.format("ip-prefix", st.one_of(address, prefixes(32, ipaddress.IPv4Network), prefixes(128, ipaddress.IPv6Network)))

# From 1970 to 9999, as the document says in words.
times = st.integers(0, 253402300799).map(lambda seconds: datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"))
schemathesis.openapi.format("date-time", times)


@schemathesis.serializer("application/x-ndjson")
def lines(ctx, value):
    return value.encode() if isinstance(value, str) else b""
