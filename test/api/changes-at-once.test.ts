/** R21: of two changes of one resource at the same time, both last. Every PATCH of both documents, every pair of members. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { onlyLong, rounds, sampled } from "../rounds.ts";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { inlined } from "./inlined-document.ts";
import { addOrganisation, type Answer, startServer, type TestServer, useStores } from "./start-server.ts";

/** At least so many pairs of each resource are changed at once, and every pair of its members once. */
const PAIRS = rounds({ short: 1, long: 1000 });

type Members = Readonly<Record<string, readonly [first: unknown, second: unknown]>>;

/** For each operation: what creates a resource, and two values of each member, and of each member inside of one. */
const RESOURCES: Readonly<Record<string, { readonly path: string; readonly made: object; readonly members: Members }>> =
  {
    updateRuleset: {
      path: "/edl/ip-rulesets/",
      made: { name: "rules", purpose: "allowlist" },
      members: {
        name: ["one", "two"],
        description: ["first", "second"],
        guard: ["warn", "refuse"],
        guard_classes: [["serving"], null],
        never_block: [false, true],
      },
    },
    updateDeployment: {
      path: "/edl/deployments/",
      made: { name: "edge", include: [{ prefixes: ["192.0.2.0/24"] }] },
      members: {
        name: ["one", "two"],
        description: ["first", "second"],
        firewall_format: ["text", "csv"],
        device: ["fortinet-64mb", "paloalto-50k"],
        update_frequency: ["5m", "60m"],
        purpose: ["blocklist", "allowlist"],
        direction: ["both", "ingress"],
        active: [true, false],
        guard: ["warn", "refuse"],
        guard_classes: [["serving"], null],
        include: [[{ prefixes: ["192.0.2.0/24"] }], [{ prefixes: ["198.51.100.0/24"] }]],
        exclude: [[], [{ prefixes: ["192.0.2.128/25"] }]],
        "options.families": [[4], [4, 6]],
        "options.min_prefix_v4": [8, 9],
        "options.min_prefix_v6": [20, 21],
        "options.max_entries": [100, 101],
        "options.max_bytes": [1000, 1001],
        "options.overflow": ["refuse", null],
        "options.unprocessable": ["refuse", "omit"],
        "options.allow_empty": [true, false],
        "options.max_shrink": [10, 11],
        "options.max_growth": [10, null],
        "options.chunk_entries": [100, 101],
        "options.comments": [false, null],
        "options.timeouts": [false, null],
      },
    },
    updateExternalList: {
      path: "/edl/lists/",
      made: { name: "feed", url: "https://lists.invalid/a", active: false },
      members: {
        name: ["one", "two"],
        description: ["first", "second"],
        url: ["https://lists.invalid/a", "https://lists.invalid/b"],
        format: ["text", "csv"],
        schedule: ["5m", "60m"],
        active: [true, false],
        max_change: [10, 20],
        min_prefix_v4: [8, 9],
        min_prefix_v6: [20, 21],
        allow_empty: [true, false],
        never_block: [true, false],
      },
    },
    updateWebhook: {
      path: "/webhooks",
      made: { url: "https://hooks.example/a", kinds: ["rule.created"] },
      members: {
        url: ["https://hooks.example/a", "https://hooks.example/b"],
        description: ["first", "second"],
        kinds: [["rule.created"], ["rule.deleted"]],
        active: [true, false],
      },
    },
  };

/** `missed` says how to go on, and a user and an organisation's guard have one member only. */
const ALONE = ["updateWebhook.missed", "updateUser.role", "updateGuard.guard_classes"];
/** These decide each other: a device has a format. */
const TIED = new Set(["device firewall_format"]);

let t: TestServer;
let token = "";

const send = (method: string, path: string, body?: object): Promise<Answer> => visit(t, method, path, { token, body });

async function start(): Promise<void> {
  t = await startServer({ signInsPerMinute: 1e9, perMinute: 1e9, deploymentsPerOrganisation: 1000 });
  ({ token } = await addUser(t, await addOrganisation(t, "at once"), "admin"));
}

interface Change {
  readonly path: string;
  readonly names: readonly [string, string];
  readonly members: Members;
}

/** Sets the first values, then the second ones of two members at once. Returns what was lost. */
async function lost({ path, names, members }: Change, patch: typeof send): Promise<string[]> {
  const valuesOf = (which: 0 | 1) => names.map((name) => bodyOf(name, members[name]![which]));
  for (const body of valuesOf(0)) assert.equal((await send("PATCH", path, body)).status, 200, JSON.stringify(body));
  const answers = await Promise.all(valuesOf(1).map((body) => patch("PATCH", path, body)));
  for (const { status, text } of answers) assert.equal(status, 200, text);
  const { body: after } = await send("GET", path);
  return names.filter((name) => JSON.stringify(valueOf(after, name)) !== JSON.stringify(members[name]![1]));
}

/** `options.comments` stands for a member inside of `options`. */
function bodyOf(name: string, value: unknown): object {
  return name.split(".").reduceRight((inner, part) => ({ [part]: inner }), value) as object;
}

