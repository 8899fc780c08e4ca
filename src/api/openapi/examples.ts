// Written by "npm run examples" from a real server's answers, which test/api/openapi/examples.test.ts compares them with.

/** Bodies that are no JSON, by type, and answers by status and type. */
export interface OperationExamples {
  readonly bodies?: Readonly<Record<string, string>>;
  readonly answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** By operation id. */
export const EXAMPLES: Readonly<Record<string, OperationExamples>> = {
  "createRuleset": {
    "answers": {
      "201": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11",
          "name": "Offices",
          "purpose": "allowlist",
          "description": "",
          "total_rules": 0,
          "active_rules": 0,
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
        },
      },
    },
  },
  "addRule": {
    "answers": {
      "200": {
        "application/json": {
          "action": "updated",
          "rule": {
            "ip": "203.0.113.0/24",
            "name": "office",
            "expires_at": "2027-01-20T12:00:00.000Z",
            "created_at": "2026-11-21T12:00:00.000Z",
            "updated_at": "2026-11-21T12:00:00.000Z",
          },
        },
      },
      "201": {
        "application/json": {
          "action": "created",
          "rule": {
            "ip": "203.0.113.0/24",
            "name": "office",
            "expires_at": "2026-12-21T12:00:00.000Z",
            "created_at": "2026-11-21T12:00:00.000Z",
            "updated_at": "2026-11-21T12:00:00.000Z",
          },
        },
      },
    },
  },
  "listRules": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            { "ip": "198.51.100.7", "name": "scanner", "expires_at": null, "created_at": "2026-11-21T12:00:00.000Z", "updated_at": "2026-11-21T12:00:00.000Z" },
            {
              "ip": "203.0.113.0/24",
              "name": "office",
              "expires_at": "2027-01-20T12:00:00.000Z",
              "created_at": "2026-11-21T12:00:00.000Z",
              "updated_at": "2026-11-21T12:00:00.000Z",
            },
          ],
          "count": 2,
          "next": null,
          "prev": null,
        },
        "text/plain": "198.51.100.7\n203.0.113.0/24\n",
        "text/csv": "ip,name,expires_at\n198.51.100.7,scanner,\n203.0.113.0/24,office,2027-01-20T12:00:00.000Z\n",
        "application/x-ndjson": "{\"ip\":\"198.51.100.7\",\"name\":\"scanner\",\"expires_at\":null,\"created_at\":\"2026-11-21T12:00:00.000Z\",\"updated_at\":\"2026-11-21T12:00:00.000Z\"}\n{\"ip\":\"203.0.113.0/24\",\"name\":\"office\",\"expires_at\":\"2027-01-20T12:00:00.000Z\",\"created_at\":\"2026-11-21T12:00:00.000Z\",\"updated_at\":\"2026-11-21T12:00:00.000Z\"}\n",
      },
    },
  },
  "exportRules": {
    "answers": {
      "200": {
        "text/plain": "198.51.100.7\n203.0.113.0/24\n",
        "text/csv": "ip,name,expires_at\n198.51.100.7,scanner,\n203.0.113.0/24,office,2027-01-20T12:00:00.000Z\n",
        "application/x-ndjson": "{\"ip\":\"198.51.100.7\",\"name\":\"scanner\",\"expires_at\":null,\"created_at\":\"2026-11-21T12:00:00.000Z\",\"updated_at\":\"2026-11-21T12:00:00.000Z\"}\n{\"ip\":\"203.0.113.0/24\",\"name\":\"office\",\"expires_at\":\"2027-01-20T12:00:00.000Z\",\"created_at\":\"2026-11-21T12:00:00.000Z\",\"updated_at\":\"2026-11-21T12:00:00.000Z\"}\n",
      },
    },
  },
  "listRulesets": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            {
              "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11",
              "name": "Offices",
              "purpose": "allowlist",
              "description": "",
              "total_rules": 2,
              "active_rules": 2,
              "created_at": "2026-11-21T12:00:00.000Z",
              "updated_at": "2026-11-21T12:00:00.000Z",
            },
          ],
          "count": 2,
          "next": null,
          "prev": "https://lists.example.org/v1/edl/ip-rulesets/?purpose=allowlist&page=1&page_size=1",
        },
      },
    },
  },
  "getRuleset": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11",
          "name": "Offices",
          "purpose": "allowlist",
          "description": "",
          "total_rules": 2,
          "active_rules": 2,
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
        },
      },
    },
  },
  "getRule": {
    "answers": {
      "200": {
        "application/json": {
          "ip": "203.0.113.0/24",
          "name": "office",
          "expires_at": "2027-01-20T12:00:00.000Z",
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
        },
      },
    },
  },
  "checkRules": {
    "answers": {
      "200": {
        "application/json": {
          "ip": "203.0.113.7",
          "matched": true,
          "rule": {
            "ip": "203.0.113.0/24",
            "name": "office",
            "expires_at": "2027-01-20T12:00:00.000Z",
            "created_at": "2026-11-21T12:00:00.000Z",
            "updated_at": "2026-11-21T12:00:00.000Z",
          },
          "covering": [
            {
              "ip": "203.0.113.0/24",
              "name": "office",
              "expires_at": "2027-01-20T12:00:00.000Z",
              "created_at": "2026-11-21T12:00:00.000Z",
              "updated_at": "2026-11-21T12:00:00.000Z",
            },
          ],
        },
      },
    },
  },
  "updateRule": {
    "answers": {
      "200": {
        "application/json": { "ip": "203.0.113.0/24", "name": "office", "expires_at": null, "created_at": "2026-11-21T12:00:00.000Z", "updated_at": "2026-11-21T12:00:00.000Z" },
      },
    },
  },
  "batchRules": {
    "answers": {
      "200": {
        "application/json": {
          "results": [
            {
              "action": "skipped",
              "ip": "203.0.113.0/24",
              "rule": { "ip": "203.0.113.0/24", "name": "office", "expires_at": null, "created_at": "2026-11-21T12:00:00.000Z", "updated_at": "2026-11-21T12:00:00.000Z" },
            },
            { "action": "deleted", "ip": "198.51.100.7" },
          ],
        },
      },
    },
  },
  "deleteRule": { "answers": {} },
  "importRules": {
    "answers": { "200": { "application/json": { "created": 1, "updated": 0, "skipped": 0, "can_undo": true } } },
    "bodies": {
      "text/plain": "203.0.113.0/24\n198.51.100.7\n",
      "text/csv": "ip,name,expires_at\n203.0.113.0/24,office,2026-12-31T00:00:00Z\n198.51.100.7,,\n",
      "application/x-ndjson": "{\"ip\":\"203.0.113.0/24\",\"name\":\"office\"}\n{\"ip\":\"198.51.100.7\"}\n",
    },
  },
  "replaceRules": {
    "answers": { "200": { "application/json": { "added": 1, "updated": 0, "removed": 1, "unchanged": 0, "can_undo": true, "dry_run": false } } },
    "bodies": {
      "text/plain": "203.0.113.0/24\n198.51.100.7\n",
      "text/csv": "ip,name,expires_at\n203.0.113.0/24,office,2026-12-31T00:00:00Z\n198.51.100.7,,\n",
      "application/x-ndjson": "{\"ip\":\"203.0.113.0/24\",\"name\":\"office\"}\n{\"ip\":\"198.51.100.7\"}\n",
    },
  },
  "updateRuleset": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11",
          "name": "Branch offices",
          "purpose": "allowlist",
          "description": "",
          "total_rules": 1,
          "active_rules": 1,
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
        },
      },
    },
  },
  "deleteRuleset": { "answers": {} },
  "lookupCbs": {
    "answers": {
      "200": {
        "application/json": {
          "ip": "3.5.140.7",
          "found": true,
          "cidr": "3.5.140.0/22",
          "labels": ["Cloud > Amazon Web Services > By region > ap-northeast-2 > s3", "Cloud > Amazon Web Services > By service > s3 > ap-northeast-2"],
          "cbs_ids": ["/cloud/aws/by-region/ap-northeast-2/s3", "/cloud/aws/by-service/s3/ap-northeast-2"],
          "providers": ["aws"],
          "types": ["cloud"],
          "services": ["s3"],
          "regions": ["ap-northeast-2"],
          "matches": [
            {
              "provider": "aws",
              "type": "cloud",
              "service": "s3",
              "region": "ap-northeast-2",
              "cidr": "3.5.140.0/22",
              "cbs_id": "/cloud/aws/by-region/ap-northeast-2/s3",
              "label": "Cloud > Amazon Web Services > By region > ap-northeast-2 > s3",
              "source": null,
              "source_updated_at": null,
            },
            {
              "provider": "aws",
              "type": "cloud",
              "service": "s3",
              "region": "ap-northeast-2",
              "cidr": "3.5.140.0/22",
              "cbs_id": "/cloud/aws/by-service/s3/ap-northeast-2",
              "label": "Cloud > Amazon Web Services > By service > s3 > ap-northeast-2",
              "source": null,
              "source_updated_at": null,
            },
          ],
        },
      },
    },
  },
  "bulkLookupCbs": {
    "answers": {
      "200": {
        "application/json": {
          "1.1.1.1": {
            "ip": "1.1.1.1",
            "found": true,
            "cidr": "1.1.1.0/24",
            "labels": ["CDN > Cloudflare"],
            "cbs_ids": ["/cdn/cloudflare"],
            "providers": ["cloudflare"],
            "types": ["cdn"],
            "services": [],
            "regions": [],
            "matches": [
              {
                "provider": "cloudflare",
                "type": "cdn",
                "service": null,
                "region": null,
                "cidr": "1.1.1.0/24",
                "cbs_id": "/cdn/cloudflare",
                "label": "CDN > Cloudflare",
                "source": null,
                "source_updated_at": null,
              },
            ],
          },
          "203.0.113.0/24": { "ip": "203.0.113.0/24", "found": false, "cidr": null, "labels": [], "cbs_ids": [], "providers": [], "types": [], "services": [], "regions": [], "matches": [] },
        },
      },
    },
  },
  "getCbsNode": {
    "answers": {
      "200": {
        "application/json": {
          "id": "/cloud/aws",
          "name": "Amazon Web Services",
          "label": "Cloud > Amazon Web Services",
          "type": "cloud",
          "provider": "aws",
          "service": null,
          "region": null,
          "parent": "/cloud",
          "path": [{ "id": "/cloud", "name": "Cloud" }],
          "ipv4_count": 1,
          "ipv6_count": 0,
          "ipv4_addresses": 1024,
          "updated_at": "2026-06-17T00:00:00.000Z",
          "source_url": null,
          "sources": [],
          "children": [
            { "id": "/cloud/aws/by-region", "name": "By region", "ipv4_count": 1, "ipv6_count": 0, "ipv4_addresses": 1024, "has_children": true },
            { "id": "/cloud/aws/by-service", "name": "By service", "ipv4_count": 1, "ipv6_count": 0, "ipv4_addresses": 1024, "has_children": true },
          ],
        },
      },
    },
  },
  "listCbsRanges": {
    "answers": {
      "200": {
        "application/json": {
          "items": [{ "cidr": "1.1.1.0/24", "cbs_ids": ["/cdn/cloudflare"], "sources": [] }, { "cidr": "2606:4700::/32", "cbs_ids": ["/cdn/cloudflare"], "sources": [] }],
          "count": 2,
          "next": null,
          "prev": null,
        },
        "text/plain": "1.1.1.0/24\n2606:4700::/32\n",
        "text/csv": "cidr,cbs_ids\n1.1.1.0/24,/cdn/cloudflare\n2606:4700::/32,/cdn/cloudflare\n",
      },
    },
  },
  "searchCbs": {
    "answers": {
      "200": {
        "application/json": {
          "items": [{ "id": "/cdn/cloudflare", "name": "Cloudflare", "label": "CDN > Cloudflare", "type": "cdn", "provider": "cloudflare", "service": null, "region": null }],
          "count": 1,
          "next": null,
          "prev": null,
        },
      },
    },
  },
  "listCbsRegions": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            {
              "type": "cloud",
              "provider": "aws",
              "provider_name": "Amazon Web Services",
              "key": "ap-northeast-2",
              "name": "ap-northeast-2",
              "id": "/cloud/aws/by-region/ap-northeast-2",
              "ipv4_count": 1,
              "ipv6_count": 0,
              "ipv4_addresses": 1024,
            },
          ],
          "count": 1,
          "next": null,
          "prev": null,
        },
      },
    },
  },
  "listCbsServices": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            {
              "type": "cloud",
              "provider": "aws",
              "provider_name": "Amazon Web Services",
              "key": "s3",
              "name": "s3",
              "id": "/cloud/aws/by-service/s3",
              "ipv4_count": 1,
              "ipv6_count": 0,
              "ipv4_addresses": 1024,
            },
          ],
          "count": 1,
          "next": null,
          "prev": null,
        },
      },
    },
  },
  "listCbsProviders": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            {
              "type": "cdn",
              "provider": "cloudflare",
              "provider_name": "Cloudflare",
              "key": "cloudflare",
              "name": "Cloudflare",
              "id": "/cdn/cloudflare",
              "ipv4_count": 1,
              "ipv6_count": 1,
              "ipv4_addresses": 256,
            },
          ],
          "count": 2,
          "next": "https://lists.example.org/v1/cbs/providers?page_size=1&page=2",
          "prev": null,
        },
      },
    },
  },
  "lookupIp": {
    "answers": {
      "200": {
        "application/json": {
          "ip": "192.0.2.2",
          "seen": true,
          "spoofable": false,
          "classification": "malicious",
          "actor": "Example Botnet",
          "tags": ["sample", "ssh-bruteforce", "telnet-bruteforce"],
        },
      },
    },
  },
  "extendedLookupIp": {
    "answers": {
      "200": {
        "application/json": {
          "ip": "192.0.2.2",
          "seen": true,
          "spoofable": false,
          "classification": "malicious",
          "actor": "Example Botnet",
          "tags": ["sample", "ssh-bruteforce", "telnet-bruteforce"],
          "rdns": "",
          "first_seen": "2026-05-21",
          "last_seen": "2026-06-16",
          "active_days": 4,
          "tag_ids": ["sample-1", "sample-2"],
          "cve": [],
          "src": {
            "asn": { "number": 64496, "name": "Example Hosting" },
            "geo": { "country": { "code": "NL", "name": "Netherlands" }, "continent": { "code": "EU", "name": "Europe" }, "city": "Amsterdam" },
          },
          "network": { "ports": [22, 23, 2222, 2323], "non_spoofable_ports": [22, 23] },
          "fingerprints": { "muonfp": ["64240:2-4-8-1-3:1460:7"], "ja3": [], "ja4": ["t13d1516h2_8daaf6152771_02713d6af862"] },
          "http": { "path": [], "user_agent": [] },
        },
      },
    },
  },
  "bulkLookup": {
    "answers": {
      "200": {
        "application/json": { "203.0.113.7": { "seen": false, "spoofable": null }, "2001:db8::1": { "seen": false, "spoofable": null } },
        "application/x-ndjson": "{\"ip\":\"192.0.2.2\",\"seen\":true,\"spoofable\":false}\n{\"ip\":\"198.51.100.200\",\"seen\":true,\"spoofable\":null}\n",
      },
    },
    "bodies": { "text/plain": "192.0.2.2\n198.51.100.200\n", "application/x-ndjson": "{\"ip\":\"192.0.2.2\"}\n\"198.51.100.200\"\n" },
  },
  "bulkLookupAlias": {
    "answers": {
      "200": {
        "application/json": { "203.0.113.7": { "seen": false, "spoofable": null }, "2001:db8::1": { "seen": false, "spoofable": null } },
        "application/x-ndjson": "{\"ip\":\"192.0.2.2\",\"seen\":true,\"spoofable\":false}\n{\"ip\":\"198.51.100.200\",\"seen\":true,\"spoofable\":null}\n",
      },
    },
    "bodies": { "text/plain": "192.0.2.2\n198.51.100.200\n", "application/x-ndjson": "{\"ip\":\"192.0.2.2\"}\n\"198.51.100.200\"\n" },
  },
};
