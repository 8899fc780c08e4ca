import { comparePrefixes, formatPrefix } from "../../address/prefix.ts";
import type { WantedRule } from "../../rulesets/plan-replacement.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { prefixIn, type RuleColumns } from "../../rulesets/rule-columns.ts";
import { namesOf } from "../../rulesets/rule-names.ts";
import { ShrinkGuard, type Shrinkage } from "../../rulesets/shrink-guard.ts";
import { updateRule } from "../../rulesets/write-rule.ts";
import type { RuleValues } from "./_engine.ts";
import type { Decision, Group } from "./_group-commit.ts";
import { familyOfKey, lengthOfKey, wordAt } from "../_prefix-key.ts";
import { readAllRules, ruleOfValues } from "./_rule-rows.ts";
import { checkMatch, checkName, type RulesetDraft, tooManyRules } from "../decide/_ruleset-draft.ts";
import { withSavepoint } from "./_savepoint.ts";
import { TouchedRules } from "./_touched-rules.ts";
import type { ReplaceRulesCommand } from "../command.ts";
import { StoreError } from "../store-error.ts";

/** Writes the difference between the rules as they are and as they shall be. It is in a group of its own. */
export async function replaceRules(group: Group, command: ReplaceRulesCommand): Promise<Decision> {
  const draft = group.ruleset(command);
  const { number, id } = draft.row;
  checkMatch(draft.row, command.ifMatch);
  checkWanted(command.rules, group.rulesPerRuleset);
  const touched = new TouchedRules(group.engine, group.within, number, command.at);
  const counts = await withSavepoint(group.within, () => writeDifference(group, draft, command, touched));
  const outcome = { ...counts, isKept: touched.isKept };
  if (touched.count === 0) return { outcome, changes: [] };
  draft.count = counts.added + counts.updated + counts.unchanged;
  // What is wanted is there now, with the times that `replacement` has filled in.
  return {
    outcome,
    changes: [
      await touched.recorded(id, async () => command.rules, { skipped: counts.unchanged, digest: command.digest }),
    ],
  };
}

/** Throws StoreError (`shrinks-too-much`). What is refused is counted to its end, and no longer written. */
async function writeDifference(
  { engine, within }: Group,
  { count, row: { number } }: RulesetDraft,
  { rules, shrink = {}, at }: ReplaceRulesCommand,
  touched: TouchedRules,
): Promise<Shrinkage> {
  const guard = new ShrinkGuard(count, countOf(rules), shrink);
  const replacement = new Replacement(touched, rules, at);
  const write = async (): Promise<void> => {
    if (touched.removed > guard.mostRemoved) touched.writeNoMore();
    await touched.write();
  };
  for await (const rows of readAllRules(engine, within, number)) {
    for (const each of rows) {
      if (replacement.meet(each)) await write();
    }
  }
  while (replacement.addRest()) await write();
  const { added, updated, removed } = touched;
  const counts = { added, updated, removed, unchanged: replacement.unchanged };
  const refusal = guard.refusalOf(counts);
  if (refusal !== undefined) throw new StoreError("shrinks-too-much", refusal.message, { shrink: refusal });
  await touched.writeRest();
  return counts;
}

/** Throws StoreError (`too-many-rules`, `invalid-text`). */
export function checkWanted(parts: readonly RuleColumns[], most: number): void {
  if (countOf(parts) > most) throw tooManyRules(most);
  checkNames(parts);
}

function countOf(parts: readonly RuleColumns[]): number {
  return parts.reduce((sum, { lengths }) => sum + lengths.length, 0);
}

/** Throws StoreError (`invalid-text`). Packed names are well-formed. */
export function checkNames(parts: readonly RuleColumns[]): void {
  for (const { names } of parts) {
    if ("numbers" in names && !names.text.includes(0)) continue;
    for (const name of namesOf(names)) checkName(name);
  }
}

/** How many rules are decided before what came of them is written. */
const STEP = 1024;

/**
 * Goes through the rules as they are and as they shall be, both in the order of prefixes, and writes the times of the
 * latter into their columns.
 */