/** Null also where it is absent. */
function valueOf(document: Answer["body"], name: string): unknown {
  return name.split(".").reduce((outer, part) => outer?.[part], document) ?? null;
}

/** The members of a request's schema, with those inside of objects. */
function membersOf(schema: any, document: any): string[] {
  const { properties } = resolved(schema, document);
  return Object.entries(properties).flatMap(([name, each]) => {
    const { properties: inner } = resolved(each, document);
    return inner === undefined ? [name] : membersOf(each, document).map((member) => `${name}.${member}`);
  });
}

function resolved(schema: any, { components }: any): any {
  return schema.$ref === undefined ? schema : components.schemas[schema.$ref.split("/").at(-1)];
}

function* pairsOf(members: Members): Generator<[string, string]> {
  const names = Object.keys(members).toSorted();
  for (const [index, one] of names.entries())
    for (const other of names.slice(index + 1)) if (!TIED.has(`${one} ${other}`)) yield [one, other];
}

async function created({ path, made }: { readonly path: string; readonly made: object }): Promise<string> {
  const { status, body, text } = await send("POST", path, made);
  assert.equal(status, 201, text);
  return `${path.replace(/\/$/, "")}/${body.id ?? body.webhook?.id}`;
}

function tests(): void {
  test("every PATCH of the documents, and every member of it, is in the table", async () => {
    const missing: string[] = [];
    for (const path of ["/openapi.json", "/dashboard/api/openapi.json"]) {
      const document = inlined(await (await fetch(t.server.url + path)).json());
      for (const { patch } of Object.values<any>(document.paths)) {
        if (patch === undefined) continue;
        const { schema } = patch.requestBody.content["application/json"];
        for (const name of membersOf(schema, document))
          if (RESOURCES[patch.operationId]?.members[name] === undefined) missing.push(`${patch.operationId}.${name}`);
      }
    }
    assert.deepEqual([...new Set(missing)].toSorted(), ALONE.toSorted());
  });

  for (const [operation, resource] of Object.entries(RESOURCES))
    test(`${operation}: two members changed at once`, async (context) => {
      const path = await created(resource);
      const found: string[] = [];
      let changes = 0;
      while (changes < PAIRS)
        for (const names of sampled([...pairsOf(resource.members)], 3)) {
          changes++;
          for (const name of await lost({ path, names, members: resource.members }, send))
            found.push(`${names.join(" and ")}: ${name}`);
        }
      context.diagnostic(`${changes} pairs`);
      assert.deepEqual(found, []);
    });

  test("members that are valid together or not: the second is checked with the first", async () => {
    const path = await created(RESOURCES["updateDeployment"]!);
    for (let round = 0; round < 20; round++) {
      await send("PATCH", path, { firewall_format: "text", options: { comments: null } });
      // Files of the format trie have no comments.
      const answers = await Promise.all([
        send("PATCH", path, { firewall_format: "trie" }),
        send("PATCH", path, { options: { comments: true } }),
      ]);
      const { body } = await send("GET", path);
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400]);
      assert.ok(!(body.firewall_format === "trie" && body.options.comments === true), JSON.stringify(body));
    }
  });

  test("with idempotency keys, a change that is checked again is not answered by its first check", async () => {
    const path = await created(RESOURCES["updateDeployment"]!);
    for (let round = 0; round < 20; round++) {
      await send("PATCH", path, { purpose: "blocklist", options: { max_entries: null } });
      const both = () =>
        Promise.all(
          [{ purpose: "other" }, { options: { max_entries: 9 } }].map((body, index) =>
            visit(t, "PATCH", path, { token, body, headers: { "Idempotency-Key": `${path}-${round}-${index}` } }),
          ),
        );
      for (const answers of [await both(), await both()])
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200],
        );
      const { body } = await send("GET", path);
      assert.deepEqual([body.purpose, body.options], ["other", { max_entries: 9 }]);
    }
  });

  test("negative control: a change that sends back what was read is found to lose the other one", async () => {
    const { made, members, path: root } = RESOURCES["updateExternalList"]!;
    const path = await created({ path: root, made });
    const whole: typeof send = async (method, url, body) => {
      const { body: read } = await send("GET", url);
      const all = Object.fromEntries(Object.keys(members).map((name) => [name, read[name]]));
      return send(method, url, { ...all, ...body });
    };
    assert.equal((await lost({ path, names: ["description", "name"], members }, whole)).length, 1);
  });
}

describe("on SQLite", () => {
  before(start);
  after(() => t.close());
  tests();
});

describe("on PostgreSQL", { skip: (await whyNoPostgres()) || onlyLong() }, () => {
  let postgres: PostgresServer;
  before(async () => {
    postgres = await startPostgres();
    useStores(async () => ({ url: await postgres.database() }));
    await start();
  });
  after(async () => {
    await t.close();
    await postgres[Symbol.asyncDispose]();
  });
  tests();
});
