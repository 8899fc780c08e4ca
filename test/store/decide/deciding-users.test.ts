import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  CreateRulesetCommand,
  CreateUserCommand,
  RecordDatasetCommand,
  SetPlanCommand,
  SetUpCommand,
  UpdateRulesetCommand,
} from "../../../src/store/command.ts";
import { newAccount } from "../../../src/store/decide/_accounts.ts";
import type { Account, Decision } from "../../../src/store/decide/_decision.ts";
import { recordDataset } from "../../../src/store/decide/_datasets.ts";
import { setGuardClasses, setPlan } from "../../../src/store/decide/_organisations.ts";
import { createRuleset, updateRuleset } from "../../../src/store/decide/_rulesets.ts";
import {
  createUser,
  deleteUser,
  inviteUser,
  join,
  setPassword,
  setRole,
  setUp,
  signIn,
  signOut,
} from "../../../src/store/decide/_users.ts";
import { rulesetsTag } from "../../../src/store/if-match.ts";
import { AREAS, type Organisation, type Plan, type Ruleset, type Session } from "../../../src/store/state.ts";

const BY = { actor: "user:test", organisationId: "o", at: 1000 };
const NEW = { digest: "new", expiresAt: 5000 };
const ids = (): (() => string) => {
  let last = 0;
  return () => `id${++last}`;
};
const organisation = (name: string): Organisation => ({ id: `of ${name}`, name, createdAt: 1, guardClasses: null });
const account = (changes: Partial<Account> = {}): Account => ({
  ...newAccount("u", { organisationId: "o", name: "Ann", role: "viewer", password: "p", invitation: null, at: 1 }),
  ...changes,
});
const sessionOf = (digest: string): Session => ({ digest, userId: "u", createdAt: 1, expiresAt: 2000 });
const kindsOf = ({ changes }: Pick<Decision, "changes">) => changes.map(({ change }) => change.kind);
const namesOf = ({ writes = [] }: Pick<Decision, "writes">) =>
  writes.map((write) => Object.entries(write)[0]!.join(" "));

test("the first admin: in a new organisation with all plans, or in one that there is; once", () => {
  const command = { kind: "set-up", at: 1000, organisation: "Example", name: "Ann", password: "p", session: NEW };
  const start = (organisations: readonly Organisation[], changes: object = {}, hasUsers = false) =>
    setUp({ ...command, ...changes } as unknown as SetUpCommand, { hasUsers, organisations }, ids());
  const own = ["user", "session"];
  const made = start([organisation("Other")]);
  assert.deepEqual(kindsOf(made), ["organisation", "ruleset", "ruleset", ...AREAS.map(() => "plan"), ...own]);
  const ofUser = ["insert user", "delete expired-sessions", "insert session", "save user"];
  const ofOrganisation = ["insert organisation", "insert ruleset", "insert ruleset", ...AREAS.map(() => "save plan")];
  assert.deepEqual(namesOf(made), [...ofOrganisation, ...ofUser]);
  assert.equal(made.organisationId, "id1");
  const { user } = made.outcome as { user: { role: string; organisationId: string } };
  assert.deepEqual([user.role, user.organisationId], ["admin", "id1"]);
  const found = start([organisation("Other"), organisation("Example")]);
  assert.deepEqual([kindsOf(found), namesOf(found)], [own, ofUser]);
  assert.equal(found.organisationId, "of Example");
  assert.throws(() => start([], {}, true), { code: "users-exist" });
  assert.throws(() => start([organisation("Εxample")]), { code: "organisation-exists" });
  for (const bad of [{ name: "a\0" }, { organisation: "a\0" }])
    assert.throws(() => start([], bad), { code: "invalid-text" });
});

