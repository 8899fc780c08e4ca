import type { RuleRole } from "../../rulesets/explain.ts";
import type { Purpose } from "../../rulesets/ruleset.ts";
import { oneLine } from "../output/one-line.ts";
import type { Style } from "../output/style.ts";

/** What all lists together say about an address or prefix: what `ipsieve explain --json` prints. Times are ISO 8601. */
export interface ExplainedAddress {
  readonly ip: string;
  readonly verdict: "allowed" | "blocked" | "none";
  readonly next_change_at: string | null;
  /** Ids of the catalogue. */
  readonly services: readonly string[];
  readonly lists: readonly ExplainedList[];
  /** Of a server: those that list any of it. */
  readonly deployments?: readonly ExplainedDeployment[];
}

interface ExplainedList {
  readonly list: string;
  readonly purpose: Purpose;
  readonly next_change_at: string | null;
  readonly covered_until: string | null;
  readonly rules: readonly ExplainedRule[];
}

interface ExplainedRule {
  readonly ip: string;
  readonly name: string | null;
  readonly expires_at: string | null;
  readonly role: RuleRole;
}

interface ExplainedDeployment {
  readonly name: string;
  readonly purpose: string;
  readonly contains: "all" | "part" | "none" | "unknown";
  readonly decided_by: "include" | "exclude" | "guard" | "fit" | null;
  /** Absent unless its entries have times. */
  readonly ends_at?: string | null;
}

const COLORS = { allowed: "green", blocked: "red", none: "dim" } as const;
const WORDS = { allowed: "allowed", blocked: "blocked", none: "not covered by any active rule" } as const;

/** The same for people, in lines. */
export function explanationCard(explained: ExplainedAddress, style: Style): string {
  const { ip, verdict, lists, next_change_at: next, services, deployments = [] } = explained;
  const lines = [
    `${ip}: ${style(COLORS[verdict], WORDS[verdict])}${next === null ? "" : `; another rule decides, or none, from ${next}`}`,
    ...lists.flatMap(({ list, purpose, rules }) =>
      rules.map((rule) => `  ${oneLine(list)} (${purpose})  ${ruleLine(rule)}`),
    ),
    ...deployments.map((each) => `  deployment ${oneLine(each.name)} (${each.purpose}): ${deploymentText(each)}`),
    ...(services.length === 0 ? [] : [`  services: ${services.join(", ")}`]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

const ROLES = {
  decides: "decides: the most specific active rule",
  "less-specific": "less specific",
  expired: "expired",
} as const;

function ruleLine({ ip, name, expires_at: expiresAt, role }: ExplainedRule): string {
  const expiry = expiresAt === null ? "" : `${role === "expired" ? " at " : "; expires "}${expiresAt}`;
  return `${ip}${name === null ? "" : ` ${JSON.stringify(name)}`}: ${ROLES[role]}${expiry}`;
}

const CONTAINS = {
  all: "contains it",
  part: "contains part of it",
  none: "does not contain it",
  unknown: "a source cannot be read",
} as const;

const DECIDES = {
  include: "",
  exclude: "; an exclude decides",
  guard: "; its guard decides",
  fit: ", added to shorten the list",
} as const;

function deploymentText({ contains, decided_by: side, ends_at: end = null }: ExplainedDeployment): string {
  return `${CONTAINS[contains]}${side === null ? "" : DECIDES[side]}${end === null ? "" : `; until ${end}`}`;
}
