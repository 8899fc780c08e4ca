# Answers each line of standard input, a text in hexadecimal, read as an address and as a prefix: for each its 16 bytes in hexadecimal or "-".
import ipaddress
import sys

MAPPED = 0xFFFF << 32


def number(address):
    return (MAPPED if address.version == 4 else 0) | int(address)


def address(text):
    try:
        return f"{number(ipaddress.ip_address(text)):032x}"
    except ValueError:
        return "-"


def prefix(text):
    try:
        network = ipaddress.ip_network(text, strict=True)
    except ValueError:
        return "-"
    return f"{number(network.network_address):032x}/{network.prefixlen + (96 if network.version == 4 else 0)}"


for line in sys.stdin:
    text = bytes.fromhex(line.strip()).decode("utf-8", "replace")
    print(address(text), prefix(text))
