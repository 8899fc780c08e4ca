import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { runSql } from "../../store/harness/run-sql.ts";
import { type Answer, startServer, type TestServer } from "../start-server.ts";
import { tokenOf, visit } from "./browser.ts";

// Who can still sign in, and from where, during an attack.

const PASSWORD = "correct horse battery staple";
const LIMIT = 2;
let t: TestServer;
/** The cookies of Ann's browser since she set up the server. */
let ann = "";
before(async () => {
  t = await startServer({ signInsPerMinute: LIMIT, trustProxy: "127.0.0.1" });
  const made = await visit(t, "POST", "/setup", {
    headers: { "X-Forwarded-For": "198.51.100.200" },
    body: { token: t.server.setupToken, organisation: "Example", name: "Ann", password: PASSWORD },
  });
  ann = deviceOf(made);
});
after(async () => {
  for (const socket of sockets) socket.destroy();
  await t.close();
});

function deviceOf({ headers }: Answer): string {
  const [, cookie] = /^(ipsieve-device=[^;]+); Max-Age=34560000; Path=\/; HttpOnly; SameSite=Strict$/.exec(
    headers.getSetCookie().find((each) => each.includes("device"))!,
  )!;
  return cookie!;
}

let last = 0;
/** An address from which no request has come yet. */
function newAddress(): string {
  last++;
  return `203.0.${last >> 8}.${last & 255}`;
}

interface Try {
  readonly name?: string;
  readonly password?: string;
  readonly cookie?: string | undefined;
  readonly address?: string;
}

function signIn({ name = "ann", password = PASSWORD, cookie, address = newAddress() }: Try): Promise<Answer> {
  return visit(t, "POST", "/session", {
    body: { name, password },
    headers: { "X-Forwarded-For": address, ...(cookie === undefined ? {} : { Cookie: cookie }) },
  });
}

async function statusOf(a: Try): Promise<number> {
  return (await signIn(a)).status;
}

/** Locks new devices behind the proxy out of signing in with the name, until the minute is over. */
async function attack(name: string): Promise<void> {
  for (let i = 0; i < LIMIT; i++) assert.equal(await statusOf({ name, password: "guess" }), 401);
  assert.equal(await statusOf({ name }), 429);
}

function nextMinute(): void {
  t.clock.now += 60_000;
}

test("while a name is attacked from everywhere, its user can sign in from a known device, and from no other", async () => {
  await attack("Ann");
  assert.equal(await statusOf({ cookie: ann }), 200);
  // The device has attempts of its own, which it cannot renew from other addresses.
  assert.equal(await statusOf({ cookie: ann, password: "wrong" }), 401);
  assert.equal(await statusOf({ cookie: ann }), 429);
  nextMinute();
  assert.equal(await statusOf({ cookie: ann, name: "ANN" }), 200);
  nextMinute();
});

test("a known device is let in from an address without attempts left, before and after a restart; a new device is not", async () => {
  // The minutes of the earlier tests took seconds: by the database's clock, their counts belong to this minute.
  await runSql({ file: join(t.folder, "store.db") }, "delete from limit_counts");
  const office = newAddress();
  for (let i = 0; i < LIMIT; i++) assert.equal(await statusOf({ name: `guess ${i}`, address: office }), 401);
  assert.deepEqual([await statusOf({ address: office }), await statusOf({ address: office, cookie: ann })], [429, 200]);
  await t.restart();
  for (let i = 0; i < LIMIT; i++) await statusOf({ name: `guess ${i}`, address: office });
  assert.deepEqual([await statusOf({ address: office }), await statusOf({ address: office, cookie: ann })], [429, 200]);
  nextMinute();
});

test("tokens that are invented, of another user or of an earlier password do not count as a device", async () => {
  const { token, cookie: bob } = await addBob();
  const [, id, device, code] = /=([^.]+)\.([^.]+)\.(.+)$/.exec(ann)!;
  const [, , bobsDevice, bobsCode] = /=([^.]+)\.([^.]+)\.(.+)$/.exec(bob)!;
  const forged = [
    "ipsieve-device=",
    "ipsieve-device=x",
    `ipsieve-device=${id}.${device}.${"A".repeat(43)}`,
    `ipsieve-device=${id}.${bobsDevice}.${bobsCode}`,
    `ipsieve-device=${id}.${"A".repeat(22)}.${code}`,
    `ipsieve-device=00000000-0000-4000-8000-000000000000.${device}.${code}`,
    ann.replace("ipsieve-device", "__Host-ipsieve-device"),
    bob,
  ];
  await attack("ann");
  for (const cookie of forged) assert.equal(await statusOf({ cookie }), 429, cookie);
  const address = newAddress();
  // Another user's device counts for itself and for the address.
  for (let i = 0; i < LIMIT; i++) await statusOf({ name: `guess ${i}`, address });
  assert.equal(await statusOf({ name: "someone", cookie: bob, address }), 429);
  nextMinute();

  const before = deviceOf(await signIn({ name: "Bob", cookie: bob }));
  assert.equal(before, bob);
  const changed = await visit(t, "PUT", "/session/password", {
    token,
    body: { password: PASSWORD, new_password: "wrong donkey charger pin" },
  });
  assert.equal(changed.status, 204);
  await attack("bob");
  const now = { name: "bob", password: "wrong donkey charger pin" };
  assert.deepEqual(
    [await statusOf({ ...now, cookie: bob }), await statusOf({ ...now, cookie: deviceOf(changed) })],
    [429, 200],
  );
  nextMinute();
});

