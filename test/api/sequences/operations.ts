import fc from "fast-check";
import { blockOf, SPELLINGS } from "./prefixes.ts";

/** The caller: an organisation, and the kind of key that it sends. */
export interface Caller {
  readonly organisation: 0 | 1;
  readonly key: "read_write" | "read" | "expired" | "revoked" | "unknown" | "without-plan";
}

/** Which ruleset is meant: one of the caller's or of the other organisation's, possibly deleted. */
export interface Target {
  readonly owner: "own" | "other" | "nobody";
  readonly index: number;
}

interface RuleMembers {
  readonly ip: string;
  readonly name?: string | null;
  readonly expires_at?: string | null;
  readonly expires_in_days?: number;
}

export type AddBody = RuleMembers & { readonly conflict_resolution?: "extend" | "override" | "skip" | "fail" };
export type UpdateBody = Omit<RuleMembers, "ip">;
export type BatchItem =
  | ({ readonly op: "add" } & AddBody)
  | { readonly op: "delete"; readonly ip: string; readonly missing?: "ignore" | "fail" };

/** The operation. `slot` is the Idempotency-Key that is sent; slots are reused. */
export type Question =
  | {
      readonly kind: "list-rulesets";
      readonly purpose?: "allowlist" | "blocklist";
      readonly page?: number;
      readonly page_size?: number;
      readonly isKnown: boolean;
    }
  | {
      readonly kind: "create-ruleset";
      readonly name: string;
      readonly purpose: "allowlist" | "blocklist";
      readonly description?: string;
      readonly slot?: number;
    }
  | { readonly kind: "get-ruleset"; readonly target: Target; readonly isKnown: boolean }
  | {
      readonly kind: "update-ruleset";
      readonly target: Target;
      readonly body: { readonly name?: string; readonly description?: string };
      readonly slot?: number;
    }
  | { readonly kind: "delete-ruleset"; readonly target: Target; readonly slot?: number }
  | {
      readonly kind: "list-rules";
      readonly target: Target;
      readonly active_only?: boolean;
      readonly page?: number;
      readonly page_size?: number;
      readonly isKnown: boolean;
    }
  | { readonly kind: "export"; readonly target: Target; readonly active_only?: boolean }
  | { readonly kind: "add-rule"; readonly target: Target; readonly body: AddBody; readonly slot?: number }
  | { readonly kind: "get-rule"; readonly target: Target; readonly ip: string }
  | {
      readonly kind: "update-rule";
      readonly target: Target;
      readonly ip: string;
      readonly body: UpdateBody;
      readonly slot?: number;
    }
  | { readonly kind: "delete-rule"; readonly target: Target; readonly ip: string; readonly slot?: number }
  | { readonly kind: "check"; readonly target: Target; readonly ip: string }
  | {
      readonly kind: "batch";
      readonly target: Target;
      readonly items: readonly BatchItem[];
      readonly atomic?: boolean;
      readonly slot?: number;
    }
  | {
      readonly kind: "replace";
      readonly target: Target;
      readonly rules: readonly RuleMembers[];
      readonly dry_run?: boolean;
      readonly allow_empty?: boolean;
      readonly max_shrink?: number;
      readonly isConditional: boolean;
      readonly slot?: number;
    };

/** A step of a sequence: time passes, then a caller sends a request. */
export interface Step {
  /** Milliseconds. */
  readonly passes: number;
  readonly caller: Caller;
  readonly question: Question;
}

const DAY = 86_400_000;

/** Times at which rules expire, relative to the start: all within the duration of a sequence, and beyond it. */
const EXPIRIES = [0, 1, 1000, DAY - 1, DAY, DAY + 1, 3 * DAY].map((offset) => ({ offset }));

