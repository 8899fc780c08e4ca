import { AddressError } from "../../address/address-error.ts";
import { formatPrefix, parsePrefix } from "../../address/prefix.ts";
import type { Catalogue } from "../../cbs/catalogue.ts";
import { identify } from "../../cbs/identify.ts";
import { openCatalogue } from "../../datasets/open-catalogue.ts";
import { explain, type Explanation, type ExplainedRule } from "../../rulesets/explain.ts";
import type { Purpose, Ruleset } from "../../rulesets/ruleset.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { nowOf } from "../address-operand.ts";
import { type Arguments, type Command, EXIT } from "../command.ts";
import { DEFAULT_CATALOGUE, defaultCatalogue } from "../default-datasets.ts";
import { openedRules, RULES_NOTE } from "../opened-rules.ts";
import { isOutputClosed, printText } from "../output/standard-output.ts";
import { type Style, styleFor } from "../output/style.ts";
import { readOperands } from "../read-operands.ts";
import { reportError } from "../report-error.ts";
import { UsageError } from "../usage-error.ts";

export const explainCommand: Command = {
  name: "explain",
  summary: "show which rules cover addresses, which one decides and why, and until when",
  operands: "ADDRESS|PREFIX|-...",
  operandWords: [],
  options: [
    { name: "rules", value: "RULES", isPath: true, repeats: true, help: "a list of rules; may be repeated" },
    { name: "allow", value: "RULES", isPath: true, repeats: true, help: "rules that allow, in any file" },
    { name: "snapshot", value: "FILE", isPath: true, help: `the catalogue of services; default: ${DEFAULT_CATALOGUE}` },
    { name: "now", value: "TIME", help: "explain what was or will be decided at TIME; default: now" },
    { name: "json", help: "print one JSON document per line" },
  ],
  notes: [
    `${RULES_NOTE} A ruleset file says itself if it is an allowlist; any other list blocks, unless it is given by --allow.`,
    "In each list the most specific active rule decides. An address that an allowlist and a blocklist cover is allowed. Nothing is asked of a server.",
    "Exit code: 0 if a rule decides about at least one address, 1 if none does, 2 after an error.",
  ],
  examples: [
    { command: "ipsieve explain 1.2.4.9 --rules blocklist.ipsieve --allow own.txt", what: "is it blocked, and why?" },
    { command: "ipsieve explain 1.2.4.9 --rules feed.csv --now 2027-01-01", what: "and then?" },
  ],
  run,
};

interface NamedRules {
  readonly name: string;
  readonly purpose: Purpose;
  readonly rules: Ruleset;
}

/** What all lists together say about an address. */
interface Verdict {
  readonly ip: string;
  readonly verdict: "allowed" | "blocked" | "none";
  readonly lists: readonly (Omit<NamedRules, "rules"> & Explanation)[];
  readonly nextChangeAt: number | null;
  readonly services: readonly string[];
}

async function run(args: Arguments): Promise<number> {
  const lists = await openedLists(args);
  const now = nowOf(args);
  const catalogue = await openCatalogue(args.value("snapshot") ?? defaultCatalogue(), now);
  let [isDecided, hasFailed] = [false, false];
  for await (const { text, location } of readOperands(args.operands)) {
    if (isOutputClosed()) break;
    try {
      const verdict = verdictOf(text, lists, catalogue, now);
      isDecided ||= verdict.verdict !== "none";
      await printText(
        args.has("json") ? `${JSON.stringify(documentOf(verdict))}\n` : cardOf(verdict, styleFor(process.stdout)),
      );
    } catch (error) {
      if (!(error instanceof AddressError)) throw error;
      reportError(error, location);
      hasFailed = true;
    }
  }
  if (hasFailed) return EXIT.error;
  return isDecided ? EXIT.matched : EXIT.nothing;
}

async function openedLists(args: Arguments): Promise<NamedRules[]> {
  const lists: NamedRules[] = [];
  for (const option of ["rules", "allow"])
    for (const path of args.values(option)) {
      const rules = await openedRules(args, path);
      lists.push({ name: path, purpose: option === "allow" ? "allowlist" : rules.purpose, rules });
    }
  if (lists.length === 0) throw new UsageError("give --rules RULES at least once");
  return lists;
}

function verdictOf(text: string, lists: readonly NamedRules[], catalogue: Catalogue, now: number): Verdict {
  const where = parsePrefix(text);
  const explained = lists.map(({ name, purpose, rules }) => ({ name, purpose, ...explain(rules, where, now) }));
  const decides = (purpose: Purpose): boolean =>
    explained.some((list) => list.purpose === purpose && list.deciding !== null);
  const changes = explained.map(({ nextChangeAt }) => nextChangeAt).filter((moment) => moment !== null);
  return {
    ip: formatPrefix(where),
    verdict: decides("allowlist") ? "allowed" : decides("blocklist") ? "blocked" : "none",
    lists: explained,
    nextChangeAt: changes.length === 0 ? null : Math.min(...changes),
    services: identify(catalogue, where, text).cbs_ids,
  };
}

const timestamp = (moment: number | null): string | null => (moment === null ? null : formatTimestamp(moment));

function documentOf({ ip, verdict, lists, nextChangeAt, services }: Verdict): object {
  return {
    ip,
    verdict,
    next_change_at: timestamp(nextChangeAt),
    services,
    lists: lists.map(({ name, purpose, covering, nextChangeAt: next, coveredUntil }) => ({
      list: name,
      purpose,
      next_change_at: timestamp(next),
      covered_until: timestamp(coveredUntil),
      rules: covering.map((rule) => ({
        ip: formatPrefix(rule.prefix),
        name: rule.name,
        expires_at: timestamp(rule.expiresAt),
        role: rule.role,
      })),
    })),
  };
}

const COLORS = { allowed: "green", blocked: "red", none: "dim" } as const;
const WORDS = { allowed: "allowed", blocked: "blocked", none: "not covered by any active rule" } as const;

function cardOf({ ip, verdict, lists, nextChangeAt, services }: Verdict, style: Style): string {
  const next = timestamp(nextChangeAt);
  const lines = [
    `${ip}: ${style(COLORS[verdict], WORDS[verdict])}${next === null ? "" : `; another rule decides, or none, from ${next}`}`,
    ...lists.flatMap(({ name, purpose, covering }) =>
      covering.map((rule) => `  ${name} (${purpose})  ${ruleLine(rule)}`),
    ),
    ...(services.length === 0 ? [] : [`  services: ${services.join(", ")}`]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

const ROLES = {
  decides: "decides: the most specific active rule",
  "less-specific": "less specific",
  expired: "expired",
} as const;

function ruleLine({ prefix, name, expiresAt, role }: ExplainedRule): string {
  const expiry = expiresAt === null ? "" : `${role === "expired" ? " at " : "; expires "}${formatTimestamp(expiresAt)}`;
  return `${formatPrefix(prefix)}${name === null ? "" : ` ${JSON.stringify(name)}`}: ${ROLES[role]}${expiry}`;
}