/** A viewer who has followed an invitation. */
async function addBob(): Promise<{ token: string; cookie: string }> {
  const signedIn = await signIn({ cookie: ann });
  const invited = await visit(t, "POST", "/users", { token: tokenOf(signedIn), body: { name: "Bob", role: "viewer" } });
  const joined = await visit(t, "POST", "/join", {
    body: { token: invited.body.invitation.token, password: PASSWORD },
  });
  assert.equal(joined.status, 201);
  return { token: tokenOf(joined), cookie: deviceOf(joined) };
}

test("a signed-in user can change the password while name and address are attacked, but cannot guess it without limit", async () => {
  const token = tokenOf(await signIn({ cookie: ann }));
  await attack("ann");
  const address = newAddress();
  for (let i = 0; i < LIMIT; i++) await statusOf({ name: `guess ${i}`, address });
  const change = (password: string) =>
    visit(t, "PUT", "/session/password", {
      token,
      body: { password, new_password: PASSWORD },
      headers: { "X-Forwarded-For": address },
    });
  const answers = [await change(PASSWORD), await change("guess"), await change(PASSWORD)];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [204, 403, 429],
  );
  ann = deviceOf(answers[0]!);
  nextMinute();
});

test("existing and unknown names get the same responses, including limits and devices", async () => {
  const told = async (name: string) => {
    const answers = [];
    for (const cookie of [undefined, "ipsieve-device=x", undefined]) {
      const { status, body, headers } = await signIn({ name, password: "guess", cookie });
      const kept = [...headers].filter(([key]) => !["x-request-id", "date"].includes(key));
      answers.push({ status, kept, body: { ...body, request_id: "" } });
    }
    nextMinute();
    return answers;
  };
  const [known, unknown] = [await told("ann"), await told("nobody")];
  assert.deepEqual(known, unknown);
  assert.deepEqual(
    known.map(({ status }) => status),
    [401, 401, 429],
  );
});

const sockets: Socket[] = [];

/**
 * Sends the head of a request and no more than `body`, and returns the status of the response; 0 if the connection ends
 * without one.
 */
function sendHead(path: string, address: string, body = ""): Promise<number> {
  const { host, hostname, port } = new URL(t.server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      const head = [
        `POST /dashboard/api${path} HTTP/1.1`,
        `Host: ${host}`,
        `Origin: ${t.server.url}`,
        `X-Forwarded-For: ${address}`,
        "Content-Type: application/json",
        "Content-Length: 1000",
      ];
      socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
    });
    sockets.push(socket);
    socket.on("data", (data) => {
      resolve(Number(data.toString("latin1").slice(9, 12)));
      socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(0));
  });
}

test("attempts count when their headers arrive, even with a wrong or missing body; an attempt beyond the limit is rejected before its body", async () => {
  for (const path of ["/session", "/join", "/setup"]) {
    const [wrong, never] = [newAddress(), newAddress()];
    const statuses = [];
    for (const body of ["{", { name: 1, token: 1, password: "x".repeat(600) }, {}])
      statuses.push((await visit(t, "POST", path, { body, headers: { "X-Forwarded-For": wrong } })).status);
    assert.deepEqual(statuses, [400, 400, 429], path);
    const tries = Array.from({ length: LIMIT }, () => sendHead(path, never, '{"name":'));
    // None of them is answered, but they have counted: one more is rejected, or one of them, whichever comes first.
    assert.equal(await Promise.race([sendHead(path, never), ...tries]), 429, path);
  }
});

test("an invalid token costs no hash: joins without an invitation delay no one", async () => {
  const free = await startServer({ signInsPerMinute: 1_000_000 });
  try {
    const body = { token: "A".repeat(43), password: PASSWORD };
    const answers = await Promise.all(Array.from({ length: 60 }, () => visit(free, "POST", "/join", { body })));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [401]);
  } finally {
    await free.close();
  }
});
