"""Reads lines of lists with Python's ipaddress, by a grammar of its own: what a line lists, or that it must be refused.

Standard input: a line of a list as a JSON string per line. Standard output: per line, a JSON list of prefixes or null.
"""

import ipaddress
import json
import re
import sys

BLANK = " \t"
MAPPED = ipaddress.ip_network("::ffff:0:0/96")
NETMASKS = {str(ipaddress.ip_network(f"0.0.0.0/{n}").netmask) for n in range(33)}
WILDCARDS = {str(ipaddress.ip_network(f"0.0.0.0/{n}").hostmask) for n in range(33)}


class Refused(Exception):
    pass


def address(text):
    try:
        # Without a zone: the library accepts %eth0.
        found = ipaddress.ip_address(text) if "%" not in text else None
    except ValueError:
        found = None
    if found is None:
        raise Refused
    return getattr(found, "ipv4_mapped", None) or found


def networks(text):
    """What an entry lists."""
    if "/" in text:
        ip, _, length = text.partition("/")
        if "-" in text or not re.fullmatch(r"0|[1-9][0-9]*", length, re.A):
            raise Refused
        address(ip)
        try:
            found = ipaddress.ip_network(text)  # strict: no host bits
        except ValueError:
            raise Refused
        if found.version == 6 and found.prefixlen > 96 and found.subnet_of(MAPPED):
            return [ipaddress.ip_network((found.network_address.ipv4_mapped, found.prefixlen - 96))]
        if found.version == 6 and found.prefixlen > 0 and MAPPED.subnet_of(found):
            raise Refused
        return [found]
    if "-" in text:
        first, last = (address(part.strip(BLANK)) for part in text.split("-", 1))
        if first.version != last.version or last < first:
            raise Refused
        found = list(ipaddress.summarize_address_range(first, last))
        if found[0].prefixlen == 0 and first.version == 4 and ":" in text:
            raise Refused
        if found[0].prefixlen > 0 and any(each.version == 6 and each.overlaps(MAPPED) for each in found):
            raise Refused
        return found
    return [ipaddress.ip_network(address(text))]


def is_bare(text):
    return "/" not in text and "-" not in text


def is_mask(text):
    found = address(text)
    if found.version == 6:
        bits = f"{int(found):0128b}"
        return bits.startswith("1" * 32) and "01" not in bits
    return str(found) in NETMASKS | WILDCARDS or str(found).split(".")[0] in ("0", "255")


def read(line):
    # A comment begins at the first mark that is not within quotes; here, only entries stand in quotes.
    content, quoted = "", False
    for at, character in enumerate(line):
        if character == '"':
            quoted = not quoted
        if not quoted and (character in "#;" or line.startswith("//", at)):
            if line.startswith("//", at) and re.match(r"[0-9]{1,3}(?![0-9A-Za-z])", line[at + 2 :], re.A):
                if content.strip(BLANK) and content[-1] not in BLANK + ',"':
                    raise Refused
            break
        content += character
    if content.strip(BLANK) == "":
        return []
    fields = [field.strip(BLANK) for field in content.split(",")]
    fields = [field[1:-1] if len(field) > 1 and field[0] == field[-1] == '"' else field for field in fields]
    groups = [re.split(r"(?<![- \t])[ \t]+(?![- \t])", field.strip(BLANK)) for field in fields]
    items = [item for at, group in enumerate(groups) for item in group if item != "" or at == 0]
    # A count: one number alone behind an entry, after blanks, that cannot be its length.
    others = [field for field in fields[1:] if field != ""]
    if len(groups[0]) == 2 and not others and re.fullmatch(r"[0-9]{1,15}", items[1], re.A):
        found = networks(items[0])
        if is_bare(items[0]) and len(items[1]) <= 3:
            try:
                networks(f"{items[0]}/{int(items[1])}")
            except Refused:
                return found
            raise Refused
        return found
    found = [networks(item) for item in items]
    if len(items) > 1:
        bare = [is_bare(item) for item in items]
        if any(is_bare(item) and is_mask(item) for item in items):
            raise Refused
        if len(items) == 2 and all(bare):
            raise Refused
    return [network for each in found for network in each]


for line in sys.stdin:
    try:
        print(json.dumps([str(network) for network in read(json.loads(line))]))
    except Refused:
        print("null")
