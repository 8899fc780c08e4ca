import { formatPrefix } from "../../address/prefix.ts";
import { storedLabels } from "../../rulesets/stored/stored-ruleset.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { MatchId } from "../../table/match-id.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { type CountedEntry, countedBy, type SnapshotCounts } from "./snapshot-counts.ts";

/** Lines by the rule that decides. Throws RulesetError for rules that cannot be read. */
export function rulesetCounts({ metadata, table }: Snapshot): SnapshotCounts {
  const labels = storedLabels(metadata, table);
  const ruleOf = (match: number): Rule => {
    const expiry = labels.expiryOf(match);
    return {
      cidr: formatPrefix(labels.prefixOf(match)),
      name: labels.nameOf(match),
      expires_at: expiry === null ? null : formatTimestamp(expiry),
    };
  };
  // The number of a rule is its match, and rules are numbered in the order of their prefixes.
  const keyOf = (match: MatchId): string => String(match).padStart(10, "0");
  return {
    sections: (perMatch) => [
      {
        one: "rule",
        all: "rules",
        color: "red",
        entries: countedBy(
          perMatch,
          (match) => [keyOf(match)],
          (key) => entryOf(ruleOf(Number(key))),
        ),
      },
    ],
    members: (_, match) => (match === 0 ? { cidr: null, name: null, expires_at: null } : ruleOf(match)),
    words: (_, match) => (match === 0 ? "" : wordsOf(ruleOf(match))),
  };
}

interface Rule {
  readonly cidr: string;
  readonly name: string | null;
  readonly expires_at: string | null;
}

function entryOf(rule: Rule): Omit<CountedEntry, "lines"> {
  return { key: rule.cidr, name: rule.name, shown: wordsOf(rule), members: rule };
}

function wordsOf({ cidr, name }: Rule): string {
  return name === null ? cidr : `${cidr}  ${name}`;
}
