"""What schemathesis cannot learn from the API document: formats of addresses, valid times, and which texts are lists."""

import ipaddress
import json
from datetime import datetime, timezone

import schemathesis
from hypothesis import strategies as st


def network(bits, of):
    """Prefixes without host bits."""
    parts = st.tuples(st.integers(0, 2**bits - 1), st.integers(0, bits))
    return parts.map(lambda part: str(of((part[0] >> (bits - part[1]) << (bits - part[1]), part[1]))))


# Few addresses, so that rules coincide; addresses that map or embed IPv4 have tests of their own.
few = st.integers(0, 7).map(lambda last: f"192.0.2.{last}")
ipv4 = st.integers(0, 2**32 - 1).map(lambda value: str(ipaddress.IPv4Address(value)))
ipv6 = st.integers(2**125, 2**128 - 1).map(lambda value: str(ipaddress.IPv6Address(value)))
address = st.one_of(few, ipv4, ipv6)
mapped = ipaddress.IPv6Network("::ffff:0:0/96")
# A prefix that covers the mapped block is rejected, as the document says in prose.
networks6 = network(128, ipaddress.IPv6Network).filter(lambda text: not mapped.overlaps(ipaddress.IPv6Network(text)))
prefix = st.one_of(address, network(32, ipaddress.IPv4Network), networks6)
schemathesis.openapi.format("ip-address", address)
schemathesis.openapi.format("ip-prefix", prefix)

# From 1970 to 9999, as the document says in prose.
LAST = int(datetime(9999, 12, 31, tzinfo=timezone.utc).timestamp())
times = st.integers(0, LAST).map(lambda seconds: datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"))
schemathesis.openapi.format("date-time", times)


@schemathesis.serializer("application/x-ndjson")
def lines(_context, value):
    return value if isinstance(value, bytes) else str(value).encode()


def listed(media_type, ips):
    """A list in one of the forms that bodies may have; None for other media types."""
    if media_type == "text/plain":
        return "\n".join(ips)
    if media_type == "text/csv":
        return "\n".join(["ip", *ips])
    if media_type == "application/x-ndjson":
        return "\n".join(json.dumps({"ip": ip}) for ip in ips)
    return None


@schemathesis.hook
def map_case(_context, case):
    """Applies what the document says in prose: texts are lists; some parameters are exclusive or come from a response."""
    text = listed(case.media_type, [f"198.51.100.{last}" for last in range(len(str(case.body)) % 5 + 1)])
    if text is not None:
        case.body = text
    together(case.query or {})
    # Sequences pass on the addresses of rules, which may be prefixes.
    ip = (case.path_parameters or {}).get("ip")
    if isinstance(ip, str):
        case.path_parameters["ip"] = ip.replace("%2F", "/").split("/")[0]
    return case


def together(query):
    # The document does not say which catalogues existed; values that it forbids stay.
    if isinstance(query.get("as_of"), str) and len(query["as_of"]) <= 40:
        query.pop("as_of")
    if "cursor" in query:
        query["cursor"] = ""
        query.pop("page", None)
    if "expires_at" in query:
        query.pop("expires_in_days", None)
    if query.get("format") not in ("ipset", "nftables"):
        query.pop("set_name", None)
    # With this parameter, invalid rules are left out and counted, within a 200.
    if query.get("skip_invalid") in (True, "true"):
        query["skip_invalid"] = "false"


@schemathesis.hook.apply_to(operation_id=["replaceRules", "importRules"])
def map_body(_context, body):
    """A list contains each prefix only once, which a schema cannot express."""
    if isinstance(body, dict) and isinstance(body.get("rules"), list):
        body["rules"] = list({json.dumps(rule.get("ip")) if isinstance(rule, dict) else str(at): rule for at, rule in enumerate(body["rules"])}.values())
    return body
