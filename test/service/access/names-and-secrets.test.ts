import assert from "node:assert/strict";
import { test } from "node:test";
import { invitationLink, makeInvitation } from "../../../src/service/access/invitation.ts";
import { hasExpired, KnownCredentials } from "../../../src/service/access/known-credentials.ts";
import { Passwords } from "../../../src/service/access/passwords.ts";
import { allowanceOf, isActivePlan, noPlan, protectsServices } from "../../../src/service/access/plans.ts";
import { readLine, readOrganisationName, readUserName } from "../../../src/service/access/read-user.ts";
import { digestOfToken, isToken, makeToken } from "../../../src/service/access/secret-token.ts";
import { rejectWeakPassword } from "../../../src/service/access/weak-password.ts";
import { ServiceError } from "../../../src/service/service-error.ts";
import type { Settings } from "../../../src/service/settings.ts";
import { makeApiKey } from "../../../src/store/records/api-key.ts";
import type { Credential } from "../../../src/store/records/credential.ts";
import type { Plan } from "../../../src/store/state.ts";

const NOW = Date.UTC(2026, 10, 27);
const BY = { client: "192.0.2.1", priority: 0 } as never;

/** The message about the only field of an "invalid" error. */
function problemOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.code === "invalid", String(error));
    const [[field, [message]]] = Object.entries(error.fields!) as [[string, string[]]];
    return `${field}: ${message}`;
  }
  return "";
}

test("names: one line, one alphabet per word, nothing invisible and nothing that reorders text", () => {
  for (const name of [
    "Ada",
    "Jürgen 2",
    "Александр Smith",
    "Ω Corp",
    "東京タワー abc",
    "서울 abc",
    "Հայ",
    "x".repeat(100),
    "नमस्ते",
    "தமிழ்",
  ])
    assert.equal(readUserName(name), name);
  assert.equal(readOrganisationName("x".repeat(101)), "x".repeat(101));
  for (const [name, problem] of [
    ["x".repeat(101), /^name: use at most 100 characters$/],
    ["", /^name: must not be empty or have spaces around it$/],
    [" Ada", /spaces around it$/],
    ["Ada\n", /spaces around it$/],
    ["A\nB", /^name: ./],
    ["Аda", /^name: the word "Аda" mixes letters of several alphabets/],
    ["ok Paypаl", /^name: the word "Paypаl" mixes/],
    ["漢a字б", /mixes letters/],
    ["Ad\u200Ba", /^name: the character U\+200B at position 2 is invisible; remove it$/],
    ["A\u00A0b", /^name: the character U\+00A0 at position 1 is invisible/],
    ["A\u2800b", /U\+2800 at position 1 is invisible/],
    ["A\u{E0041}b", /U\+E0041 at position 1 is invisible/],
    ["A\u202Eb", /^name: the character U\+202E at position 1 changes the order in which text is shown; remove it$/],
    ["A\u2066b", /U\+2066 at position 1 changes the order/],
  ] as const)
    assert.match(
      problemOf(() => readUserName(name)),
      problem,
      JSON.stringify(name),
    );
  assert.match(
    problemOf(() => readOrganisationName("Аda")),
    /^organisation: the word/,
  );
  assert.equal(readLine("label", "Аda b"), "Аda b", "labels may mix alphabets");
  assert.match(
    problemOf(() => readLine("label", "a\u202Ab")),
    /^label: the character U\+202A/,
  );
});

test("a token is known by its form and its digest; an invitation lasts seven days", () => {
  const { text, digest } = makeToken();
  assert.equal(digest, digestOfToken(text));
  assert.notEqual(makeToken().text, text);
  assert.deepEqual([text, text.slice(1), `${text}a`, text.replace(/.$/, "."), ""].map(isToken), [
    true,
    false,
    false,
    false,
    false,
  ]);
  const { token, invitation } = makeInvitation(NOW);
  assert.deepEqual(invitation, { digest: digestOfToken(token), expiresAt: NOW + 7 * 86_400_000 });
  assert.equal(invitationLink("https://example.org", "t"), "https://example.org/#/join?token=t");
  assert.equal(invitationLink("https://example.org/a/", "t"), "https://example.org/a/#/join?token=t");
});

test("a password has its hash in every spelling, and no other hash: of another salt, cost or form", async () => {
  const [passwords, dearer] = [new Passwords(4), new Passwords(5)];
  const hash = await passwords.hash("pässword ①", BY);
  assert.match(hash, /^\$scrypt\$ln=4,r=8,p=2\$[\w-]{22}\$[\w-]{43}$/);
  assert.notEqual(await passwords.hash("pässword ①", BY), hash, "a salt of its own");
  assert.equal(await passwords.check("pässword ①", hash, BY), true);
  assert.equal(await passwords.check("pa\u0308ssword 1", hash, BY), true, "other keyboards");
  const others = [undefined, "", "x", `${hash}x`, hash.replace("ln=4", "ln=5"), hash.replace("p=2", "p=1")];
  for (const other of others) assert.equal(await passwords.check("pässword ①", other, BY), false, other);
  assert.equal(await passwords.check("password 1", hash, BY), false);
  assert.equal(await dearer.check("pässword ①", hash, BY), false, "of another cost");
  assert.match(await dearer.hash("x", BY), /^\$scrypt\$ln=5,/);
});

