// Written by "npm run examples" from the responses of a real server; test/api/openapi/examples.test.ts compares them
// with new responses.

/** Bodies other than JSON, by media type, and responses by status and media type. */
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
          "guard": "warn",
          "guard_classes": null,
          "never_block": false,
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
        "application/json": [
          { "ip": "198.51.100.7", "name": "scanner", "expires_at": null, "created_at": "2026-11-21T12:00:00.000Z", "updated_at": "2026-11-21T12:00:00.000Z" },
          {
            "ip": "203.0.113.0/24",
            "name": "office",
            "expires_at": "2027-01-20T12:00:00.000Z",
            "created_at": "2026-11-21T12:00:00.000Z",
            "updated_at": "2026-11-21T12:00:00.000Z",
          },
        ],
        "application/yaml": "apiVersion: cilium.io/v2alpha1\nkind: CiliumCIDRGroup\nmetadata:\n  name: offices\nspec:\n  externalCIDRs:\n  - \"198.51.100.7/32\"\n  - \"203.0.113.0/24\"\n",
        "text/dns": "$TTL 300\n@ SOA localhost. root.localhost. 1795262400 300 60 604800 300\n@ NS localhost.\n32.7.100.51.198.rpz-ip CNAME rpz-passthru.\n24.0.113.0.203.rpz-ip CNAME rpz-passthru.\n",
        "text/tab-separated-values": "#fields\tindicator\tindicator_type\tmeta.source\n198.51.100.7\tIntel::ADDR\toffices\n203.0.113.0/24\tIntel::SUBNET\toffices\n",
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
              "guard": "warn",
              "guard_classes": null,
              "never_block": false,
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
          "guard": "warn",
          "guard_classes": null,
          "never_block": false,
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
        "application/x-ndjson": "{\"ip\":\"203.0.113.7\",\"matched\":true,\"rule\":{\"ip\":\"203.0.113.0/24\",\"name\":\"office\",\"expires_at\":\"2027-01-20T12:00:00.000Z\",\"created_at\":\"2026-11-21T12:00:00.000Z\",\"updated_at\":\"2026-11-21T12:00:00.000Z\"},\"covering\":[{\"ip\":\"203.0.113.0/24\",\"name\":\"office\",\"expires_at\":\"2027-01-20T12:00:00.000Z\",\"created_at\":\"2026-11-21T12:00:00.000Z\",\"updated_at\":\"2026-11-21T12:00:00.000Z\"}]}\n{\"ip\":\"192.0.2.1\",\"matched\":false,\"rule\":null,\"covering\":[]}\n",
      },
    },
    "bodies": { "text/plain": "203.0.113.7\n192.0.2.1\n", "application/x-ndjson": "{\"ip\":\"203.0.113.7\"}\n\"192.0.2.1\"\n" },
  },
  "explainAddresses": {
    "answers": {
      "200": {
        "application/json": {
          "ip": "203.0.113.7",
          "decision": "allow",
          "next_change_at": "2027-01-20T12:00:00.000Z",
          "rulesets": [
            {
              "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11",
              "name": "Offices",
              "purpose": "allowlist",
              "decided_by": "203.0.113.0/24",
              "next_change_at": "2027-01-20T12:00:00.000Z",
              "covered_until": "2027-01-20T12:00:00.000Z",
              "rules": [
                {
                  "ip": "203.0.113.0/24",
                  "name": "office",
                  "expires_at": "2027-01-20T12:00:00.000Z",
                  "created_at": "2026-11-21T12:00:00.000Z",
                  "updated_at": "2026-11-21T12:00:00.000Z",
                  "role": "decides",
                  "added_by": { "kind": "key", "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a12", "name": "test" },
                  "updated_by": { "kind": "key", "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a12", "name": "test" },
                },
              ],
            },
          ],
          "deployments": [],
          "contradicted_by": [],
          "cbs": {
            "ip": "203.0.113.7",
            "found": false,
            "cidr": null,
            "primary": null,
            "labels": [],
            "cbs_ids": [],
            "providers": [],
            "types": [],
            "services": [],
            "regions": [],
            "matches": [],
          },
          "cti": { "ip": "203.0.113.7", "seen": false, "spoofable": null, "classification": "unknown", "actor": "", "tags": [] },
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
  "searchRules": {
    "answers": {
      "200": {
        "application/json": {
          "count": 1,
          "rulesets": [{ "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11", "name": "Offices", "purpose": "allowlist", "count": 1 }],
          "items": [
            {
              "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11",
              "ip": "203.0.113.0/24",
              "name": "office",
              "expires_at": null,
              "created_at": "2026-11-21T12:00:00.000Z",
              "updated_at": "2026-11-21T12:00:00.000Z",
              "state": "active",
            },
          ],
        },
      },
    },
  },
  "getGuard": { "answers": { "200": { "application/json": { "guard_classes": null } } } },
  "updateGuard": { "answers": { "200": { "application/json": { "guard_classes": ["serving", "rented", "scanner"] } } } },
  "updateRuleset": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11",
          "name": "Branch offices",
          "purpose": "allowlist",
          "description": "",
          "guard": "warn",
          "guard_classes": null,
          "never_block": false,
          "total_rules": 1,
          "active_rules": 1,
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
        },
      },
    },
  },
  "listRulesetVersions": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            { "version": 24, "created_at": "2026-11-21T12:00:00.000Z", "change": "update-ruleset", "changed_rules": 0 },
            { "version": 22, "created_at": "2026-11-21T12:00:00.000Z", "change": "replace-rules", "changed_rules": 2 },
          ],
          "count": 16,
          "next": "https://lists.example.org/v1/edl/ip-rulesets/7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11/versions?page_size=2&page=2",
          "prev": null,
        },
      },
    },
  },
  "readSnapshot": {
    "answers": {
      "200": {
        "application/x-ndjson": "{\"feed\":\"b6f2c0deb6f2c0deb6f2c0deb6f2c0de\",\"sequence\":21}\n{\"ruleset\":{\"id\":\"7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11\",\"name\":\"Branch offices\",\"purpose\":\"allowlist\",\"description\":\"\"}}\n{\"ruleset_id\":\"7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11\",\"rule\":{\"ip\":\"203.0.113.0/24\",\"name\":\"office\",\"expires_at\":null,\"created_at\":\"2026-11-21T12:00:00.000Z\",\"updated_at\":\"2026-11-21T12:00:00.000Z\"}}\n{\"rules\":1}\n",
      },
    },
  },
  "listChanges": {
    "answers": {
      "200": {
        "application/json": {
          "feed": "b6f2c0deb6f2c0deb6f2c0deb6f2c0de",
          "sequence": 21,
          "next_after": 4,
          "changes": [
            {
              "sequence": 3,
              "at": "2026-11-21T11:59:59.000Z",
              "type": "key.created",
              "key": { "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a12", "label": "test", "access": "read_write", "expires_at": null },
            },
            {
              "sequence": 4,
              "at": "2026-11-21T12:00:00.000Z",
              "type": "ruleset.created",
              "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11",
              "ruleset": { "name": "Offices", "purpose": "allowlist", "description": "" },
            },
          ],
        },
        "application/x-ndjson": "{\"sequence\":21,\"at\":\"2026-11-21T12:00:00.000Z\",\"type\":\"ruleset.updated\",\"ruleset_id\":\"7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11\",\"ruleset\":{\"name\":\"Branch offices\",\"purpose\":\"allowlist\",\"description\":\"\"}}\n",
      },
    },
  },
  "compactRules": {
    "answers": {
      "200": {
        "application/json": {
          "added": 1,
          "updated": 0,
          "removed": 3,
          "unchanged": 1,
          "superfluous": 1,
          "superfluous_for_now": 0,
          "united": 1,
          "can_undo": true,
          "dry_run": true,
          "plan": {
            "added": [{ "ip": "198.51.100.0/24", "name": null, "expires_at": null, "created_at": "2026-11-21T12:00:00.000Z", "updated_at": "2026-11-21T12:00:00.000Z" }],
            "updated": [],
            "removed": [
              { "ip": "198.51.100.0/25", "name": null, "expires_at": null, "created_at": "2026-11-21T12:00:00.000Z", "updated_at": "2026-11-21T12:00:00.000Z" },
              { "ip": "198.51.100.128/25", "name": null, "expires_at": null, "created_at": "2026-11-21T12:00:00.000Z", "updated_at": "2026-11-21T12:00:00.000Z" },
              { "ip": "203.0.113.7", "name": null, "expires_at": null, "created_at": "2026-11-21T12:00:00.000Z", "updated_at": "2026-11-21T12:00:00.000Z" },
            ],
            "truncated": false,
            "redundant": [
              {
                "rule": { "ip": "203.0.113.7", "name": null, "expires_at": null, "created_at": "2026-11-21T12:00:00.000Z", "updated_at": "2026-11-21T12:00:00.000Z" },
                "covered_by": { "ip": "203.0.113.0/24", "name": "office", "expires_at": null, "created_at": "2026-11-21T12:00:00.000Z", "updated_at": "2026-11-21T12:00:00.000Z" },
                "until": null,
                "removed": true,
              },
            ],
          },
        },
      },
    },
  },
  "deleteRuleset": { "answers": {} },
  "listAudit": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            {
              "sequence": 87,
              "at": "2026-11-21T12:00:00.000Z",
              "actor": { "kind": "user", "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a13", "name": "ann@example.org" },
              "kind": "restore-rules",
              "action": "Undo a change of rules",
              "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
              "summary": "undid: changed 2 rules",
              "counts": { "created": 0, "updated": 2, "deleted": 0, "skipped": null },
              "sha256": null,
              "old": {
                "rules": [
                  {
                    "ip": "3.5.140.0/22",
                    "name": "backup",
                    "expires_at": "2027-06-30T00:00:00.000Z",
                    "created_at": "2026-11-21T12:00:00.000Z",
                    "updated_at": "2026-11-21T12:00:00.000Z",
                  },
                  {
                    "ip": "203.0.113.0/24",
                    "name": "office",
                    "expires_at": "2027-06-30T00:00:00.000Z",
                    "created_at": "2026-11-21T12:00:00.000Z",
                    "updated_at": "2026-11-21T12:00:00.000Z",
                  },
                ],
                "rule_count": 2,
              },
              "new": {
                "rules": [
                  {
                    "ip": "3.5.140.0/22",
                    "name": "backup",
                    "expires_at": "2026-11-26T12:00:00.000Z",
                    "created_at": "2026-11-21T12:00:00.000Z",
                    "updated_at": "2026-11-21T12:00:00.000Z",
                  },
                  {
                    "ip": "203.0.113.0/24",
                    "name": "office",
                    "expires_at": "2026-12-21T12:00:00.000Z",
                    "created_at": "2026-11-21T12:00:00.000Z",
                    "updated_at": "2026-11-21T12:00:00.000Z",
                  },
                ],
                "rule_count": 2,
              },
            },
            {
              "sequence": 86,
              "at": "2026-11-21T12:00:00.000Z",
              "actor": { "kind": "user", "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a13", "name": "ann@example.org" },
              "kind": "import-rules",
              "action": "Import rules",
              "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
              "summary": "changed 2 rules",
              "counts": { "created": 0, "updated": 2, "deleted": 0, "skipped": 0 },
              "sha256": null,
              "old": {
                "rules": [
                  {
                    "ip": "3.5.140.0/22",
                    "name": "backup",
                    "expires_at": "2026-11-26T12:00:00.000Z",
                    "created_at": "2026-11-21T12:00:00.000Z",
                    "updated_at": "2026-11-21T12:00:00.000Z",
                  },
                  {
                    "ip": "203.0.113.0/24",
                    "name": "office",
                    "expires_at": "2026-12-21T12:00:00.000Z",
                    "created_at": "2026-11-21T12:00:00.000Z",
                    "updated_at": "2026-11-21T12:00:00.000Z",
                  },
                ],
                "rule_count": 2,
              },
              "new": {
                "rules": [
                  {
                    "ip": "3.5.140.0/22",
                    "name": "backup",
                    "expires_at": "2027-06-30T00:00:00.000Z",
                    "created_at": "2026-11-21T12:00:00.000Z",
                    "updated_at": "2026-11-21T12:00:00.000Z",
                  },
                  {
                    "ip": "203.0.113.0/24",
                    "name": "office",
                    "expires_at": "2027-06-30T00:00:00.000Z",
                    "created_at": "2026-11-21T12:00:00.000Z",
                    "updated_at": "2026-11-21T12:00:00.000Z",
                  },
                ],
                "rule_count": 2,
              },
            },
          ],
          "next_before": 86,
        },
      },
    },
  },
  "undoChange": {
    "answers": {
      "200": {
        "application/json": {
          "undone": {
            "sequence": 26,
            "at": "2026-11-21T12:00:00.000Z",
            "kind": "delete-ruleset",
            "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11",
            "ruleset_name": "Branch offices",
            "summary": "deleted the ruleset \"Branch offices\" with 4 rules",
            "can_undo": true,
            "reason": null,
          },
        },
      },
    },
  },
  "previewNewDeployment": {
    "answers": {
      "200": {
        "application/json": {
          "ipv4_entries_count": 2,
          "ipv6_entries_count": 0,
          "ipv4_addresses": "129",
          "ipv6_addresses": "0",
          "removed_ipv4_entries": 1,
          "removed_ipv6_entries": 0,
          "entries": ["198.51.100.7", "203.0.113.0/25"],
          "widest": ["203.0.113.0/25", "198.51.100.7"],
          "unprocessable_count": 0,
          "unprocessable": [],
          "files": 1,
          "changes_at": null,
          "reasons": [],
          "doubtful_sources": [],
        },
      },
    },
  },
  "createDeployment": {
    "answers": {
      "201": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a15",
          "name": "Edge firewall",
          "description": "",
          "firewall_format": "text",
          "device": "none",
          "update_frequency": "15m",
          "purpose": "blocklist",
          "direction": "both",
          "active": true,
          "guard": "warn",
          "guard_classes": null,
          "options": {},
          "update_frequency_seconds": 900,
          "include": [{ "prefixes": ["203.0.113.0/24", "198.51.100.7"] }],
          "exclude": [{ "prefixes": ["203.0.113.128/25"] }],
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
          "last_generated": null,
          "last_accessed": null,
          "generation": 0,
          "ipv4_entries_count": 0,
          "ipv6_entries_count": 0,
          "unprocessable_count": 0,
          "status": "stale",
          "reasons": [],
          "refused_generation": null,
          "not_pulled": false,
          "previous_urls": [],
          "doubtful_sources": [],
        },
      },
    },
  },
  "listDeployments": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            {
              "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a15",
              "name": "Edge firewall",
              "description": "",
              "firewall_format": "text",
              "device": "none",
              "update_frequency": "15m",
              "purpose": "blocklist",
              "direction": "both",
              "active": true,
              "guard": "warn",
              "guard_classes": null,
              "options": {},
              "update_frequency_seconds": 900,
              "include": [{ "prefixes": ["203.0.113.0/24", "198.51.100.7"] }],
              "exclude": [{ "prefixes": ["203.0.113.128/25"] }],
              "created_at": "2026-11-21T12:00:00.000Z",
              "updated_at": "2026-11-21T12:00:00.000Z",
              "last_generated": "2026-11-21T12:00:00.000Z",
              "last_accessed": null,
              "generation": 1,
              "ipv4_entries_count": 2,
              "ipv6_entries_count": 0,
              "unprocessable_count": 0,
              "status": "ok",
              "reasons": [],
              "refused_generation": null,
              "not_pulled": false,
              "previous_urls": [],
              "doubtful_sources": [],
            },
          ],
          "count": 1,
          "next": null,
          "prev": null,
        },
      },
    },
  },
  "getDeployment": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a15",
          "name": "Edge firewall",
          "description": "",
          "firewall_format": "text",
          "device": "none",
          "update_frequency": "15m",
          "purpose": "blocklist",
          "direction": "both",
          "active": true,
          "guard": "warn",
          "guard_classes": null,
          "options": {},
          "update_frequency_seconds": 900,
          "include": [{ "prefixes": ["203.0.113.0/24", "198.51.100.7"] }],
          "exclude": [{ "prefixes": ["203.0.113.128/25"] }],
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
          "last_generated": "2026-11-21T12:00:00.000Z",
          "last_accessed": null,
          "generation": 1,
          "ipv4_entries_count": 2,
          "ipv6_entries_count": 0,
          "unprocessable_count": 0,
          "status": "ok",
          "reasons": [],
          "refused_generation": null,
          "not_pulled": false,
          "previous_urls": [],
          "doubtful_sources": [],
        },
      },
    },
  },
  "getDeploymentUrls": {
    "answers": {
      "200": {
        "application/json": {
          "deployment": {
            "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a15",
            "name": "Edge firewall",
            "purpose": "blocklist",
            "firewall_format": "text",
            "update_frequency": "15m",
            "update_frequency_seconds": 900,
            "ipv4_entries_count": 2,
            "ipv6_entries_count": 0,
            "last_generated": "2026-11-21T12:00:00.000Z",
            "last_accessed": null,
          },
          "urls": {
            "combined": ["https://lists.example.org/feeds/ipf_ExampleExampleExampleExampleExampleExampleExampleExample/combined.txt"],
            "ipv4": ["https://lists.example.org/feeds/ipf_ExampleExampleExampleExampleExampleExampleExampleExample/ipv4.txt"],
            "ipv6": ["https://lists.example.org/feeds/ipf_ExampleExampleExampleExampleExampleExampleExampleExample/ipv6.txt"],
            "checksums": ["https://lists.example.org/feeds/ipf_ExampleExampleExampleExampleExampleExampleExampleExample/combined.txt.sha256"],
            "unprocessable": [],
          },
        },
      },
    },
  },
  "listPulls": { "answers": { "200": { "application/json": { "items": [], "days": [] } } } },
  "listBlocked": { "answers": { "200": { "application/json": { "items": [], "hours": [] } } } },
  "previewDeployment": {
    "answers": {
      "200": {
        "application/json": {
          "ipv4_entries_count": 3,
          "ipv6_entries_count": 0,
          "ipv4_addresses": "193",
          "ipv6_addresses": "0",
          "removed_ipv4_entries": 1,
          "removed_ipv6_entries": 0,
          "entries": ["198.51.100.7", "203.0.113.64/26", "203.0.113.128/25"],
          "widest": ["203.0.113.128/25", "203.0.113.64/26", "198.51.100.7"],
          "unprocessable_count": 0,
          "unprocessable": [],
          "files": 1,
          "changes_at": null,
          "reasons": [],
          "doubtful_sources": [],
          "difference": {
            "ipv4_entries_before": 2,
            "ipv6_entries_before": 0,
            "listed": { "ipv4_addresses": "128", "ipv6_addresses": "0", "prefixes": ["203.0.113.128/25"] },
            "unlisted": { "ipv4_addresses": "64", "ipv6_addresses": "0", "prefixes": ["203.0.113.0/26"] },
          },
        },
      },
    },
  },
  "updateDeployment": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a15",
          "name": "Edge firewall",
          "description": "",
          "firewall_format": "text",
          "device": "none",
          "update_frequency": "5m",
          "purpose": "blocklist",
          "direction": "both",
          "active": true,
          "guard": "warn",
          "guard_classes": null,
          "options": {},
          "update_frequency_seconds": 300,
          "include": [{ "prefixes": ["203.0.113.0/24", "198.51.100.7"] }],
          "exclude": [{ "prefixes": ["203.0.113.0/26"] }],
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
          "last_generated": "2026-11-21T12:00:00.000Z",
          "last_accessed": null,
          "generation": 1,
          "ipv4_entries_count": 2,
          "ipv6_entries_count": 0,
          "unprocessable_count": 0,
          "status": "ok",
          "reasons": [],
          "refused_generation": null,
          "not_pulled": false,
          "previous_urls": [],
          "doubtful_sources": [],
        },
      },
    },
  },
  "publishDeployment": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a15",
          "name": "Edge firewall",
          "description": "",
          "firewall_format": "text",
          "device": "none",
          "update_frequency": "5m",
          "purpose": "blocklist",
          "direction": "both",
          "active": true,
          "guard": "warn",
          "guard_classes": null,
          "options": { "max_entries": 1 },
          "update_frequency_seconds": 300,
          "include": [{ "prefixes": ["203.0.113.0/24", "198.51.100.7"] }],
          "exclude": [{ "prefixes": ["203.0.113.0/26"] }],
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
          "last_generated": "2026-11-21T12:00:00.000Z",
          "last_accessed": null,
          "generation": 2,
          "ipv4_entries_count": 3,
          "ipv6_entries_count": 0,
          "unprocessable_count": 0,
          "status": "refused",
          "reasons": [{ "code": "too-many-entries", "message": "the list has 3 entries, more than the 1 allowed" }],
          "refused_generation": 1,
          "not_pulled": false,
          "previous_urls": [],
          "doubtful_sources": [],
        },
      },
    },
  },
  "deleteDeployment": { "answers": {} },
  "relateSets": {
    "answers": {
      "200": {
        "application/json": {
          "sets": [
            { "ipv4": { "addresses": "257", "only": "129" }, "ipv6": { "addresses": "0", "only": "0" } },
            { "ipv4": { "addresses": "128", "only": "0" }, "ipv6": { "addresses": "0", "only": "0" } },
          ],
          "pairs": [
            {
              "first": 0,
              "second": 1,
              "relation": "covers",
              "ipv4": { "shared": "128", "millionths_of_first": 498054, "millionths_of_second": 1000000 },
              "ipv6": { "shared": "0", "millionths_of_first": null, "millionths_of_second": null },
            },
          ],
        },
      },
    },
  },
  "computeSet": {
    "answers": {
      "200": {
        "application/json": {
          "addresses": { "ipv4": "191", "ipv6": "0" },
          "prefixes": ["203.0.113.0/30", "203.0.113.4/31", "203.0.113.6", "203.0.113.8/29", "203.0.113.16/28", "203.0.113.32/27", "203.0.113.64/26", "203.0.113.192/26"],
          "count": 8,
        },
      },
    },
  },
  "fitSets": {
    "answers": {
      "200": {
        "application/json": {
          "count": 2,
          "exact_count": 3,
          "prefixes": ["203.0.113.0/26", "203.0.113.128/25"],
          "added": { "addresses": { "ipv4": "32", "ipv6": "0" }, "prefixes": ["203.0.113.192/27"], "count": 1 },
          "removed": { "addresses": { "ipv4": "0", "ipv6": "0" }, "prefixes": [], "count": 0 },
          "cost": "32",
          "bound": "32",
          "is_best": true,
        },
      },
    },
  },
  "createExternalList": {
    "answers": {
      "201": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a16",
          "name": "Example blocklist",
          "description": "",
          "url": "https://feeds.example.net/drop.txt",
          "format": "text",
          "schedule": "60m",
          "active": true,
          "max_change": 50,
          "min_prefix_v4": 8,
          "min_prefix_v6": 19,
          "allow_empty": false,
          "never_block": false,
          "schedule_seconds": 3600,
          "auth": null,
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
          "state": "pending",
          "problem": null,
          "checked_at": null,
          "next_check_at": "2026-11-21T12:00:00.000Z",
          "generation": 0,
          "changed_at": null,
          "ipv4_entries_count": 0,
          "ipv6_entries_count": 0,
          "rejected": { "count": 0, "lines": [] },
          "last_change": null,
        },
      },
    },
  },
  "listExternalLists": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            {
              "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a16",
              "name": "Example blocklist",
              "description": "",
              "url": "https://feeds.example.net/drop.txt",
              "format": "text",
              "schedule": "60m",
              "active": true,
              "max_change": 50,
              "min_prefix_v4": 8,
              "min_prefix_v6": 19,
              "allow_empty": false,
              "never_block": false,
              "schedule_seconds": 3600,
              "auth": null,
              "created_at": "2026-11-21T12:00:00.000Z",
              "updated_at": "2026-11-21T12:00:00.000Z",
              "state": "ok",
              "problem": null,
              "checked_at": "2026-11-21T12:00:00.000Z",
              "next_check_at": "2026-11-21T13:00:00.000Z",
              "generation": 1,
              "changed_at": "2026-11-21T12:00:00.000Z",
              "ipv4_entries_count": 1,
              "ipv6_entries_count": 1,
              "rejected": { "count": 1, "lines": [{ "line": 3, "text": "203.0.113.7:443", "reason": "column 12: \"203.0.113.7:443\": a port is not part of an address; remove :443" }] },
              "last_change": null,
            },
          ],
          "count": 1,
          "next": null,
          "prev": null,
        },
      },
    },
  },
  "getExternalList": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a16",
          "name": "Example blocklist",
          "description": "",
          "url": "https://feeds.example.net/drop.txt",
          "format": "text",
          "schedule": "60m",
          "active": true,
          "max_change": 50,
          "min_prefix_v4": 8,
          "min_prefix_v6": 19,
          "allow_empty": false,
          "never_block": false,
          "schedule_seconds": 3600,
          "auth": null,
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
          "state": "ok",
          "problem": null,
          "checked_at": "2026-11-21T12:00:00.000Z",
          "next_check_at": "2026-11-21T13:00:00.000Z",
          "generation": 1,
          "changed_at": "2026-11-21T12:00:00.000Z",
          "ipv4_entries_count": 1,
          "ipv6_entries_count": 1,
          "rejected": { "count": 1, "lines": [{ "line": 3, "text": "203.0.113.7:443", "reason": "column 12: \"203.0.113.7:443\": a port is not part of an address; remove :443" }] },
          "last_change": null,
        },
      },
    },
  },
  "refreshExternalList": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a16",
          "name": "Example blocklist",
          "description": "",
          "url": "https://feeds.example.net/drop.txt",
          "format": "text",
          "schedule": "60m",
          "active": true,
          "max_change": 50,
          "min_prefix_v4": 8,
          "min_prefix_v6": 19,
          "allow_empty": false,
          "never_block": false,
          "schedule_seconds": 3600,
          "auth": null,
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
          "state": "ok",
          "problem": null,
          "checked_at": "2026-11-21T12:00:00.000Z",
          "next_check_at": "2026-11-21T13:00:00.000Z",
          "generation": 1,
          "changed_at": "2026-11-21T12:00:00.000Z",
          "ipv4_entries_count": 1,
          "ipv6_entries_count": 1,
          "rejected": { "count": 1, "lines": [{ "line": 3, "text": "203.0.113.7:443", "reason": "column 12: \"203.0.113.7:443\": a port is not part of an address; remove :443" }] },
          "last_change": null,
        },
      },
    },
  },
  "writeExternalList": { "answers": { "200": { "application/json": { "created": 2, "updated": 0, "skipped": 0, "invalid": 0, "can_undo": true } } } },
  "updateExternalList": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a16",
          "name": "Example blocklist",
          "description": "",
          "url": "https://feeds.example.net/drop.txt",
          "format": "text",
          "schedule": "6h",
          "active": false,
          "max_change": 50,
          "min_prefix_v4": 8,
          "min_prefix_v6": 19,
          "allow_empty": false,
          "never_block": false,
          "schedule_seconds": 21600,
          "auth": null,
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
          "state": "ok",
          "problem": null,
          "checked_at": "2026-11-21T12:00:00.000Z",
          "next_check_at": null,
          "generation": 1,
          "changed_at": "2026-11-21T12:00:00.000Z",
          "ipv4_entries_count": 1,
          "ipv6_entries_count": 1,
          "rejected": { "count": 1, "lines": [{ "line": 3, "text": "203.0.113.7:443", "reason": "column 12: \"203.0.113.7:443\": a port is not part of an address; remove :443" }] },
          "last_change": null,
        },
      },
    },
  },
  "deleteExternalList": { "answers": {} },
  "lookupCbs": {
    "answers": {
      "200": {
        "application/json": {
          "ip": "3.5.140.7",
          "found": true,
          "cidr": "3.5.140.0/22",
          "primary": {
            "name": "Amazon Web Services s3",
            "cbs_id": "/cloud/aws/by-service/s3/ap-northeast-2",
            "provider": "aws",
            "type": "cloud",
            "service": "s3",
            "region": "ap-northeast-2",
            "cidr": "3.5.140.0/22",
            "source": null,
          },
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
            "primary": {
              "name": "Cloudflare",
              "cbs_id": "/cdn/cloudflare",
              "provider": "cloudflare",
              "type": "cdn",
              "service": null,
              "region": null,
              "cidr": "1.1.1.0/24",
              "source": null,
            },
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
          "203.0.113.0/24": {
            "ip": "203.0.113.0/24",
            "found": false,
            "cidr": null,
            "primary": null,
            "labels": [],
            "cbs_ids": [],
            "providers": [],
            "types": [],
            "services": [],
            "regions": [],
            "matches": [],
          },
        },
        "application/x-ndjson": "{\"ip\":\"1.1.1.1\",\"found\":true,\"cidr\":\"1.1.1.0/24\",\"primary\":{\"name\":\"Cloudflare\",\"cbs_id\":\"/cdn/cloudflare\",\"provider\":\"cloudflare\",\"type\":\"cdn\",\"service\":null,\"region\":null,\"cidr\":\"1.1.1.0/24\",\"source\":null},\"labels\":[\"CDN > Cloudflare\"],\"cbs_ids\":[\"/cdn/cloudflare\"],\"providers\":[\"cloudflare\"],\"types\":[\"cdn\"],\"services\":[],\"regions\":[],\"matches\":[{\"provider\":\"cloudflare\",\"type\":\"cdn\",\"service\":null,\"region\":null,\"cidr\":\"1.1.1.0/24\",\"cbs_id\":\"/cdn/cloudflare\",\"label\":\"CDN > Cloudflare\",\"source\":null,\"source_updated_at\":null}]}\n{\"ip\":\"192.0.2.1\",\"found\":false,\"cidr\":null,\"primary\":null,\"labels\":[],\"cbs_ids\":[],\"providers\":[],\"types\":[],\"services\":[],\"regions\":[],\"matches\":[]}\n",
      },
    },
    "bodies": { "text/plain": "1.1.1.1\n192.0.2.1\n", "application/x-ndjson": "{\"ip\":\"1.1.1.1\"}\n\"192.0.2.1\"\n" },
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
  "exportCbsRanges": {
    "answers": {
      "200": {
        "text/plain": "1.1.1.0/24\n2606:4700::/32\n",
        "text/csv": "ip,name,expires_at\n1.1.1.0/24,,\n2606:4700::/32,,\n",
        "application/x-ndjson": "{\"ip\":\"1.1.1.0/24\",\"name\":null,\"expires_at\":null,\"created_at\":\"1970-01-01T00:00:00.000Z\",\"updated_at\":\"1970-01-01T00:00:00.000Z\"}\n{\"ip\":\"2606:4700::/32\",\"name\":null,\"expires_at\":null,\"created_at\":\"1970-01-01T00:00:00.000Z\",\"updated_at\":\"1970-01-01T00:00:00.000Z\"}\n",
        "application/json": [
          { "ip": "1.1.1.0/24", "name": null, "expires_at": null, "created_at": "1970-01-01T00:00:00.000Z", "updated_at": "1970-01-01T00:00:00.000Z" },
          { "ip": "2606:4700::/32", "name": null, "expires_at": null, "created_at": "1970-01-01T00:00:00.000Z", "updated_at": "1970-01-01T00:00:00.000Z" },
        ],
        "application/yaml": "apiVersion: cilium.io/v2alpha1\nkind: CiliumCIDRGroup\nmetadata:\n  name: cdn-cloudflare-d890ce\nspec:\n  externalCIDRs:\n  - \"1.1.1.0/24\"\n  - \"2606:4700::/32\"\n",
        "text/dns": "$TTL 300\n@ SOA localhost. root.localhost. 1781654400 300 60 604800 300\n@ NS localhost.\n24.0.1.1.1.rpz-ip CNAME .\n32.zz.4700.2606.rpz-ip CNAME .\n",
        "text/tab-separated-values": "#fields\tindicator\tindicator_type\tmeta.source\n1.1.1.0/24\tIntel::SUBNET\tcdn_cloudflare_d890ce\n2606:4700::/32\tIntel::SUBNET\tcdn_cloudflare_d890ce\n",
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
  "getSetup": { "answers": { "200": { "application/json": { "needed": true } } } },
  "setUp": {
    "answers": {
      "201": {
        "application/json": {
          "user": { "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a13", "name": "ann@example.org", "role": "admin" },
          "organisation": { "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a17", "name": "Example" },
          "plans": [{ "area": "edl", "active": true, "until": null }, { "area": "cbs", "active": true, "until": null }, { "area": "cti", "active": true, "until": null }],
          "created_at": "2026-11-21T12:00:00.000Z",
          "expires_at": "2026-11-22T00:00:00.000Z",
          "settings": { "bulk_addresses": 10000, "rules_per_ruleset": 1000000, "body_bytes": 65536, "bulk_body_bytes": 67108864, "allow_special_purpose": true },
        },
      },
    },
  },
  "getSession": {
    "answers": {
      "200": {
        "application/json": {
          "user": { "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a13", "name": "ann@example.org", "role": "admin" },
          "organisation": { "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a17", "name": "Example" },
          "plans": [{ "area": "edl", "active": true, "until": null }, { "area": "cbs", "active": true, "until": null }, { "area": "cti", "active": true, "until": null }],
          "created_at": "2026-11-21T12:00:00.000Z",
          "expires_at": "2026-11-22T00:00:00.000Z",
          "settings": { "bulk_addresses": 10000, "rules_per_ruleset": 1000000, "body_bytes": 65536, "bulk_body_bytes": 67108864, "allow_special_purpose": true },
        },
      },
    },
  },
  "createUser": {
    "answers": {
      "201": {
        "application/json": {
          "user": {
            "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a18",
            "name": "bob@example.org",
            "role": "viewer",
            "created_at": "2026-11-21T12:00:00.000Z",
            "last_sign_in_at": null,
            "invited": true,
          },
          "invitation": { "token": "bT9m2Vd0cLrXhQyN8sKfWzA1uE5gJ7pRo3iYtC6xM4a", "expires_at": "2026-11-28T12:00:00.000Z" },
        },
      },
    },
  },
  "join": {
    "answers": {
      "201": {
        "application/json": {
          "user": { "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a18", "name": "bob@example.org", "role": "viewer" },
          "organisation": { "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a17", "name": "Example" },
          "plans": [{ "area": "edl", "active": true, "until": null }, { "area": "cbs", "active": true, "until": null }, { "area": "cti", "active": true, "until": null }],
          "created_at": "2026-11-21T12:00:00.000Z",
          "expires_at": "2026-11-22T00:00:00.000Z",
          "settings": { "bulk_addresses": 10000, "rules_per_ruleset": 1000000, "body_bytes": 65536, "bulk_body_bytes": 67108864, "allow_special_purpose": true },
        },
      },
    },
  },
  "updateUser": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a18",
          "name": "bob@example.org",
          "role": "editor",
          "created_at": "2026-11-21T12:00:00.000Z",
          "last_sign_in_at": "2026-11-21T12:00:00.000Z",
          "invited": false,
        },
      },
    },
  },
  "listUsers": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            {
              "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a13",
              "name": "ann@example.org",
              "role": "admin",
              "created_at": "2026-11-21T12:00:00.000Z",
              "last_sign_in_at": "2026-11-21T12:00:00.000Z",
              "invited": false,
            },
            {
              "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a18",
              "name": "bob@example.org",
              "role": "editor",
              "created_at": "2026-11-21T12:00:00.000Z",
              "last_sign_in_at": "2026-11-21T12:00:00.000Z",
              "invited": false,
            },
          ],
          "count": 2,
        },
      },
    },
  },
  "inviteUser": {
    "answers": {
      "201": {
        "application/json": {
          "user": {
            "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a18",
            "name": "bob@example.org",
            "role": "editor",
            "created_at": "2026-11-21T12:00:00.000Z",
            "last_sign_in_at": "2026-11-21T12:00:00.000Z",
            "invited": true,
          },
          "invitation": { "token": "bT9m2Vd0cLrXhQyN8sKfWzA1uE5gJ7pRo3iYtC6xM4a", "expires_at": "2026-11-28T12:00:00.000Z" },
        },
      },
    },
  },
  "signIn": {
    "answers": {
      "200": {
        "application/json": {
          "user": { "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a13", "name": "ann@example.org", "role": "admin" },
          "organisation": { "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a17", "name": "Example" },
          "plans": [{ "area": "edl", "active": true, "until": null }, { "area": "cbs", "active": true, "until": null }, { "area": "cti", "active": true, "until": null }],
          "created_at": "2026-11-21T12:00:00.000Z",
          "expires_at": "2026-11-22T00:00:00.000Z",
          "settings": { "bulk_addresses": 10000, "rules_per_ruleset": 1000000, "body_bytes": 65536, "bulk_body_bytes": 67108864, "allow_special_purpose": true },
        },
      },
    },
  },
  "createKey": {
    "answers": {
      "201": {
        "application/json": {
          "key": {
            "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a19",
            "label": "firewall",
            "access": "read",
            "start": "ips_Ab3d",
            "created_at": "2026-11-21T12:00:00.000Z",
            "expires_at": "2030-01-01T00:00:00.000Z",
            "revoked_at": null,
            "last_used_at": null,
            "requests_this_month": 0,
            "opened_deployments": [],
            "state": "active",
          },
          "text": "ips_Ab3dExampleExampleExampleExampl0Example",
        },
      },
    },
  },
  "listKeys": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            {
              "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a19",
              "label": "firewall",
              "access": "read",
              "start": "ips_Ab3d",
              "created_at": "2026-11-21T12:00:00.000Z",
              "expires_at": "2030-01-01T00:00:00.000Z",
              "revoked_at": null,
              "last_used_at": null,
              "requests_this_month": 0,
              "opened_deployments": [],
              "state": "active",
            },
          ],
          "count": 1,
        },
      },
    },
  },
  "getUsage": {
    "answers": {
      "200": {
        "application/json": {
          "window": "hour",
          "step_seconds": 60,
          "snapshots": [
            { "name": "catalogue", "generation": 1, "created_at": "2026-06-17T00:00:00.000Z", "loaded_at": "2026-11-21T12:00:00.000Z" },
            { "name": "threats", "generation": 1, "created_at": "2026-06-17T00:00:00.000Z", "loaded_at": "2026-11-21T12:00:00.000Z" },
          ],
          "rules": { "active": 0, "expired": 0 },
          "keys": [
            {
              "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a19",
              "label": "firewall",
              "start": "ips_Ab3d",
              "state": "active",
              "requests_this_month": 0,
              "minute": { "area": "edl", "limit": 6000, "remaining": 6000, "reset": 60 },
              "month": { "area": "edl", "limit": 10000000, "remaining": 10000000, "reset": 820800 },
            },
          ],
          "steps": [
            { "at": "2026-11-21T11:59:00.000Z", "requests": 0, "refused": 0, "failed": 0, "lookups": 0, "p50_ms": 0.25, "p99_ms": 1.5 },
            { "at": "2026-11-21T12:00:00.000Z", "requests": 101, "refused": 0, "failed": 0, "lookups": 23, "p50_ms": 0.25, "p99_ms": 1.5 },
          ],
        },
      },
    },
  },
  "revokeKey": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a19",
          "label": "firewall",
          "access": "read",
          "start": "ips_Ab3d",
          "created_at": "2026-11-21T12:00:00.000Z",
          "expires_at": "2030-01-01T00:00:00.000Z",
          "revoked_at": "2026-11-21T12:00:00.000Z",
          "last_used_at": null,
          "requests_this_month": 0,
          "opened_deployments": [],
          "state": "revoked",
        },
      },
    },
  },
  "rotateDeployment": {
    "answers": {
      "200": {
        "application/json": {
          "password": null,
          "previous_valid_until": "2026-11-22T12:00:00.000Z",
          "previous_urls": [{ "replaced_at": "2026-11-21T12:00:00.000Z", "valid_until": "2026-11-22T12:00:00.000Z" }],
        },
      },
    },
  },
  "createBouncer": {
    "answers": {
      "201": {
        "application/json": {
          "bouncer": {
            "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1a",
            "deployment_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1b",
            "label": "edge firewall",
            "start": "ipb_Ab3d",
            "hosts_only": false,
            "created_at": "2026-11-21T12:00:00.000Z",
            "revoked_at": null,
            "last_pulled_at": null,
            "user_agent": "",
            "state": "active",
          },
          "text": "ipb_Ab3dExampleExampleExampleExampleExampleExam",
        },
      },
    },
  },
  "listBouncers": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            {
              "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1a",
              "deployment_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1b",
              "label": "edge firewall",
              "start": "ipb_Ab3d",
              "hosts_only": false,
              "created_at": "2026-11-21T12:00:00.000Z",
              "revoked_at": null,
              "last_pulled_at": null,
              "user_agent": "",
              "state": "active",
            },
          ],
          "count": 1,
        },
      },
    },
  },
  "revokeBouncer": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1a",
          "deployment_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1b",
          "label": "edge firewall",
          "start": "ipb_Ab3d",
          "hosts_only": false,
          "created_at": "2026-11-21T12:00:00.000Z",
          "revoked_at": "2026-11-21T12:00:00.000Z",
          "last_pulled_at": null,
          "user_agent": "",
          "state": "revoked",
        },
      },
    },
  },
  "createEdgeComponent": {
    "answers": {
      "201": {
        "application/json": {
          "component": {
            "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1c",
            "deployment_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1b",
            "label": "web",
            "component_type": "ellio_traefik_middleware_plugin",
            "created_at": "2026-11-21T12:00:00.000Z",
            "revoked_at": null,
            "state": "active",
          },
          "bootstrap_token": "eyJhbGciOiJFUzI1NiJ9.eyJ1c2UiOiJib290c3RyYXAifQ.Example",
        },
      },
    },
  },
  "listEdgeComponents": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            {
              "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1c",
              "deployment_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1b",
              "label": "web",
              "component_type": "ellio_traefik_middleware_plugin",
              "created_at": "2026-11-21T12:00:00.000Z",
              "revoked_at": null,
              "state": "active",
            },
          ],
          "count": 1,
        },
      },
    },
  },
  "revokeEdgeComponent": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1c",
          "deployment_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1b",
          "label": "web",
          "component_type": "ellio_traefik_middleware_plugin",
          "created_at": "2026-11-21T12:00:00.000Z",
          "revoked_at": "2026-11-21T12:00:00.000Z",
          "state": "revoked",
        },
      },
    },
  },
  "listTaxiiCollections": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            { "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1d", "title": "My Allowlist rules", "source": "ruleset" },
            { "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1e", "title": "My Blocklist rules", "source": "ruleset" },
            { "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1f", "title": "Threat intelligence", "source": "dataset" },
          ],
          "count": 3,
          "discovery_url": "https://lists.example.org/taxii2/",
        },
      },
    },
  },
  "createTaxiiCredential": {
    "answers": {
      "201": {
        "application/json": {
          "credential": {
            "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a20",
            "label": "OpenCTI",
            "username": "ipt_Ab3d",
            "collections": ["7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1d"],
            "created_at": "2026-11-21T12:00:00.000Z",
            "revoked_at": null,
            "state": "active",
          },
          "password": "ipt_Ab3dExampleExampleExampleExampleExampleExam",
        },
      },
    },
  },
  "listTaxiiCredentials": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            {
              "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a20",
              "label": "OpenCTI",
              "username": "ipt_Ab3d",
              "collections": ["7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1d"],
              "created_at": "2026-11-21T12:00:00.000Z",
              "revoked_at": null,
              "state": "active",
            },
          ],
          "count": 1,
        },
      },
    },
  },
  "revokeTaxiiCredential": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a20",
          "label": "OpenCTI",
          "username": "ipt_Ab3d",
          "collections": ["7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a1d"],
          "created_at": "2026-11-21T12:00:00.000Z",
          "revoked_at": "2026-11-21T12:00:00.000Z",
          "state": "revoked",
        },
      },
    },
  },
  "setListCredentials": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a21",
          "name": "Example blocklist",
          "description": "",
          "url": "https://feeds.example.net/drop.txt",
          "format": "text",
          "schedule": "60m",
          "active": false,
          "max_change": 50,
          "min_prefix_v4": 8,
          "min_prefix_v6": 19,
          "allow_empty": false,
          "never_block": false,
          "schedule_seconds": 3600,
          "auth": { "type": "header", "name": "X-Api-Key", "origin": "https://feeds.example.net" },
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
          "state": "pending",
          "problem": null,
          "checked_at": null,
          "next_check_at": null,
          "generation": 0,
          "changed_at": null,
          "ipv4_entries_count": 0,
          "ipv6_entries_count": 0,
          "rejected": { "count": 0, "lines": [] },
          "last_change": null,
        },
      },
    },
  },
  "createWebhook": {
    "answers": {
      "201": {
        "application/json": {
          "webhook": {
            "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a22",
            "url": "https://example.org/hooks/ipsieve",
            "description": "SIEM",
            "kinds": ["rule.created", "rule.deleted", "deployment.refused"],
            "active": true,
            "created_at": "2026-11-21T12:00:00.000Z",
            "updated_at": "2026-11-21T12:00:00.000Z",
            "previous_secret_until": null,
            "previous_secrets": [],
            "health": {
              "status": "ok",
              "reason": null,
              "disabled_at": null,
              "failing_since": null,
              "failed_attempts": 0,
              "next_attempt_at": null,
              "last_attempt_at": null,
              "last_success_at": null,
              "given_up": 0,
            },
          },
          "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
        },
      },
    },
  },
  "listWebhooks": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            {
              "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a22",
              "url": "https://example.org/hooks/ipsieve",
              "description": "SIEM",
              "kinds": ["rule.created", "rule.deleted", "deployment.refused"],
              "active": true,
              "created_at": "2026-11-21T12:00:00.000Z",
              "updated_at": "2026-11-21T12:00:00.000Z",
              "previous_secret_until": null,
              "previous_secrets": [],
              "health": {
                "status": "ok",
                "reason": null,
                "disabled_at": null,
                "failing_since": null,
                "failed_attempts": 0,
                "next_attempt_at": null,
                "last_attempt_at": null,
                "last_success_at": null,
                "given_up": 0,
              },
            },
          ],
          "count": 1,
        },
      },
    },
  },
  "getWebhook": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a22",
          "url": "https://example.org/hooks/ipsieve",
          "description": "SIEM",
          "kinds": ["rule.created", "rule.deleted", "deployment.refused"],
          "active": true,
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
          "previous_secret_until": null,
          "previous_secrets": [],
          "health": {
            "status": "ok",
            "reason": null,
            "disabled_at": null,
            "failing_since": null,
            "failed_attempts": 0,
            "next_attempt_at": null,
            "last_attempt_at": null,
            "last_success_at": null,
            "given_up": 0,
          },
        },
      },
    },
  },
  "updateWebhook": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a22",
          "url": "https://example.org/hooks/ipsieve",
          "description": "SIEM",
          "kinds": ["rule.created", "rule.deleted", "deployment.refused"],
          "active": true,
          "created_at": "2026-11-21T12:00:00.000Z",
          "updated_at": "2026-11-21T12:00:00.000Z",
          "previous_secret_until": null,
          "previous_secrets": [],
          "health": {
            "status": "ok",
            "reason": null,
            "disabled_at": null,
            "failing_since": null,
            "failed_attempts": 0,
            "next_attempt_at": null,
            "last_attempt_at": null,
            "last_success_at": null,
            "given_up": 0,
          },
        },
      },
    },
  },
  "rotateWebhook": {
    "answers": {
      "200": {
        "application/json": {
          "webhook": {
            "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a22",
            "url": "https://example.org/hooks/ipsieve",
            "description": "SIEM",
            "kinds": ["rule.created", "rule.deleted", "deployment.refused"],
            "active": true,
            "created_at": "2026-11-21T12:00:00.000Z",
            "updated_at": "2026-11-21T12:00:00.000Z",
            "previous_secret_until": "2026-11-22T12:00:00.000Z",
            "previous_secrets": [{ "replaced_at": "2026-11-21T12:00:00.000Z", "valid_until": "2026-11-22T12:00:00.000Z" }],
            "health": {
              "status": "ok",
              "reason": null,
              "disabled_at": null,
              "failing_since": null,
              "failed_attempts": 0,
              "next_attempt_at": null,
              "last_attempt_at": null,
              "last_success_at": null,
              "given_up": 0,
            },
          },
          "secret": "whsec_xSLKUaaWOx7PzlaKGdUbRXt6vxWXWDTPxSLKUaaWOx4=",
        },
      },
    },
  },
  "testWebhook": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a23",
          "at": "2026-11-21T12:00:00.000Z",
          "message_id": "msg_2cgqwVbQ9q0K8yWcFfQp3lXb1Zr",
          "type": "webhook.test",
          "cause": "test",
          "attempt": 1,
          "outcome": "delivered",
          "status": 204,
          "error": "",
          "milliseconds": 42,
        },
      },
    },
  },
  "listWebhookDeliveries": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            {
              "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a23",
              "at": "2026-11-21T12:00:00.000Z",
              "message_id": "msg_2cgqwVbQ9q0K8yWcFfQp3lXb1Zr",
              "type": "webhook.test",
              "cause": "test",
              "attempt": 1,
              "outcome": "delivered",
              "status": 204,
              "error": "",
              "milliseconds": 42,
            },
          ],
          "count": 1,
        },
      },
    },
  },
  "getWebhookDelivery": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a23",
          "at": "2026-11-21T12:00:00.000Z",
          "message_id": "msg_2cgqwVbQ9q0K8yWcFfQp3lXb1Zr",
          "type": "webhook.test",
          "cause": "test",
          "attempt": 1,
          "outcome": "delivered",
          "status": 204,
          "error": "",
          "milliseconds": 42,
          "body": "{\"type\":\"webhook.test\",\"timestamp\":\"2026-11-21T12:00:00.000Z\",\"data\":{\"webhook\":{\"id\":\"7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a24\",\"description\":\"SIEM\"},\"about\":\"A user asked for this message to test the endpoint.\"}}",
        },
      },
    },
  },
  "resendWebhookDelivery": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a25",
          "at": "2026-11-21T12:00:00.000Z",
          "message_id": "msg_2cgqwVbQ9q0K8yWcFfQp3lXb1Zr",
          "type": "webhook.test",
          "cause": "resend",
          "attempt": 2,
          "outcome": "delivered",
          "status": 204,
          "error": "",
          "milliseconds": 42,
        },
      },
    },
  },
  "previewRules": {
    "answers": {
      "200": {
        "application/json": {
          "version": 85,
          "counts": { "created": 0, "updated": 1, "skipped": 0, "conflict": 0, "error": 0 },
          "truncated": false,
          "skip_refusal": null,
          "can_undo": true,
          "lines": [
            {
              "line": 1,
              "ip": "203.0.113.0/24",
              "verdict": "updated",
              "before": {
                "ip": "203.0.113.0/24",
                "name": "office",
                "expires_at": "2026-12-21T12:00:00.000Z",
                "created_at": "2026-11-21T12:00:00.000Z",
                "updated_at": "2026-11-21T12:00:00.000Z",
              },
              "after": { "ip": "203.0.113.0/24", "name": "office", "expires_at": null, "created_at": "2026-11-21T12:00:00.000Z", "updated_at": "2026-11-21T12:00:00.000Z" },
            },
          ],
        },
      },
    },
    "bodies": {
      "text/plain": "203.0.113.0/24\n198.51.100.7\n",
      "text/csv": "ip,name,expires_at\n203.0.113.0/24,office,2026-12-31T00:00:00Z\n198.51.100.7,,\n",
      "application/x-ndjson": "{\"ip\":\"203.0.113.0/24\",\"name\":\"office\"}\n{\"ip\":\"198.51.100.7\"}\n",
    },
  },
  "listRows": {
    "answers": {
      "200": {
        "application/json": {
          "version": 85,
          "total": 2,
          "active": 2,
          "count": 2,
          "items": [
            {
              "ip": "3.5.140.0/22",
              "name": "backup",
              "expires_at": "2026-11-26T12:00:00.000Z",
              "created_at": "2026-11-21T12:00:00.000Z",
              "updated_at": "2026-11-21T12:00:00.000Z",
              "state": "expiring",
            },
            {
              "ip": "203.0.113.0/24",
              "name": "office",
              "expires_at": "2026-12-21T12:00:00.000Z",
              "created_at": "2026-11-21T12:00:00.000Z",
              "updated_at": "2026-11-21T12:00:00.000Z",
              "state": "active",
            },
          ],
        },
      },
    },
  },
  "lookup": {
    "answers": {
      "200": {
        "application/json": {
          "ip": "3.5.140.7",
          "cbs": {
            "ip": "3.5.140.7",
            "found": true,
            "cidr": "3.5.140.0/22",
            "primary": {
              "name": "Amazon Web Services s3",
              "cbs_id": "/cloud/aws/by-service/s3/ap-northeast-2",
              "provider": "aws",
              "type": "cloud",
              "service": "s3",
              "region": "ap-northeast-2",
              "cidr": "3.5.140.0/22",
              "source": null,
            },
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
          "rulesets": [
            {
              "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
              "name": "Offices",
              "purpose": "allowlist",
              "rule": {
                "ip": "3.5.140.0/22",
                "name": "backup",
                "expires_at": "2026-11-26T12:00:00.000Z",
                "created_at": "2026-11-21T12:00:00.000Z",
                "updated_at": "2026-11-21T12:00:00.000Z",
                "state": "expiring",
              },
              "covering": [
                {
                  "ip": "3.5.140.0/22",
                  "name": "backup",
                  "expires_at": "2026-11-26T12:00:00.000Z",
                  "created_at": "2026-11-21T12:00:00.000Z",
                  "updated_at": "2026-11-21T12:00:00.000Z",
                  "state": "expiring",
                },
              ],
            },
          ],
          "decision": "allow",
          "cti": {
            "ip": "3.5.140.7",
            "seen": false,
            "spoofable": null,
            "classification": "unknown",
            "actor": "",
            "tags": [],
            "rdns": "",
            "first_seen": null,
            "last_seen": null,
            "active_days": null,
            "tag_ids": [],
            "cve": [],
            "src": { "asn": { "number": null, "name": "" }, "geo": { "country": { "code": "", "name": "" }, "continent": { "code": "", "name": "" }, "city": "" } },
            "network": { "ports": [], "non_spoofable_ports": [] },
            "fingerprints": { "muonfp": [], "ja3": [], "ja4": [] },
            "http": { "path": [], "user_agent": [] },
          },
        },
      },
    },
  },
  "changeMatchingRules": { "answers": { "200": { "application/json": { "count": 2 } } } },
  "identifyLog": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7d0c5a2e-3b1f-4c6d-9a8e-2f4b6c8d0e1a",
          "name": "access.log",
          "format": "tsv",
          "state": "done",
          "started_at": "2026-11-21T12:00:00.000Z",
          "ended_at": "2026-11-21T12:00:00.000Z",
          "expires_at": "2026-11-21T13:00:00.000Z",
          "bytes": 223,
          "size": 223,
          "lines": 3,
          "matched": 2,
          "unmatched": 1,
          "no_address": 0,
          "repeated_address": null,
          "types": [{ "type": "cdn", "name": "CDN", "lines": 1 }, { "type": "cloud", "name": "Cloud", "lines": 1 }],
          "providers": [{ "type": "cdn", "provider": "cloudflare", "name": "Cloudflare", "lines": 1 }, { "type": "cloud", "provider": "aws", "name": "Amazon Web Services", "lines": 1 }],
          "services": [{ "type": "cloud", "provider": "aws", "service": "s3", "name": "Amazon Web Services s3", "lines": 1 }],
          "unmatched_sample": [{ "text": "203.0.113.7 - - [21/Nov/2026:11:59:40 +0000] \"GET /cart HTTP/1.1\" 200 9120", "has_address": true }],
          "top_addresses": {
            "matched": [
              { "ip": "1.1.1.9", "lines": 1, "cbs_ids": ["/cdn/cloudflare"], "labels": ["CDN > Cloudflare"], "decision": "none", "rules": [], "rules_count": 0 },
              {
                "ip": "3.5.140.7",
                "lines": 1,
                "cbs_ids": ["/cloud/aws/by-region/ap-northeast-2/s3", "/cloud/aws/by-service/s3/ap-northeast-2"],
                "labels": ["Cloud > Amazon Web Services > By region > ap-northeast-2 > s3", "Cloud > Amazon Web Services > By service > s3 > ap-northeast-2"],
                "decision": "allow",
                "rules": [
                  {
                    "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
                    "ruleset": "Offices",
                    "purpose": "allowlist",
                    "ip": "3.5.140.0/22",
                    "name": "backup",
                    "expires_at": "2027-06-30T00:00:00.000Z",
                  },
                ],
                "rules_count": 1,
              },
            ],
            "unmatched": [
              {
                "ip": "203.0.113.7",
                "lines": 1,
                "cbs_ids": [],
                "labels": [],
                "decision": "allow",
                "rules": [
                  {
                    "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
                    "ruleset": "Offices",
                    "purpose": "allowlist",
                    "ip": "203.0.113.0/24",
                    "name": "office",
                    "expires_at": "2027-06-30T00:00:00.000Z",
                  },
                ],
                "rules_count": 1,
              },
            ],
            "matched_count": 2,
            "unmatched_count": 1,
            "lines_missing": 0,
          },
          "ruleset_comparison": {
            "as_of": "2026-11-21T12:00:00.000Z",
            "rulesets": [{ "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14", "name": "Offices", "purpose": "allowlist", "covered": { "lines": 2, "addresses": 2 } }],
            "rulesets_left_out": 0,
            "covered_by": {
              "allowlists_only": { "lines": 2, "addresses": 2 },
              "blocklists_only": { "lines": 0, "addresses": 0 },
              "both": { "lines": 0, "addresses": 0 },
              "neither": { "lines": 1, "addresses": 1 },
            },
            "top_addresses": [
              {
                "ip": "3.5.140.7",
                "lines": 1,
                "cbs_ids": ["/cloud/aws/by-region/ap-northeast-2/s3", "/cloud/aws/by-service/s3/ap-northeast-2"],
                "labels": ["Cloud > Amazon Web Services > By region > ap-northeast-2 > s3", "Cloud > Amazon Web Services > By service > s3 > ap-northeast-2"],
                "decision": "allow",
                "rules": [
                  {
                    "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
                    "ruleset": "Offices",
                    "purpose": "allowlist",
                    "ip": "3.5.140.0/22",
                    "name": "backup",
                    "expires_at": "2027-06-30T00:00:00.000Z",
                  },
                ],
                "rules_count": 1,
              },
              {
                "ip": "203.0.113.7",
                "lines": 1,
                "cbs_ids": [],
                "labels": [],
                "decision": "allow",
                "rules": [
                  {
                    "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
                    "ruleset": "Offices",
                    "purpose": "allowlist",
                    "ip": "203.0.113.0/24",
                    "name": "office",
                    "expires_at": "2027-06-30T00:00:00.000Z",
                  },
                ],
                "rules_count": 1,
              },
            ],
            "addresses": 3,
            "lines_missing": 0,
          },
          "error": null,
          "result_bytes": 123,
        },
      },
    },
    "bodies": {
      "text/plain": "3.5.140.7 - - [21/Nov/2026:11:58:02 +0000] \"GET / HTTP/2.0\" 200 18432\n1.1.1.9 - - [21/Nov/2026:11:58:03 +0000] \"GET /favicon.ico HTTP/2.0\" 200 4286\n203.0.113.7 - - [21/Nov/2026:11:59:40 +0000] \"GET /cart HTTP/1.1\" 200 9120\n",
      "application/octet-stream": "3.5.140.7 - - [21/Nov/2026:11:58:02 +0000] \"GET / HTTP/2.0\" 200 18432\n1.1.1.9 - - [21/Nov/2026:11:58:03 +0000] \"GET /favicon.ico HTTP/2.0\" 200 4286\n203.0.113.7 - - [21/Nov/2026:11:59:40 +0000] \"GET /cart HTTP/1.1\" 200 9120\n",
    },
  },
  "listIdentifications": {
    "answers": {
      "200": {
        "application/json": {
          "items": [
            {
              "id": "7d0c5a2e-3b1f-4c6d-9a8e-2f4b6c8d0e1a",
              "name": "access.log",
              "format": "tsv",
              "state": "done",
              "started_at": "2026-11-21T12:00:00.000Z",
              "ended_at": "2026-11-21T12:00:00.000Z",
              "expires_at": "2026-11-21T13:00:00.000Z",
              "bytes": 223,
              "size": 223,
              "lines": 3,
              "matched": 2,
              "unmatched": 1,
              "no_address": 0,
              "repeated_address": null,
              "types": [{ "type": "cdn", "name": "CDN", "lines": 1 }, { "type": "cloud", "name": "Cloud", "lines": 1 }],
              "providers": [
                { "type": "cdn", "provider": "cloudflare", "name": "Cloudflare", "lines": 1 },
                { "type": "cloud", "provider": "aws", "name": "Amazon Web Services", "lines": 1 },
              ],
              "services": [{ "type": "cloud", "provider": "aws", "service": "s3", "name": "Amazon Web Services s3", "lines": 1 }],
              "unmatched_sample": [{ "text": "203.0.113.7 - - [21/Nov/2026:11:59:40 +0000] \"GET /cart HTTP/1.1\" 200 9120", "has_address": true }],
              "top_addresses": {
                "matched": [
                  { "ip": "1.1.1.9", "lines": 1, "cbs_ids": ["/cdn/cloudflare"], "labels": ["CDN > Cloudflare"], "decision": "none", "rules": [], "rules_count": 0 },
                  {
                    "ip": "3.5.140.7",
                    "lines": 1,
                    "cbs_ids": ["/cloud/aws/by-region/ap-northeast-2/s3", "/cloud/aws/by-service/s3/ap-northeast-2"],
                    "labels": ["Cloud > Amazon Web Services > By region > ap-northeast-2 > s3", "Cloud > Amazon Web Services > By service > s3 > ap-northeast-2"],
                    "decision": "allow",
                    "rules": [
                      {
                        "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
                        "ruleset": "Offices",
                        "purpose": "allowlist",
                        "ip": "3.5.140.0/22",
                        "name": "backup",
                        "expires_at": "2027-06-30T00:00:00.000Z",
                      },
                    ],
                    "rules_count": 1,
                  },
                ],
                "unmatched": [
                  {
                    "ip": "203.0.113.7",
                    "lines": 1,
                    "cbs_ids": [],
                    "labels": [],
                    "decision": "allow",
                    "rules": [
                      {
                        "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
                        "ruleset": "Offices",
                        "purpose": "allowlist",
                        "ip": "203.0.113.0/24",
                        "name": "office",
                        "expires_at": "2027-06-30T00:00:00.000Z",
                      },
                    ],
                    "rules_count": 1,
                  },
                ],
                "matched_count": 2,
                "unmatched_count": 1,
                "lines_missing": 0,
              },
              "ruleset_comparison": {
                "as_of": "2026-11-21T12:00:00.000Z",
                "rulesets": [{ "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14", "name": "Offices", "purpose": "allowlist", "covered": { "lines": 2, "addresses": 2 } }],
                "rulesets_left_out": 0,
                "covered_by": {
                  "allowlists_only": { "lines": 2, "addresses": 2 },
                  "blocklists_only": { "lines": 0, "addresses": 0 },
                  "both": { "lines": 0, "addresses": 0 },
                  "neither": { "lines": 1, "addresses": 1 },
                },
                "top_addresses": [
                  {
                    "ip": "3.5.140.7",
                    "lines": 1,
                    "cbs_ids": ["/cloud/aws/by-region/ap-northeast-2/s3", "/cloud/aws/by-service/s3/ap-northeast-2"],
                    "labels": ["Cloud > Amazon Web Services > By region > ap-northeast-2 > s3", "Cloud > Amazon Web Services > By service > s3 > ap-northeast-2"],
                    "decision": "allow",
                    "rules": [
                      {
                        "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
                        "ruleset": "Offices",
                        "purpose": "allowlist",
                        "ip": "3.5.140.0/22",
                        "name": "backup",
                        "expires_at": "2027-06-30T00:00:00.000Z",
                      },
                    ],
                    "rules_count": 1,
                  },
                  {
                    "ip": "203.0.113.7",
                    "lines": 1,
                    "cbs_ids": [],
                    "labels": [],
                    "decision": "allow",
                    "rules": [
                      {
                        "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
                        "ruleset": "Offices",
                        "purpose": "allowlist",
                        "ip": "203.0.113.0/24",
                        "name": "office",
                        "expires_at": "2027-06-30T00:00:00.000Z",
                      },
                    ],
                    "rules_count": 1,
                  },
                ],
                "addresses": 3,
                "lines_missing": 0,
              },
              "error": null,
              "result_bytes": 123,
            },
          ],
          "count": 1,
        },
      },
    },
  },
  "getIdentification": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7d0c5a2e-3b1f-4c6d-9a8e-2f4b6c8d0e1a",
          "name": "access.log",
          "format": "tsv",
          "state": "done",
          "started_at": "2026-11-21T12:00:00.000Z",
          "ended_at": "2026-11-21T12:00:00.000Z",
          "expires_at": "2026-11-21T13:00:00.000Z",
          "bytes": 223,
          "size": 223,
          "lines": 3,
          "matched": 2,
          "unmatched": 1,
          "no_address": 0,
          "repeated_address": null,
          "types": [{ "type": "cdn", "name": "CDN", "lines": 1 }, { "type": "cloud", "name": "Cloud", "lines": 1 }],
          "providers": [{ "type": "cdn", "provider": "cloudflare", "name": "Cloudflare", "lines": 1 }, { "type": "cloud", "provider": "aws", "name": "Amazon Web Services", "lines": 1 }],
          "services": [{ "type": "cloud", "provider": "aws", "service": "s3", "name": "Amazon Web Services s3", "lines": 1 }],
          "unmatched_sample": [{ "text": "203.0.113.7 - - [21/Nov/2026:11:59:40 +0000] \"GET /cart HTTP/1.1\" 200 9120", "has_address": true }],
          "top_addresses": {
            "matched": [
              { "ip": "1.1.1.9", "lines": 1, "cbs_ids": ["/cdn/cloudflare"], "labels": ["CDN > Cloudflare"], "decision": "none", "rules": [], "rules_count": 0 },
              {
                "ip": "3.5.140.7",
                "lines": 1,
                "cbs_ids": ["/cloud/aws/by-region/ap-northeast-2/s3", "/cloud/aws/by-service/s3/ap-northeast-2"],
                "labels": ["Cloud > Amazon Web Services > By region > ap-northeast-2 > s3", "Cloud > Amazon Web Services > By service > s3 > ap-northeast-2"],
                "decision": "allow",
                "rules": [
                  {
                    "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
                    "ruleset": "Offices",
                    "purpose": "allowlist",
                    "ip": "3.5.140.0/22",
                    "name": "backup",
                    "expires_at": "2027-06-30T00:00:00.000Z",
                  },
                ],
                "rules_count": 1,
              },
            ],
            "unmatched": [
              {
                "ip": "203.0.113.7",
                "lines": 1,
                "cbs_ids": [],
                "labels": [],
                "decision": "allow",
                "rules": [
                  {
                    "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
                    "ruleset": "Offices",
                    "purpose": "allowlist",
                    "ip": "203.0.113.0/24",
                    "name": "office",
                    "expires_at": "2027-06-30T00:00:00.000Z",
                  },
                ],
                "rules_count": 1,
              },
            ],
            "matched_count": 2,
            "unmatched_count": 1,
            "lines_missing": 0,
          },
          "ruleset_comparison": {
            "as_of": "2026-11-21T12:00:00.000Z",
            "rulesets": [{ "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14", "name": "Offices", "purpose": "allowlist", "covered": { "lines": 2, "addresses": 2 } }],
            "rulesets_left_out": 0,
            "covered_by": {
              "allowlists_only": { "lines": 2, "addresses": 2 },
              "blocklists_only": { "lines": 0, "addresses": 0 },
              "both": { "lines": 0, "addresses": 0 },
              "neither": { "lines": 1, "addresses": 1 },
            },
            "top_addresses": [
              {
                "ip": "3.5.140.7",
                "lines": 1,
                "cbs_ids": ["/cloud/aws/by-region/ap-northeast-2/s3", "/cloud/aws/by-service/s3/ap-northeast-2"],
                "labels": ["Cloud > Amazon Web Services > By region > ap-northeast-2 > s3", "Cloud > Amazon Web Services > By service > s3 > ap-northeast-2"],
                "decision": "allow",
                "rules": [
                  {
                    "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
                    "ruleset": "Offices",
                    "purpose": "allowlist",
                    "ip": "3.5.140.0/22",
                    "name": "backup",
                    "expires_at": "2027-06-30T00:00:00.000Z",
                  },
                ],
                "rules_count": 1,
              },
              {
                "ip": "203.0.113.7",
                "lines": 1,
                "cbs_ids": [],
                "labels": [],
                "decision": "allow",
                "rules": [
                  {
                    "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
                    "ruleset": "Offices",
                    "purpose": "allowlist",
                    "ip": "203.0.113.0/24",
                    "name": "office",
                    "expires_at": "2027-06-30T00:00:00.000Z",
                  },
                ],
                "rules_count": 1,
              },
            ],
            "addresses": 3,
            "lines_missing": 0,
          },
          "error": null,
          "result_bytes": 123,
        },
      },
    },
  },
  "replayLog": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a26",
          "identification": "7d0c5a2e-3b1f-4c6d-9a8e-2f4b6c8d0e1a",
          "created_at": "2026-11-21T12:00:00.000Z",
          "expires_at": "2026-11-21T13:00:00.000Z",
          "log": { "lines": 3, "with_address": 3, "lines_missing": 0 },
          "hit": { "lines": 1, "addresses": 1 },
          "rules": { "hit": 1, "unused": 1 },
          "top_rules": [{ "ip": "203.0.113.0/24", "name": null, "lines": 1, "addresses": 1 }],
          "unused_rules": [{ "ip": "198.51.100.7", "name": null }],
          "top_addresses": [{ "ip": "203.0.113.7", "lines": 1 }],
          "services": [],
          "difference": { "only_rules": { "lines": 0, "addresses": 0 }, "only_against": { "lines": 0, "addresses": 0 } },
        },
      },
    },
  },
  "getReplay": {
    "answers": {
      "200": {
        "application/json": {
          "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a26",
          "identification": "7d0c5a2e-3b1f-4c6d-9a8e-2f4b6c8d0e1a",
          "created_at": "2026-11-21T12:00:00.000Z",
          "expires_at": "2026-11-21T13:00:00.000Z",
          "log": { "lines": 3, "with_address": 3, "lines_missing": 0 },
          "hit": { "lines": 1, "addresses": 1 },
          "rules": { "hit": 1, "unused": 1 },
          "top_rules": [{ "ip": "203.0.113.0/24", "name": null, "lines": 1, "addresses": 1 }],
          "unused_rules": [{ "ip": "198.51.100.7", "name": null }],
          "top_addresses": [{ "ip": "203.0.113.7", "lines": 1 }],
          "services": [],
          "difference": { "only_rules": { "lines": 0, "addresses": 0 }, "only_against": { "lines": 0, "addresses": 0 } },
        },
      },
    },
  },
  "getUndo": {
    "answers": {
      "200": {
        "application/json": {
          "change": {
            "sequence": 86,
            "at": "2026-11-21T12:00:00.000Z",
            "kind": "import-rules",
            "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
            "ruleset_name": "Offices",
            "summary": "changed 2 rules",
            "can_undo": true,
            "reason": null,
          },
        },
      },
    },
  },
  "undo": {
    "answers": {
      "200": {
        "application/json": {
          "undone": {
            "sequence": 86,
            "at": "2026-11-21T12:00:00.000Z",
            "kind": "import-rules",
            "ruleset_id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14",
            "ruleset_name": "Offices",
            "summary": "changed 2 rules",
            "can_undo": true,
            "reason": null,
          },
        },
      },
    },
  },
  "getAuditFilters": {
    "answers": {
      "200": {
        "application/json": {
          "kinds": [
            { "kind": "add-rule", "action": "Add rule" },
            { "kind": "update-rule", "action": "Edit rule" },
            { "kind": "delete-rule", "action": "Delete rule" },
            { "kind": "batch-rules", "action": "Change several rules" },
            { "kind": "import-rules", "action": "Import rules" },
            { "kind": "replace-rules", "action": "Replace all rules" },
            { "kind": "restore-rules", "action": "Undo a change of rules" },
            { "kind": "create-ruleset", "action": "Create ruleset" },
            { "kind": "update-ruleset", "action": "Edit ruleset" },
            { "kind": "delete-ruleset", "action": "Delete ruleset" },
            { "kind": "restore-ruleset", "action": "Undo deleting a ruleset" },
            { "kind": "create-key", "action": "Create key" },
            { "kind": "revoke-key", "action": "Revoke key" },
            { "kind": "create-user", "action": "Invite user" },
            { "kind": "invite-user", "action": "Invite user again" },
            { "kind": "join", "action": "Accept invitation" },
            { "kind": "set-role", "action": "Change role" },
            { "kind": "delete-user", "action": "Remove user" },
            { "kind": "start-session", "action": "Sign in" },
            { "kind": "end-session", "action": "Sign out" },
            { "kind": "set-password", "action": "Change password" },
            { "kind": "create-organisation", "action": "Create organisation" },
            { "kind": "set-up", "action": "Set up" },
            { "kind": "set-guard-classes", "action": "Change what guards protect" },
            { "kind": "set-plan", "action": "Change plan" },
            { "kind": "create-deployment", "action": "Create deployment" },
            { "kind": "update-deployment", "action": "Edit deployment" },
            { "kind": "delete-deployment", "action": "Delete deployment" },
            { "kind": "rotate-deployment", "action": "Rotate credentials" },
            { "kind": "create-credential", "action": "Create credential of a deployment" },
            { "kind": "revoke-credential", "action": "Revoke credential of a deployment" },
            { "kind": "create-taxii-credential", "action": "Create TAXII credential" },
            { "kind": "revoke-taxii-credential", "action": "Revoke TAXII credential" },
            { "kind": "release-list", "action": "Release a refused list" },
            { "kind": "create-list", "action": "Create external list" },
            { "kind": "update-list", "action": "Edit external list" },
            { "kind": "delete-list", "action": "Delete external list" },
            { "kind": "set-list-credentials", "action": "Change credentials of an external list" },
            { "kind": "create-webhook", "action": "Create webhook endpoint" },
            { "kind": "update-webhook", "action": "Edit webhook endpoint" },
            { "kind": "delete-webhook", "action": "Delete webhook endpoint" },
            { "kind": "rotate-webhook", "action": "Replace webhook secret" },
            { "kind": "stop-webhook", "action": "Stop webhook endpoint" },
            { "kind": "update-catalogue", "action": "Update catalogue" },
            { "kind": "import-feed", "action": "Import threat feed" },
          ],
          "actors": [
            { "actor": "user:7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a13", "kind": "user", "name": "ann@example.org" },
            { "actor": "user:7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a18", "kind": "user", "name": "bob@example.org" },
            { "actor": "key:7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a19", "kind": "key", "name": "firewall" },
            { "actor": "command", "kind": "command", "name": "Command line" },
          ],
          "rulesets": [{ "id": "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a14", "name": "Offices" }],
        },
      },
    },
  },
  "exportAudit": {
    "answers": {
      "200": {
        "text/csv": "sequence,at,actor_kind,actor_id,actor,kind,action,summary,ruleset_id\n61,2026-11-21T12:00:00.000Z,user,7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a13,ann@example.org,create-key,Create key,\"created the key \"\"firewall\"\" (ips_Ab3d...)\",\n",
        "application/x-ndjson": "{\"sequence\":61,\"at\":\"2026-11-21T12:00:00.000Z\",\"actor\":{\"kind\":\"user\",\"id\":\"7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a13\",\"name\":\"ann@example.org\"},\"kind\":\"create-key\",\"action\":\"Create key\",\"ruleset_id\":null,\"summary\":\"created the key \\\"firewall\\\" (ips_Ab3d...)\",\"counts\":null,\"sha256\":null,\"old\":null,\"new\":{\"id\":\"7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a19\",\"label\":\"firewall\",\"access\":\"read\",\"start\":\"ips_Ab3d\",\"expires_at\":\"2030-01-01T00:00:00.000Z\",\"revoked_at\":null}}\n",
      },
    },
  },
  "updateCatalogue": {
    "answers": {
      "202": {
        "application/json": {
          "can_update": true,
          "reason": null,
          "last": {
            "state": "running",
            "started_by": "ann@example.org",
            "started_at": "2026-11-21T12:00:00.000Z",
            "ended_at": null,
            "done": 0,
            "total": 0,
            "counts": { "new": 0, "changed": 0, "unchanged": 0, "refused": 0, "failed": 0, "absent": 0 },
            "lists": [],
            "catalogue": null,
            "error": null,
          },
        },
      },
    },
  },
  "importFeed": {
    "answers": {
      "200": {
        "application/json": {
          "can_import": true,
          "reason": null,
          "max_bytes": 268435456,
          "last": {
            "name": "scanners.txt",
            "state": "done",
            "phase": "compiling",
            "started_by": "ann@example.org",
            "started_at": "2026-11-21T12:00:00.000Z",
            "ended_at": "2026-11-21T12:00:00.000Z",
            "size": 39,
            "received": 39,
            "compiled": 39,
            "lines": 3,
            "sha256": "426dd8ec9f1499d9c44a328e1222cab0a277363ee76f696b57ea9a217fa83dbb",
            "error": null,
            "result": {
              "lines": 3,
              "entries": 2,
              "skipped": 1,
              "skipped_lines": [{ "line": 3, "column": 1, "message": "\"no\": the character \"n\" is not valid in an address" }],
              "warnings": [],
            },
            "dataset": { "created_at": "2026-11-21T12:00:00.000Z", "ipv4_prefixes": 2, "ipv6_prefixes": 0, "documents": 1 },
            "changes": { "total_prefixes": 2, "added": 0, "removed": 0, "kept": 2 },
            "refused_percent": null,
          },
        },
      },
    },
    "bodies": {
      "text/csv": "ip,classification,tags\n198.51.100.7,malicious,scanner\n203.0.113.0/24,suspicious,\n",
      "application/x-ndjson": "{\"ip\":\"198.51.100.7\",\"classification\":\"malicious\",\"tags\":[\"scanner\"]}\n{\"ip\":\"203.0.113.0/24\"}\n",
      "text/plain": "198.51.100.7\n203.0.113.0/24\nno address\n",
      "application/octet-stream": "198.51.100.7\n203.0.113.0/24\nno address\n",
    },
  },
  "getFeedImport": {
    "answers": {
      "200": {
        "application/json": {
          "can_import": true,
          "reason": null,
          "max_bytes": 268435456,
          "last": {
            "name": "scanners.txt",
            "state": "done",
            "phase": "compiling",
            "started_by": "ann@example.org",
            "started_at": "2026-11-21T12:00:00.000Z",
            "ended_at": "2026-11-21T12:00:00.000Z",
            "size": 39,
            "received": 39,
            "compiled": 39,
            "lines": 3,
            "sha256": "426dd8ec9f1499d9c44a328e1222cab0a277363ee76f696b57ea9a217fa83dbb",
            "error": null,
            "result": {
              "lines": 3,
              "entries": 2,
              "skipped": 1,
              "skipped_lines": [{ "line": 3, "column": 1, "message": "\"no\": the character \"n\" is not valid in an address" }],
              "warnings": [],
            },
            "dataset": { "created_at": "2026-11-21T12:00:00.000Z", "ipv4_prefixes": 2, "ipv6_prefixes": 0, "documents": 1 },
            "changes": { "total_prefixes": 2, "added": 0, "removed": 0, "kept": 2 },
            "refused_percent": null,
          },
        },
      },
    },
  },
  "getThreatDataset": {
    "answers": {
      "200": {
        "application/json": {
          "dataset": {
            "title": "scanners.txt",
            "created_at": "2026-11-21T12:00:00.000Z",
            "age_days": 0,
            "is_old": false,
            "ipv4_prefixes": 2,
            "ipv6_prefixes": 0,
            "documents": 1,
            "sources": [{ "name": "scanners.txt", "entries": 2 }],
          },
        },
      },
    },
  },
  "getCatalogueUpdate": {
    "answers": {
      "200": {
        "application/json": {
          "can_update": true,
          "reason": null,
          "last": {
            "state": "done",
            "started_by": "ann@example.org",
            "started_at": "2026-11-21T12:00:00.000Z",
            "ended_at": "2026-11-21T12:00:00.000Z",
            "done": 1,
            "total": 1,
            "counts": { "new": 1, "changed": 0, "unchanged": 0, "refused": 0, "failed": 0, "absent": 0 },
            "lists": [{ "source": "telegram", "path": "telegram/cidr.txt", "outcome": "new", "problem": null, "prefixes": 2, "added": 2, "removed": 0 }],
            "catalogue": { "created_at": "2026-11-21T12:00:00.000Z", "sources": 1, "nodes": 462, "ipv4_prefixes": 198518, "ipv6_prefixes": 43347, "is_changed": true, "missing": [] },
            "error": null,
          },
        },
      },
    },
  },
  "getCatalogue": {
    "answers": {
      "200": {
        "application/json": {
          "title": "Publishers' official lists and prefixes known by AS number",
          "created_at": "2026-11-21T12:00:00.000Z",
          "layers": [
            {
              "layer": "official",
              "sources": 1,
              "oldest_at": "2026-11-21T12:00:00.000Z",
              "newest_at": "2026-11-21T12:00:00.000Z",
              "age_days": 0,
              "is_old": false,
              "advice": null,
            },
            {
              "layer": "as-numbers",
              "sources": 1,
              "oldest_at": "2026-06-17T19:00:00.000Z",
              "newest_at": "2026-06-17T19:00:00.000Z",
              "age_days": 156,
              "is_old": true,
              "advice": "newer releases of ipsieve include newer AS numbers",
            },
          ],
          "sources": [
            {
              "node": "/saas/telegram",
              "source": "telegram",
              "layer": "official",
              "name": "Telegram",
              "version": null,
              "url": "https://core.telegram.org/resources/cidr.txt",
              "license": "No licence stated; published by the provider for allow-lists and firewalls.",
              "attribution": null,
              "published_at": null,
              "fetched_at": "2026-11-21T12:00:00.000Z",
              "changed_at": "2026-11-21T12:00:00.000Z",
            },
            {
              "node": null,
              "source": "asn",
              "layer": "as-numbers",
              "name": "@ip-location-db/asn",
              "version": "2.3.2026061719",
              "url": "https://github.com/sapics/ip-location-db/tree/main/asn",
              "license": "CC-BY-4.0",
              "attribution": "Route Views (https://www.routeviews.org), Number Resource Organization (https://www.nro.net), IP Geolocation by DB-IP (https://db-ip.com)",
              "published_at": "2026-06-17T19:00:00.000Z",
              "fetched_at": null,
              "changed_at": null,
            },
            {
              "node": null,
              "source": "ipsieve provider map",
              "layer": "own",
              "name": "ipsieve provider map",
              "version": null,
              "url": null,
              "license": "Apache-2.0",
              "attribution": null,
              "published_at": null,
              "fetched_at": null,
              "changed_at": null,
            },
          ],
        },
      },
    },
  },
};