test("users: no two with names that look alike; the invited one joins once, and is signed in", () => {
  const invitation = { digest: "i", expiresAt: 9 };
  const create = (name: string, names: readonly string[]) =>
    createUser(
      { ...BY, kind: "create-user", name, role: "viewer", invitation } as CreateUserCommand,
      { names, count: 0 },
      ids(),
    );
  assert.deepEqual(kindsOf(create("Bob", ["Ann"])), ["user"]);
  assert.deepEqual(namesOf(create("Bob", ["Ann"])), ["insert user"]);
  assert.throws(() => create("Bob", ["bob"]), { code: "user-exists", message: /named "Bob" already exists; choose/ });
  assert.throws(() => create("Bob", ["Ann", "Βob"]), {
    code: "user-exists",
    message: /"Bob" looks like another user's; choose/,
  });
  assert.throws(() => create("a\0", []), { code: "invalid-text" });
  const invited = account({ password: null, invitation: "i", invitedUntil: 9 });
  assert.deepEqual(inviteUser({ invitation: { digest: "j", expiresAt: 10 } } as never, invited).writes, [
    { save: "user", account: { ...invited, invitation: "j", invitedUntil: 10 } },
  ]);
  const joined = join({ password: "q", session: NEW, at: 1000 } as never, invited, [sessionOf("old")]);
  assert.deepEqual(joined.writes, [
    { delete: "sessions", digests: ["old"] },
    { delete: "expired-sessions", at: 1000 },
    { insert: "session", session: { digest: "new", userId: "u", createdAt: 1000, expiresAt: 5000 } },
    { save: "user", account: account({ password: "q", lastSignInAt: 1000 }) },
  ]);
  assert.deepEqual(kindsOf(joined), ["sessions-ended", "user", "session"]);
  assert.deepEqual([joined.actor, joined.organisationId], ["user:u", "o"]);
  assert.throws(() => join({ password: "q", session: NEW, at: 1000 } as never, undefined, []), {
    code: "invitation-not-found",
  });
});

test("roles, passwords and sessions change what they say, and nothing if it is so already", () => {
  const admin = account({ role: "admin" });
  const role = (to: Account["role"], before: Account, hasOther: boolean) =>
    setRole({ ...BY, kind: "set-role", userId: "u", role: to } as never, before, hasOther);
  assert.deepEqual(role("viewer", admin, true).writes, [{ save: "user", account: account() }]);
  assert.deepEqual(role("admin", admin, false).changes, [], "the last admin stays one");
  assert.throws(() => role("viewer", admin, false), { code: "last-admin" });
  assert.equal(role("admin", account(), false).changes.length, 1);
  assert.deepEqual(namesOf(deleteUser({ ...BY } as never, account(), false, [])), ["save user"]);
  const change = (checked: string, session: string | null) =>
    setPassword({ ...BY, checked, password: "q", session } as never, account(), ["a", "b"].map(sessionOf));
  assert.deepEqual(change("p", "a").writes, [
    { delete: "sessions", digests: ["b"] },
    { save: "user", account: account({ password: "q" }) },
  ]);
  assert.throws(() => change("x", "a"), { code: "password-changed" });
  const sign = (checked: string) => signIn({ ...BY, checked, session: NEW } as never, account(), []);
  assert.deepEqual(kindsOf(sign("p")), ["user", "session"]);
  assert.throws(() => sign("x"), { code: "password-changed" });
  assert.deepEqual(signOut({ digest: "a" } as never, true), {
    outcome: {},
    changes: [{ change: { kind: "sessions-ended", digests: ["a"] } }],
    writes: [{ delete: "sessions", digests: ["a"] }],
  });
  assert.deepEqual(signOut({ digest: "a" } as never, false), { outcome: {}, changes: [] });
});

test("a plan that is turned off has ended then, or when it ended before", () => {
  const set = (active: boolean, until: number | null, before?: number | null) => {
    const limits = { perMinute: 5, perMonth: null };
    const known: Plan | undefined =
      before === undefined ? undefined : { organisationId: "o", area: "edl", active: true, until: before, ...limits };
    const { outcome, changes, writes } = setPlan(
      { ...BY, area: "edl", active, until, ...limits } as SetPlanCommand,
      known,
    );
    const { plan } = outcome as { plan: Plan };
    assert.deepEqual(changes, [{ change: { kind: "plan", plan }, old: known }]);
    assert.deepEqual(writes, [{ save: "plan", plan }]);
    return plan.until;
  };
  assert.deepEqual([set(true, null), set(true, 5), set(true, 5000, 7)], [null, 5, 5000]);
  assert.deepEqual([set(false, null), set(false, 900), set(false, 1100)], [1000, 900, 1000]);
  assert.deepEqual([set(false, null, null), set(false, null, 800), set(false, 700, 800)], [1000, 800, 700]);
});

