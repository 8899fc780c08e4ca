import type { Network } from "../../networks/networks.ts";
import { networkText } from "../output/network-text.ts";
import type { RuleRole } from "../../rulesets/explain.ts";
import type { Purpose } from "../../rulesets/ruleset.ts";
import { oneLine } from "../runner/one-line.ts";
import { shellWord } from "../output/shell-word.ts";
import type { Style } from "../output/style.ts";

/** What all lists together say about an address or prefix: what `ipsieve explain --json` prints. Times are ISO 8601. */
export interface ExplainedAddress {
  readonly ip: string;
  readonly verdict: "allowed" | "blocked" | "none";
  readonly next_change_at: string | null;
  /** Ids of the catalogue. */
  readonly services: readonly string[];
  /** Who announces it; null if that is not known. */
  readonly network: Network | null;
  readonly lists: readonly ExplainedList[];
  /** Of a server: those that list any of it. */
  readonly deployments?: readonly ExplainedDeployment[];
  /** Ids of the deployments that do the opposite of the verdict with any of it. */
  readonly contradicted_by?: readonly string[];
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
  readonly id: string;
  readonly name: string;
  readonly purpose: string;
  readonly status: "ok" | "stale" | "refused";
  readonly contains: "all" | "part" | "none" | "unknown";
  readonly decided_by: "include" | "exclude" | "guard" | "fit" | null;
  /** Of the list that they keep; absent unless the latest was refused. */
  readonly devices_have?: "all" | "part" | "none";
  /** Absent unless its entries have times. */
  readonly ends_at?: string | null;
}

const COLORS = { allowed: "green", blocked: "red", none: "dim" } as const;
const WORDS = { allowed: "allowed", blocked: "blocked", none: "not covered by any active rule" } as const;

/** The same for people, in lines. `connection`: the options of commands that are advised. */
export function explanationCard(explained: ExplainedAddress, style: Style, connection = ""): string {
  const {
    ip,
    verdict,
    lists,
    next_change_at: next,
    services,
    network,
    deployments = [],
    contradicted_by = [],
  } = explained;
  const against = deployments.filter(({ id }) => contradicted_by.includes(id));
  const lines = [
    `${ip}: ${style(COLORS[verdict], WORDS[verdict])}${next === null ? "" : `; another rule decides, or none, from ${next}`}`,
    ...(against.length === 0 ? [] : contradictionLines(explained, against, style, connection)),
    ...lists.flatMap(({ list, purpose, rules }) =>
      rules.map((rule) => `  ${oneLine(list)} (${purpose})  ${ruleLine(rule, overriding(explained, purpose))}`),
    ),
    ...deployments.map((each) => `  deployment ${oneLine(each.name)} (${each.purpose}): ${deploymentText(each)}`),
    ...(services.length === 0 ? [] : [`  services: ${services.join(", ")}`]),
    ...(network === null ? [] : [`  network: ${networkText(network)} (${network.cidr})`]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** What rules say and what devices do differ; and the commands that end that. */
function contradictionLines(
  { verdict, lists }: ExplainedAddress,
  against: readonly ExplainedDeployment[],
  style: Style,
  connection: string,
): string[] {
  const names = against.map(({ name }) => oneLine(name)).join(", ");
  const [does, purpose] = verdict === "allowed" ? ["blocked", "allowlist"] : ["allowed", "blocklist"];
  const decider = lists.find((list) => list.purpose === purpose && hasDecider(list))!;
  const who = against.length === 1 ? `the deployment ${names}` : `${against.length} deployments: ${names}`;
  const exclude = shellWord(`ruleset:${oneLine(decider.list)}`);
  const commands = against.map(
    (each) => `    ipsieve deployment update ${operandOf(each)} --add-exclude ${exclude}${connection}`,
  );
  const cure = "To end that (each shows the change and asks; scripts add --yes):";
  return [`  ${style("yellow", `but ${does} by ${who}. ${cure}`)}`, ...commands];
}

/** The name, unless it would be taken for an option. */
function operandOf({ id, name }: ExplainedDeployment): string {
  return name.startsWith("-") ? id : shellWord(oneLine(name));
}

function hasDecider({ rules }: ExplainedList): boolean {
  return rules.some(({ role }) => role === "decides");
}

/** The allowlist whose rule decides instead of that of a blocklist. */
function overriding({ lists }: ExplainedAddress, purpose: Purpose): ExplainedList | undefined {
  return purpose === "allowlist" ? undefined : lists.find((list) => list.purpose === "allowlist" && hasDecider(list));
}

const ROLES = {
  decides: "decides: the most specific active rule",
  "less-specific": "less specific",
  expired: "expired",
} as const;

function ruleLine({ ip, name, expires_at: expiresAt, role }: ExplainedRule, overriding?: ExplainedList): string {
  const expiry = expiresAt === null ? "" : `${role === "expired" ? " at " : "; expires "}${expiresAt}`;
  const part =
    role === "decides" && overriding !== undefined
      ? `overridden by ${oneLine(overriding.list)}, which allows`
      : ROLES[role];
  return `${ip}${name === null ? "" : ` ${JSON.stringify(name)}`}: ${part}${expiry}`;
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

function deploymentText({ status, contains, devices_have: had, ...rest }: ExplainedDeployment): string {
  const { decided_by: side, ends_at: end = null } = rest;
  const text = `${CONTAINS[contains]}${side === null ? "" : DECIDES[side]}${end === null ? "" : `; until ${end}`}`;
  return `${text}${status === "refused" ? keptText(had) : STATUSES[status]}`;
}

function keptText(had: ExplainedDeployment["devices_have"] = "none"): string {
  return `; but this list was refused: the one that devices keep, if any, ${CONTAINS[had]}`;
}

const STATUSES = {
  ok: "",
  stale: "; devices have no list yet",
} as const;