/** Steps of a sequence that starts at this time. */
export function anySteps(start: number): fc.Arbitrary<Step[]> {
  // Few, often repeated, so that rules interact.
  const ip = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("192.0.2.0/24", "192.0.2.7", "::ffff:c000:207", "2001:db8::/32") },
    { weight: 1, arbitrary: fc.constantFrom(...SPELLINGS) },
  );
  const name = fc.constantFrom("office", "", null, "__proto__", 'a, "b"');
  const timestamp = fc
    .constantFrom(...EXPIRIES, { offset: null })
    .map(({ offset }) => (offset === null ? null : new Date(start + offset).toISOString()));
  const expiry = fc.oneof(
    fc.constant({}),
    fc.record({ expires_at: timestamp }),
    fc.record({ expires_in_days: fc.integer({ min: 1, max: 3 }) }),
  );
  const mode = fc.constantFrom("extend", "override", "skip", "fail");
  const optional = { requiredKeys: [] as [] };
  const members = fc
    .tuple(fc.record({ ip, name }, { requiredKeys: ["ip"] }), expiry)
    .map(([first, second]) => ({ ...first, ...second }));
  const addBody = fc
    .tuple(members, fc.record({ conflict_resolution: mode }, optional))
    .map(([first, second]) => ({ ...first, ...second }) as AddBody);
  const updateBody = fc
    .tuple(fc.record({ name }, optional), expiry)
    .map(([first, second]) => ({ ...first, ...second }))
    .filter((body) => Object.keys(body).length > 0);
  const item = fc.oneof(
    { weight: 3, arbitrary: addBody.map((body): BatchItem => ({ op: "add", ...body })) },
    {
      weight: 1,
      arbitrary: fc.record(
        { op: fc.constant("delete" as const), ip, missing: fc.constantFrom("ignore", "fail") },
        { requiredKeys: ["op", "ip"] },
      ),
    },
  );
  const target: fc.Arbitrary<Target> = fc.record({
    owner: fc.oneof(
      { weight: 8, arbitrary: fc.constant("own" as const) },
      { weight: 2, arbitrary: fc.constant("other" as const) },
      { weight: 1, arbitrary: fc.constant("nobody" as const) },
    ),
    index: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3) }),
  });
  const slot = fc.option(fc.nat(5), { nil: undefined, freq: 3 });
  const pages = { page: fc.integer({ min: 1, max: 4 }), page_size: fc.integer({ min: 1, max: 5 }) };
  const purpose = fc.constantFrom("allowlist", "blocklist");
  const label = fc.constantFrom("Offices", "Partners", "constructor");
  const isKnown = fc.boolean();
  const of = <Kind extends Question["kind"]>(
    kind: Kind,
    required: object,
    others: object = {},
  ): fc.Arbitrary<Question> =>
    fc.record({ kind: fc.constant(kind), ...required, ...others } as Record<string, fc.Arbitrary<unknown>>, {
      requiredKeys: ["kind", ...Object.keys(required)],
    }) as fc.Arbitrary<unknown> as fc.Arbitrary<Question>;
  const question = fc.oneof(
    { weight: 2, arbitrary: of("list-rulesets", { isKnown }, { purpose, ...pages }) },
    { weight: 1, arbitrary: of("create-ruleset", { name: label, purpose, slot }, { description: label }) },
    { weight: 2, arbitrary: of("get-ruleset", { target, isKnown }) },
    {
      weight: 1,
      arbitrary: of("update-ruleset", {
        target,
        slot,
        body: fc.record({ name: label, description: label }, optional).filter((body) => Object.keys(body).length > 0),
      }),
    },
    { weight: 1, arbitrary: of("delete-ruleset", { target, slot }) },
    { weight: 4, arbitrary: of("list-rules", { target, isKnown }, { active_only: fc.boolean(), ...pages }) },
    { weight: 1, arbitrary: of("export", { target }, { active_only: fc.boolean() }) },
    { weight: 8, arbitrary: of("add-rule", { target, body: addBody, slot }) },
    { weight: 2, arbitrary: of("get-rule", { target, ip }) },
    { weight: 3, arbitrary: of("update-rule", { target, ip, body: updateBody, slot }) },
    { weight: 2, arbitrary: of("delete-rule", { target, ip, slot }) },
    { weight: 2, arbitrary: of("check", { target, ip }) },
    {
      weight: 3,
      arbitrary: of("batch", { target, items: fc.array(item, { maxLength: 5 }), slot }, { atomic: fc.boolean() }),
    },
    {
      weight: 2,
      arbitrary: of(
        "replace",
        {
          target,
          rules: fc.uniqueArray(members, { maxLength: 5, selector: ({ ip }) => blockOf(ip).text }),
          isConditional: fc.boolean(),
          slot,
        },
        { dry_run: fc.boolean(), allow_empty: fc.boolean(), max_shrink: fc.constantFrom(0, 1, 33, 34, 50, 99, 100) },
      ),
    },
  );
  const key: fc.Arbitrary<Caller["key"]> = fc.oneof(
    { weight: 14, arbitrary: fc.constant("read_write" as const) },
    { weight: 3, arbitrary: fc.constantFrom("read", "expired", "revoked", "unknown", "without-plan") },
  );
  const caller = fc.record({ organisation: fc.constantFrom(0 as const, 1 as const), key });
  const passes = fc.constantFrom(0, 0, 0, 1, 999, 1000, DAY / 2);
  return fc.array(fc.record({ passes, caller, question }), { minLength: 1, maxLength: 32, size: "max" });
}