test("what an organisation protects, and datasets of the server, are in the logs of those whom they concern", () => {
  const before = organisation("Example");
  const guardClasses = ["crawler"] as unknown as Organisation["guardClasses"];
  const after = { ...before, guardClasses };
  assert.deepEqual(setGuardClasses({ guardClasses } as never, before), {
    outcome: { organisation: after },
    changes: [{ change: { kind: "organisation", organisation: after }, old: before }],
    writes: [{ save: "organisation", organisation: after }],
  });
  assert.deepEqual(setGuardClasses({ guardClasses } as never, after).changes, []);
  const dataset = { dataset: "catalogue", source: "3" } as const;
  const record = (kind: string, old: object | null = null, now: object = dataset) =>
    recordDataset({ ...BY, kind, new: now, old } as unknown as RecordDatasetCommand, [
      organisation("a"),
      organisation("b"),
    ]);
  const changes = [{ change: { kind: "dataset", dataset }, old: undefined }];
  assert.deepEqual(record("update-catalogue"), {
    outcome: {},
    eventsOfAll: { organisationIds: ["of a", "of b"], body: { type: "catalogue.updated", dataset } },
    changes,
  });
  assert.deepEqual(record("import-feed"), { outcome: {}, changes });
  assert.deepEqual(record("import-feed", dataset).changes[0]!.old, dataset);
  for (const [old, now] of [
    [{ source: "a\0" }, dataset],
    [null, { source: "a\0" }],
  ] as const)
    assert.throws(() => record("import-feed", old, now), { code: "invalid-text" });
});

test("a new ruleset: as many as the limit says, and only into the list that its author has seen", () => {
  const fields = { name: "Own", purpose: "blocklist", description: "" } as const;
  const create = (rulesets: readonly Ruleset[], changes: object = {}, max = 3) =>
    createRuleset(
      { ...BY, kind: "create-ruleset", ...fields, ...changes } as CreateRulesetCommand,
      rulesets,
      max,
      () => "r",
    );
  const ruleset = {
    ...fields,
    id: "r",
    organisationId: "o",
    guard: "off",
    guardClasses: null,
    neverBlock: false,
    createdAt: 1000,
    updatedAt: 1000,
    version: 0,
    stamp: "",
  };
  const { outcome, writes, changes } = create([], { guard: "off" });
  assert.deepEqual(outcome, { ruleset });
  assert.deepEqual(changes, [{ change: { kind: "ruleset", ruleset } }]);
  assert.deepEqual(writes, [{ insert: "ruleset", ruleset }]);
  const of = (id: string, purpose: Ruleset["purpose"]) => ({ ...ruleset, id, purpose }) as Ruleset;
  const known = [of("1", "allowlist"), of("2", "blocklist")];
  assert.throws(() => create([...known, of("3", "blocklist")]), {
    code: "too-many-rulesets",
    message: /at most 3 rulesets/,
  });
  const into = (list: readonly Ruleset[]) => create(known, { ifMatch: { lists: [rulesetsTag(list)] } }).changes.length;
  assert.deepEqual([into(known), into(known.slice(0, 1)), into(known.slice(1))], [1, 1, 1]);
  assert.throws(() => into([]), { code: "version-mismatch" });
  const update = (command: object) =>
    updateRuleset({ ...BY, kind: "update-ruleset", ...command } as UpdateRulesetCommand, known[0]!, known[0]!);
  const saved = { ...known[0]!, name: "Other", updatedAt: 1000 };
  assert.deepEqual(update({ name: "Other" }).writes, [{ save: "ruleset", ruleset: saved }]);
  assert.deepEqual(update({ name: "Own", guard: "off" }), { outcome: { ruleset: known[0] }, changes: [] });
  for (const bad of [{ name: "a\0" }, { description: "\ud800" }]) {
    assert.throws(() => update(bad), { code: "invalid-text" });
    assert.throws(() => create([], bad), { code: "invalid-text" });
  }
});
