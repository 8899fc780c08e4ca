import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { newAccount } from "../../src/store/decide/_accounts.ts";
import type { Account } from "../../src/store/decide/_decision.ts";
import { createCredential, revokeCredential } from "../../src/store/decide/_credentials.ts";
import { createOrganisation } from "../../src/store/decide/_organisations.ts";
import { createUser, deleteUser, setRole, signIn } from "../../src/store/decide/_users.ts";
import type { Session } from "../../src/store/state.ts";

const folder = join(import.meta.dirname, "../../src/store/decide");
const by = { actor: "user:test", at: 1000, organisationId: "o" };

/** Imports and globals that a decider must not use: SQL, the clock, randomness, and any of Node's modules. */
function reachesOutside(text: string): string[] {
  const imports = [...text.matchAll(/from\s+"([^"]+)"/g)].map(([, specifier]) => specifier!);
  const outside = imports.filter(
    (each) => !each.startsWith(".") || /\/(?:sql|sqlite|postgres|migrations)\//.test(each),
  );
  return [...outside, ...(text.match(/\b(?:Date|Math\.random|performance|randomUUID|setTimeout|process)\b/g) ?? [])];
}

function ids(): () => string {
  let last = 0;
  return () => `id${++last}`;
}

function account(role: Account["role"]): Account {
  const invitation = { digest: "i", expiresAt: 2000 };
  return newAccount("u", { organisationId: "o", name: "Ann", role, password: "p", invitation, at: 1 });
}

describe("deciders", () => {
  test("use no SQL, no clock and no module of Node", () => {
    const files = readdirSync(folder);
    assert.ok(files.length > 10);
    for (const file of files) assert.deepEqual(reachesOutside(readFileSync(join(folder, file), "utf8")), [], file);
    // Negative control.
    const bad = `import { sql } from "kysely";\nimport { find } from "../sql/_needs.ts";\nconst at = Date.now();`;
    assert.deepEqual(reachesOutside(bad), ["kysely", "../sql/_needs.ts", "Date"]);
  });

  test("a new organisation: its rulesets, and the same result from the same ids", () => {
    const made = () => createOrganisation({ name: "Example", at: 5 }, ["Other"], ids());
    assert.deepEqual(made(), made());
    const { outcome, writes } = made();
    assert.deepEqual(
      writes!.map((write) => ("insert" in write ? write.insert : "")),
      ["organisation", "ruleset", "ruleset"],
    );
    assert.deepEqual(outcome, {
      organisation: { id: "id1", name: "Example", createdAt: 5, guardClasses: null },
      rulesets: [
        ["id2", "My Allowlist rules", "allowlist"],
        ["id3", "My Blocklist rules", "blocklist"],
      ].map(([id, name, purpose]) => ({
        id,
        organisationId: "id1",
        name,
        purpose,
        description: "",
        guard: "warn",
        guardClasses: null,
        neverBlock: false,
        createdAt: 5,
        updatedAt: 5,
        version: 0,
        stamp: "",
      })),
    });
    for (const names of [["Example"], ["Εxample"]])
      assert.throws(() => createOrganisation({ name: "Example", at: 5 }, names, ids()), {
        code: "organisation-exists",
      });
  });

  const ROOM = { count: 0, max: 10_000, isTaken: false, deployment: undefined, collections: new Set<string>() };

  test("the last key and the last user that an organisation may have", () => {
    const command = {
      kind: "create-credential",
      credential: "api",
      ...by,
      label: "",
      access: "read",
      digest: "d",
      start: "s",
      expiresAt: null,
    } as const;
    assert.equal(createCredential(command, { ...ROOM, count: 9999 }, ids()).changes.length, 1);
    assert.throws(() => createCredential(command, { ...ROOM, count: 10_000 }, ids()), { code: "too-many-keys" });
    assert.throws(() => createCredential(command, { ...ROOM, isTaken: true }, ids()), { code: "credential-exists" });
    const user = {
      kind: "create-user",
      ...by,
      name: "Bob",
      role: "viewer",
      invitation: { digest: "i", expiresAt: 9 },
    } as const;
    assert.equal(createUser(user, { names: [], count: 9999 }, ids()).changes.length, 1);
    assert.throws(() => createUser(user, { names: [], count: 10_000 }, ids()), { code: "too-many-users" });
  });

  test("a key is revoked once", () => {
    const command = { kind: "revoke-credential", credential: "api", ...by, credentialId: "k" } as const;
    const key = {
      kind: "api",
      id: "k",
      organisationId: "o",
      label: "",
      access: "read",
      digest: "d",
      start: "s",
    } as const;
    const active = { ...key, createdAt: 1, expiresAt: null, revokedAt: null, scopes: [], networks: [] };
    const revoked = { ...active, revokedAt: 7 };
    assert.deepEqual(revokeCredential(command, active).changes[0]!.old, active);
    assert.deepEqual(revokeCredential(command, revoked), { outcome: { credential: revoked }, changes: [] });
    assert.throws(() => revokeCredential(command, undefined), { code: "credential-not-found" });
  });

  test("the last admin cannot be deleted; others can, with their sessions", () => {
    const role = { kind: "set-role", ...by, userId: "u", role: "viewer" } as const;
    const deletion = { kind: "delete-user", ...by, userId: "u" } as const;
    const session: Session = { digest: "s", userId: "u", createdAt: 1, expiresAt: 9 };
    assert.throws(() => setRole(role, account("admin"), false), { code: "last-admin" });
    assert.throws(() => deleteUser(deletion, account("admin"), false, []), { code: "last-admin" });
    assert.deepEqual(setRole(role, account("viewer"), false).changes, []);
    const { changes, writes } = deleteUser(deletion, account("admin"), true, [session]);
    assert.deepEqual(
      changes.map(({ change }) => change.kind),
      ["sessions-ended", "user"],
    );
    const [ended, saved] = writes!;
    assert.deepEqual(ended, { delete: "sessions", digests: ["s"] });
    assert.deepEqual(saved, {
      save: "user",
      account: { ...account("admin"), deletedAt: 1000, password: null, invitation: null, invitedUntil: null },
    });
  });

  test("beyond the maximum sessions of a user, the oldest that has not expired ends", () => {
    const sessions = Array.from({ length: 25 }, (_, i): Session => {
      return { digest: `s${i}`, userId: "u", createdAt: 100 + i, expiresAt: i < 3 ? 1000 : 1001 };
    });
    const command = { kind: "start-session", ...by, userId: "u", checked: "p" } as const;
    const start = (own: readonly Session[]) =>
      signIn({ ...command, session: { digest: "new", expiresAt: 5000 } }, account("viewer"), own).writes!.flatMap(
        (write) => ("delete" in write && write.delete === "sessions" ? write.digests : []),
      );
    assert.deepEqual(start(sessions), ["s5", "s4", "s3"]);
    assert.deepEqual(start(sessions.slice(0, 22)), []);
    // Of sessions of one moment, the same ones end on every database.
    const atOnce = sessions.slice(3).map((each) => ({ ...each, createdAt: 100 }));
    for (const own of [atOnce, atOnce.toReversed()]) assert.deepEqual(start(own), ["s7", "s8", "s9"]);
    assert.throws(() => signIn({ ...command, checked: "other", session: sessions[0]! }, account("viewer"), []), {
      code: "password-changed",
    });
  });
});
