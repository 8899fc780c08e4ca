import type { RuleIndex } from "../rulesets/index/rule-index.ts";
import { type AddressSet, AddressSetBuilder } from "../sets/address-set.ts";

/** The addresses that active rules cover from a time on until another, unless a rule is written meanwhile. */
interface Known {
  readonly writes: number;
  readonly from: number;
  readonly until: number;
  readonly addresses: AddressSet;
}

/** What was found last. A range takes 8 bytes (IPv4) or 32, a rule itself some 60. */
const known = new WeakMap<RuleIndex, Known>();

/** The addresses that rules which are active at `now` cover, if that was found before and still holds. O(1) */
export function knownAddresses(rules: RuleIndex, now: number): AddressSet | undefined {
  const found = known.get(rules);
  if (found === undefined || found.writes !== rules.writes) return undefined;
  return found.from <= now && now < found.until ? found.addresses : undefined;
}

/** The same, found if it is not known. O(rules), or O(1) if nothing was written and nothing has expired since. */
export function* activeAddresses(rules: RuleIndex, now: number): Generator<undefined, AddressSet, undefined> {
  const found = knownAddresses(rules, now);
  if (found !== undefined) return found;
  known.delete(rules);
  const { writes } = rules;
  const builder = new AddressSetBuilder();
  const until = yield* rules.visitingActive(now, {
    4: (length, first) => builder.addIpv4(first, length),
    6: (length, w0, w1, w2, w3) => builder.add({ family: 6, w0, w1, w2, w3, length }),
  });
  const addresses = yield* builder.finishing();
  // A rule that was written meanwhile may be in it or not.
  if (rules.writes === writes) known.set(rules, { writes, from: now, until, addresses });
  return addresses;
}
