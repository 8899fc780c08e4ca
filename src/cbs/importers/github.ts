import { nameIn } from "./_names.ts";
import type { Importer } from "./imported-list.ts";
import { keyedLists } from "./keyed-lists.ts";

const NAMES: Readonly<Record<string, string>> = {
  hooks: "Webhooks",
  web: "Web",
  api: "API",
  git: "Git",
  github_enterprise_importer: "Enterprise Importer",
  packages: "Packages",
  pages: "Pages",
  importer: "Importer",
  actions: "Actions",
  actions_macos: "Actions (macOS)",
  codespaces: "Codespaces",
  copilot: "Copilot",
};

/**
 * The lists of api.github.com/meta by service. Beside them stand keys, whose base64 holds `/`, a switch, and host
 * names.
 */
export const github: Importer = keyedLists({
  keys: "service",
  nameOf: (key) => ({ id: key, name: nameIn(NAMES, key) }),
  known: Object.keys(NAMES),
  ignore: [
    "verifiable_password_authentication",
    "github_services_sha",
    "ssh_key_fingerprints",
    "ssh_keys",
    "domains",
    "artifact_attestations",
  ],
});
