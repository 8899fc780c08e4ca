"""Prints what the vendor's builders know and build, as JSON: the fields with their types, and a query for every
operator of every field, with some that combine others."""

import json
import sys

from ellio_elq import and_, f, not_, or_, raw
from ellio_elq.fields_generated import FIELDS, TYPE_OPERATORS

VALUES = {
    "bool": True,
    "country": "DE",
    "date": "2026-06-01",
    "fingerprint": "64240:2-4-8-1-3:1460:7",
    "float": 50.5,
    "int": 64496,
    "ip": "192.0.2.0/24",
    "keyword": "Example Hosting",
    "mitre": "T1595",
    "port": 22,
    "text": "ssh-bruteforce",
}
METHODS = {
    ":": "term", "!:": "not_term", "~:": "match", "!~:": "not_match", "=": "eq", "!=": "ne",
    ">": "gt", ">=": "gte", "<": "lt", "<=": "lte",
}


def queries():
    for name, meta in FIELDS.items():
        field = f(name)
        spec = TYPE_OPERATORS[meta["type"]]
        value = meta["enum"][0] if meta["enum"] else VALUES[meta["type"]]
        value = True if meta["type"] == "bool" else value
        for operator in spec["operators"]:
            if operator in METHODS:
                yield getattr(field, METHODS[operator])(value)
            elif operator == "IN":
                yield field.in_(value, value)
            elif operator == "range":
                one = "192.0.2.0" if meta["type"] == "ip" else value
                yield field.range(one, one)
            else:
                yield getattr(field, operator)()
        if spec["relative_time"]:
            for time in ("7d", "024h", "2w", "6m", "1y"):
                yield field.within(time)
        if spec["wildcards"]:
            yield field.term("*a*")
    malicious = f("classification").term("malicious")
    places = or_(f("src.geo.country.code").term("NL"), f("src.geo.country.code").term("SE"))
    yield and_(malicious, places, not_(f("spoofable").term(True)), f("network.port").in_(22, 23))
    yield or_(and_(malicious, f("seen").term(True)), f("tag").term("pa'ss"), f("tag").term('pa"ss'))
    yield not_(or_(malicious, not_(places)))
    yield and_(raw("192.0.2.2 OR AS64496 OR cve-2021-44228"), f("seen").term(True))
    for text in ("AND", "7d", "07d", "23", "true", "2026-06-01", "1.2.3.4", "1.2.3.4/33", "(a)", "[a", "a,b", "a]b", "Größe"):
        yield f("tag").term(text)


json.dump(
    {
        "fields": list(FIELDS.values()),
        "operators": {name: spec["operators"] for name, spec in TYPE_OPERATORS.items()},
        "queries": [str(query) for query in queries()],
    },
    sys.stdout,
)