test("passwords that are guessed first are rejected, and the reason says why", async () => {
  const rejected: readonly (readonly [password: string, reason: string])[] = [
    ["password", "one of the most common"],
    ["qwertyuiop", "."],
    ["abcabcabcabc", "one that repeats itself"],
    ["aaaaaaaaaaaa", "one that repeats itself"],
    ["abcdefghijkl", "a sequence"],
    ["24.12.1999", "a date"],
    ["Lovelace1815", "made of your name"],
    ["lovelace ada", "made of your name"],
    ["ipsieve", "made of your name"],
    ["ＬｏｖｅｌａｃｅＡｄａ", "made of your name"],
  ];
  for (const [password, reason] of rejected)
    await assert.rejects(
      rejectWeakPassword("password", password, ["Ada Lovelace", "Analytical"]),
      (error: ServiceError) => {
        const [message] = error.fields!["password"]!;
        assert.match(message!, new RegExp(`^this password is .*${reason}`), password);
        return error.code === "invalid";
      },
    );
  for (const password of ["correct horse battery staple", "x7#Kq!9zLw", "wElCoMeHoMe", "ada und der grüne Kühlschrank"])
    await rejectWeakPassword("password", password, ["Ada Lovelace"]);
});

test("names of three letters count as guessed, shorter ones occur by chance", async () => {
  await rejectWeakPassword("password", "qvz8fk3mw", []);
  await assert.rejects(rejectWeakPassword("password", "qvz8fk3mw", ["Qvz Kx"]), { code: "invalid" });
  await rejectWeakPassword("password", "qv8fk3mwz", ["Qv Kx"]);
});

test("a plan is active until its end; guards protect services after it as well; its limits go before the server's", () => {
  const plan = (about: Partial<Plan>): Plan =>
    ({ active: true, until: null, perMinute: null, perMonth: null, ...about }) as Plan;
  const cases: readonly (readonly [Plan | undefined, boolean, boolean])[] = [
    [undefined, false, false],
    [plan({}), true, true],
    [plan({ active: false }), false, true],
    [plan({ until: NOW + 1 }), true, true],
    [plan({ until: NOW }), false, true],
  ];
  for (const [each, isActive, protects] of cases)
    assert.deepEqual([isActivePlan(each, NOW), protectsServices(each)], [isActive, protects]);
  const settings = { perMinute: 5, perMonth: 50 } as Settings;
  assert.deepEqual(allowanceOf(undefined, settings), { perMinute: 5, perMonth: 50 });
  assert.deepEqual(allowanceOf(plan({}), settings), { perMinute: 5, perMonth: 50 });
  assert.deepEqual(allowanceOf(plan({ perMinute: 0, perMonth: 7 }), settings), { perMinute: 0, perMonth: 7 });
  for (const [area, name] of [
    ["edl", "EDL Management (edl)"],
    ["cbs", "Common Business Services (cbs)"],
    ["cti", "threat-intelligence lookup (cti)"],
  ] as const) {
    const { code, message } = noPlan(area);
    assert.equal(code, "no-plan");
    assert.ok(message.includes(`plan for ${name};`) && message.endsWith(`ipsieve admin plan set ${area}`), message);
  }
});

test("a key is found by its text, also again, and no longer once it is gone or revoked", () => {
  const made = makeApiKey();
  const keyOf = (digest: string, more: Partial<Credential> = {}) =>
    ({ kind: "api", digest, expiresAt: null, revokedAt: null, ...more }) as Credential;
  const stored = new Map([[made.digest, keyOf(made.digest)]]);
  let asked = 0;
  const keys = new KnownCredentials({ credentialByDigest: (digest: string) => (asked++, stored.get(digest)) });
  assert.equal(keys.find("api", made.text), stored.get(made.digest));
  assert.equal(keys.find("api", made.text), stored.get(made.digest));
  assert.equal(asked, 2, "whether it still exists is asked every time");
  assert.equal(keys.find("bouncer", made.text), undefined, "another kind is taken there");
  assert.equal(keys.find("api", makeApiKey().text), undefined);
  assert.equal(keys.find("api", "x"), undefined);
  const others = Array.from({ length: 10_000 }, () => makeApiKey());
  for (const { text, digest } of others) {
    stored.set(digest, keyOf(digest));
    assert.equal(keys.find("api", text)!.digest, digest);
  }
  assert.equal(keys.find("api", made.text), stored.get(made.digest), "more keys than are kept");
  stored.set(made.digest, keyOf(made.digest, { expiresAt: 5 }));
  assert.ok(keys.findValid("api", made.text, 4) && !keys.findValid("api", made.text, 5));
  assert.ok(hasExpired(keys.find("api", made.text)!, 5), "so that the response says why");
  stored.set(made.digest, keyOf(made.digest, { revokedAt: 1 }));
  assert.equal(keys.find("api", made.text), undefined);
  stored.set("", keyOf(""));
  stored.delete(made.digest);
  assert.equal(keys.find("api", made.text), undefined);
  const wrong = new KnownCredentials({ credentialByDigest: () => keyOf("another") });
  assert.equal(wrong.find("api", made.text), undefined, "the digest is compared once more");
});
