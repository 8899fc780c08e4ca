import type { RuleExportFormat } from "../rulesets/export-rules.ts";

/** How a device reads a list, and how much of it. */
export interface Device {
  readonly about: string;
  readonly format: RuleExportFormat;
  /** It ignores or rejects more than these. */
  readonly maxEntries?: number;
  readonly maxBytes?: number;
  /** A list with more is split into files of at most so many, which the device takes one by one. */
  readonly chunkEntries?: number;
}

/** Devices by name, with the limits that their vendors document. Models of one vendor differ: people choose theirs. */
export const DEVICES: Readonly<Record<string, Device>> = {
  "paloalto-50k": { about: "PAN-OS, models with 50,000 entries", format: "paloalto", maxEntries: 50_000 },
  "paloalto-150k": { about: "PAN-OS, models with 150,000 entries", format: "paloalto", maxEntries: 150_000 },
  "fortinet-7.4.3": {
    about: "FortiOS up to 7.4.3: 131,072 entries, 10 MB",
    format: "fortinet",
    maxEntries: 131_072,
    maxBytes: 10_000_000,
    chunkEntries: 130_000,
  },
  "fortinet-32mb": {
    about: "FortiOS, 300,000 entries, 32 MB",
    format: "fortinet",
    maxEntries: 300_000,
    maxBytes: 32e6,
  },
  "fortinet-64mb": {
    about: "FortiOS, 300,000 entries, 64 MB",
    format: "fortinet",
    maxEntries: 300_000,
    maxBytes: 64e6,
  },
  "fortinet-128mb": {
    about: "FortiOS, 300,000 entries, 128 MB",
    format: "fortinet",
    maxEntries: 300_000,
    maxBytes: 128e6,
  },
  cisco: { about: "Cisco security intelligence feeds: 500 MB", format: "cisco", maxBytes: 500e6 },
  "sonicwall-25k": { about: "SonicOS, models with 25,000 entries", format: "sonicwall", maxEntries: 25_000 },
  "sonicwall-50k": { about: "SonicOS, models with 50,000 entries", format: "sonicwall", maxEntries: 50_000 },
  "aws-waf": { about: "IP sets of AWS WAF: 10,000 entries", format: "aws-waf", maxEntries: 10_000 },
  "aws-prefix-list": { about: "managed prefix lists: 1,000 entries", format: "aws-prefix-list", maxEntries: 1000 },
  "azure-ip-group": { about: "IP groups: 5,000 entries", format: "azure-ip-group", maxEntries: 5000 },
  "cloudflare-list": { about: "custom lists: 10,000 items", format: "cloudflare-list", maxEntries: 10_000 },
};
