import type { Deployment } from "../documents.ts";
import type { Format } from "../formats.ts";

type Device = Deployment["device"];

/** Devices with limits of their own: what they are called, and the format that they bring. */
export const DEVICES: Readonly<Record<Device, readonly [title: string, format: Format | undefined]>> = {
  none: ["No particular device", undefined],
  "paloalto-50k": ["PAN-OS, 50,000 entries", "paloalto"],
  "paloalto-150k": ["PAN-OS, 150,000 entries", "paloalto"],
  "fortinet-7.4.3": ["FortiOS up to 7.4.3: 131,072 entries, 10 MB", "fortinet"],
  "fortinet-32mb": ["FortiOS, 300,000 entries, 32 MB", "fortinet"],
  "fortinet-64mb": ["FortiOS, 300,000 entries, 64 MB", "fortinet"],
  "fortinet-128mb": ["FortiOS, 300,000 entries, 128 MB", "fortinet"],
  cisco: ["Cisco security intelligence, 500 MB", "cisco"],
  "sonicwall-25k": ["SonicOS, 25,000 entries", "sonicwall"],
  "sonicwall-50k": ["SonicOS, 50,000 entries", "sonicwall"],
  "aws-waf": ["AWS WAF, 10,000 entries", "aws-waf"],
  "aws-prefix-list": ["AWS managed prefix list, 1,000 entries", "aws-prefix-list"],
  "azure-ip-group": ["Azure IP group, 5,000 entries", "azure-ip-group"],
  "cloudflare-list": ["Cloudflare list, 10,000 items", "cloudflare-list"],
};

/** Devices by name, with their titles, for a choice. */
export const DEVICE_TITLES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(DEVICES).map(([device, [title]]) => [device, title]),
);
