import type { Deployment } from "./documents.ts";

/** How often something is fetched, for a choice. */
export const INTERVALS: Readonly<Record<Deployment["update_frequency"], string>> = {
  "5m": "5 minutes",
  "15m": "15 minutes",
  "30m": "30 minutes",
  "60m": "1 hour",
  "6h": "6 hours",
  "12h": "12 hours",
  "24h": "24 hours",
};
