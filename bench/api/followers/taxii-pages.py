"""Pages through a TAXII collection with OASIS's client. Arguments: URL, user name, password, the page's length.

Prints, as JSON, the number of indicators, the seconds of all pages, and those of parsing their JSON.
"""

import json
import sys
import time

import requests
from taxii2client.v21 import Server, as_pages

url, user, password, page = sys.argv[1:]
parsing = 0.0
parse = requests.Response.json


def timed(self, **options):
    global parsing
    start = time.perf_counter()
    try:
        return parse(self, **options)
    finally:
        parsing += time.perf_counter() - start


requests.Response.json = timed
collection = Server(url, user=user, password=password).default.collections[0]
count = 0
start = time.perf_counter()
parsing = 0.0
for found in as_pages(collection.get_objects, per_request=int(page)):
    count += sum(each["type"] == "indicator" for each in found.get("objects", []))
print(json.dumps({"indicators": count, "seconds": time.perf_counter() - start, "parsing": parsing}))
