"""What PyMISP reads from a feed, as JSON. Arguments: the URL that a MISP instance is given."""

import json
import sys
import urllib.request

from pymisp import MISPEvent

(url,) = sys.argv[1:]


def fetch(name):
    with urllib.request.urlopen(f"{url}/{name}") as response:
        return response.headers["content-type"], response.read().decode()


manifest_type, manifest = fetch("manifest.json")
hashes_type, hashes = fetch("hashes.csv")
events, own_hashes, manifests, is_same = [], [], {}, []
for uuid in json.loads(manifest):
    raw = json.loads(fetch(f"{uuid}.json")[1])
    event = MISPEvent()
    event.from_dict(**raw["Event"])
    events.append(event)
    manifests.update(json.loads(json.dumps(event.manifest, default=str)))
    listed = [each for each in event.attributes if not each.deleted]
    own_hashes += [f"{each.hash_values('md5')[0]},{event.uuid}" for each in listed]
    # As PyMISP itself would write the feed.
    written = json.loads(json.dumps(event.to_feed(), default=str))["Event"]
    is_same.append([each["uuid"] for each in written["Attribute"]] == [each["uuid"] for each in raw["Event"]["Attribute"]])


def refuses(wrong):
    try:
        MISPEvent().add_attribute(**wrong)
    except Exception:
        return True
    return False


print(
    json.dumps(
        {
            "types": [manifest_type, hashes_type],
            "manifest": json.loads(manifest),
            "manifests": manifests,
            "hashes": sorted(hashes.splitlines()),
            "own_hashes": sorted(own_hashes),
            "is_same": is_same,
            "events": [
                {
                    "uuid": event.uuid,
                    "info": event.info,
                    "timestamp": int(event.timestamp.timestamp()),
                    "attributes": [
                        {
                            "uuid": each.uuid,
                            "type": each.type,
                            "value": each.value,
                            "to_ids": each.to_ids,
                            "deleted": bool(each.deleted),
                            "timestamp": int(each.timestamp.timestamp()),
                        }
                        for each in event.attributes
                    ],
                }
                for event in events
            ],
            # A negative control: wrong data must be rejected.
            "refused": [refuses({"type": "ip-source", "value": "192.0.2.1"}), refuses({"type": "ip-src", "value": None})],
        }
    )
)
