import type { DeploymentDefinition } from "../../src/store/records/deployment.ts";

/** The definition of an empty blocklist, as plain text for any device, with these changes. */
export function definitionOf(changes: Partial<DeploymentDefinition>): DeploymentDefinition {
  return {
    description: "",
    firewall_format: "text",
    device: "none",
    update_frequency: "5m",
    purpose: "blocklist",
    direction: "both",
    active: true,
    include: [],
    exclude: [],
    options: {},
    ...changes,
  };
}
