import { ibmDataCenters } from "../../../src/cbs/importers/ibm.ts";
import type { Importer } from "../../../src/cbs/importers/imported-list.ts";
import { pagerdutyPage } from "../../../src/cbs/importers/pagerduty.ts";
import { GENERIC_IMPORTERS, SOURCES } from "../../../src/cbs/importers/sources.ts";

const KINDS = [
  "aws",
  "google-cloud",
  "google",
  "azure",
  "oracle",
  "ibm",
  "digitalocean",
  "vultr",
  "cdn77",
  "bunny",
  "cloudflare",
  "fastly",
  "github",
  "atlassian",
  "microsoft365",
  "okta",
  "datadog",
  "salesforce",
  "circleci",
  "intercom",
  "grafana",
  "new-relic",
  "ahrefs",
  "zscaler",
  "statuscake",
  "nodeping",
  "databricks",
  "tenable",
  "gcore",
  "zendesk",
];
/** One importer of each kind. */
export const kinds: readonly Importer[] = [
  ...SOURCES.filter(({ id }) => KINDS.includes(id)).map(({ files }) => files[0]!.importer),
  ...Object.values(GENERIC_IMPORTERS),
  ibmDataCenters,
  pagerdutyPage,
];
