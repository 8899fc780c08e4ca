"""What OASIS's clients read from a TAXII server, as JSON. Arguments: URL, user name, password, the page's length."""

import json
import sys
import uuid

import stix2
import stix2validator
from taxii2client.v21 import Server, as_pages

url, user, password, page = sys.argv[1:]
server = Server(url, user=user, password=password)
collection = server.default.collections[0]
pages = list(as_pages(collection.get_objects, per_request=int(page)))
objects = [each for found in pages for each in found.get("objects", [])]
manifest = [
    each for found in as_pages(collection.get_manifest, per_request=int(page)) for each in found.get("objects", [])
]
source = stix2.TAXIICollectionSource(collection)
revoked = [each["id"] for each in objects if each.get("revoked", False)]


def errors_of(them):
    bundle = {"type": "bundle", "id": f"bundle--{uuid.uuid4()}", "objects": them}
    result = stix2validator.validate_instance(bundle, stix2validator.ValidationOptions(version="2.1"))
    return [str(each) for each in result.errors]


# Negative controls: errors must be found.
ends_before_it_begins = dict(objects[-1], valid_until="2001-01-01T00:00:00.000Z")
no_pattern = dict(objects[-1], pattern="[ipv4-addr:value = ]")

print(
    json.dumps(
        {
            "title": collection.title,
            "pages": len(pages),
            "objects": objects,
            "manifest": [each["date_added"] for each in manifest],
            "versions": [len(collection.object_versions(each)["versions"]) for each in revoked],
            "patterns": sorted(each.pattern for each in source.query([stix2.Filter("type", "=", "indicator")])),
            "revoked": [each.revoked for each in (source.get(id) for id in revoked)],
            "errors": errors_of(objects),
            "controls": [len(errors_of([each])) for each in (ends_before_it_begins, no_pattern)],
        }
    )
)