class Replacement {
  readonly #touched: TouchedRules;
  readonly #now: number;
  readonly #wanted: WantedCursor;
  #met = 0;
  unchanged = 0;

  constructor(touched: TouchedRules, parts: readonly RuleColumns[], now: number) {
    this.#touched = touched;
    this.#wanted = new WantedCursor(parts);
    this.#now = now;
  }

  /** Takes the next rule as it is. Whether it is time to write. */
  meet(row: RuleValues): boolean {
    const wanted = this.#wanted;
    while (wanted.compareTo(row[0]) < 0) this.#add();
    if (wanted.compareTo(row[0]) > 0) this.#touched.remove(ruleOfValues(row));
    else this.#keep(row);
    return ++this.#met % STEP === 0;
  }

  /** Adds some of the rules that come after all others. False when there are none. */
  addRest(): boolean {
    for (let left = STEP; left > 0; left--) {
      if (this.#wanted.hasEnded) return false;
      this.#add();
    }
    return true;
  }

  #add(): void {
    const wanted = this.#wanted;
    this.#touched.add({ ...wanted.rule(), createdAt: this.#now, updatedAt: this.#now });
    wanted.advance(this.#now, this.#now);
  }

  #keep(row: RuleValues): void {
    const wanted = this.#wanted;
    const [, name, expiresAt, createdAt, updatedAt] = row;
    if (name === wanted.name && expiresAt === wanted.expiresAt) {
      this.unchanged++;
      return wanted.advance(createdAt, updatedAt);
    }
    const before: Rule = ruleOfValues(row);
    this.#touched.update(before, updateRule(before, wanted.rule(), this.#now));
    wanted.advance(createdAt, this.#now);
  }
}

/** Walks over wanted rules in columns. */
class WantedCursor {
  readonly #parts: readonly RuleColumns[];
  #next = 0;
  #part: RuleColumns | undefined;
  #names: readonly (string | null)[] = [];
  #at = 0;

  constructor(parts: readonly RuleColumns[]) {
    this.#parts = parts.filter(({ lengths }) => lengths.length > 0);
    this.#open();
  }

  get hasEnded(): boolean {
    return this.#part === undefined;
  }

  get name(): string | null {
    return this.#names[this.#at]!;
  }

  get expiresAt(): number | null {
    const expiresAt = this.#part!.expiresAt[this.#at]!;
    return expiresAt === Number.POSITIVE_INFINITY ? null : expiresAt;
  }

  rule(): WantedRule {
    return { prefix: prefixIn(this.#part!, this.#at), name: this.name, expiresAt: this.expiresAt };
  }

  /** Negative where the wanted rule comes before that of the key, 0 where it is the same; positive at the end. */
  compareTo(key: string): number {
    const part = this.#part;
    if (part === undefined) return 1;
    const difference = part.family - familyOfKey(key);
    if (difference !== 0) return difference;
    const stride = part.family === 4 ? 1 : 4;
    for (let word = 0; word < stride; word++) {
      const between = part.words[this.#at * stride + word]! - wordAt(key, word);
      if (between !== 0) return between;
    }
    return part.lengths[this.#at]! - lengthOfKey(key);
  }

  /** Goes on to the next rule. @throws RangeError where it is out of order */
  advance(createdAt: number, updatedAt: number): void {
    const part = this.#part!;
    part.createdAt[this.#at] = createdAt;
    part.updatedAt[this.#at] = updatedAt;
    const before = prefixIn(part, this.#at++);
    if (this.#at === part.lengths.length) this.#open();
    if (this.#part === undefined) return;
    const prefix = prefixIn(this.#part, this.#at);
    if (comparePrefixes(before, prefix) >= 0)
      throw new RangeError(
        `the wanted rules must come in the order of prefixes, each once, but ${formatPrefix(prefix)} follows ${formatPrefix(before)}`,
      );
  }

  #open(): void {
    this.#part = this.#parts[this.#next++];
    this.#at = 0;
    this.#names = this.#part === undefined ? [] : namesOf(this.#part.names);
  }
}
