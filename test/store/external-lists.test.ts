import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { FinishFetchCommand } from "../../src/store/command.ts";
import type { ExternalList, ExternalListDefinition, RejectedLine } from "../../src/store/records/external-list.ts";
import type { StoreErrorCode } from "../../src/store/store-error.ts";
import { by, databases, Replica } from "./harness/stores.ts";
import { onlyLong } from "../rounds.ts";

const DEFINITION: ExternalListDefinition = {
  description: "",
  url: "https://lists.example/a.txt",
  format: "text",
  schedule: "5m",
  active: true,
  max_change: 50,
  min_prefix_v4: 8,
  min_prefix_v6: 19,
  allow_empty: false,
};
const VALIDATORS = { url: DEFINITION.url, format: "text", etag: '"a"', lastModified: null } as const;
const TOKEN = { type: "header", name: "X-Key", origin: "https://lists.example" } as const;

for (const { name, skip, make, stop } of await databases()) {
  describe(`external lists on ${name}`, { skip: skip || (name === "PostgreSQL" && onlyLong()) }, () => {
    after(stop);

    /** Runs with an organisation that has a list, then compares the memory with a fresh load. */
    const withList = async (run: (replica: Replica, list: ExternalList) => Promise<void>): Promise<void> =>
      Replica.using(await make(), async (replica) => {
        const { organisation } = await replica.organisation();
        await run(replica, (await create(replica, organisation.id)).list);
      });

    test("one is created, partly changed, and deleted with its content; another organisation's is not found", () =>
      withList(async ({ store, memory }, { id, organisationId }) => {
        const owned = { organisationId, listId: id };
        const { list } = await store.write({ kind: "update-list", ...owned, definition: { active: false }, ...by(5) });
        assert.deepEqual(list, memory.externalLists.get(id));
        assert.deepEqual([list.definition, list.updatedAt], [{ ...DEFINITION, active: false }, 5]);
        const { sequence } = memory;
        await store.write({ kind: "update-list", ...owned, definition: { active: false }, ...by(6) });
        assert.equal(memory.sequence, sequence, "the same again is no change");
        const other = { organisationId: crypto.randomUUID(), listId: id };
        await rejected("list-not-found", store.write({ kind: "delete-list", ...other, ...by(7) }));
        const { claimedUntil } = await claim(store, owned, 10);
        await store.write(finishing(owned, { at: 11, claimedUntil, basedOn: 5, digest: "a" }));
        assert.deepEqual(await store.read("listContent", id), { number: 1, content: "content of a" });
        await store.write({ kind: "delete-list", ...owned, ...by(12) });
        assert.equal(memory.externalLists.has(id), false);
        assert.equal(await store.read("listContent", id), null);
        const { entries } = await store.read("audit", organisationId, { limit: 3 });
        assert.deepEqual(
          entries.map(({ command }) => command),
          ["delete-list", "update-list", "create-list"],
        );
      }));

    test("an organisation has at most 100", () =>
      withList(async (replica, { organisationId }) => {
        await Promise.all(Array.from({ length: 99 }, () => create(replica, organisationId)));
        await rejected("too-many-lists", create(replica, organisationId));
      }));

    test("one server at a time claims a due or requested list; a claim ends by itself", () =>
      withList(async ({ store, memory }, { id, organisationId }) => {
        const owned = { organisationId, listId: id };
        const { sequence } = memory;
        const claims = await Promise.all([claim(store, owned, 10), claim(store, owned, 10), claim(store, owned, 10)]);
        assert.deepEqual(claims.map(({ isClaimed }) => isClaimed).sort(), [false, false, true]);
        assert.deepEqual(await claim(store, owned, 109, true), { isClaimed: false, claimedUntil: 209, dueAt: 110 });
        assert.equal((await claim(store, owned, 110)).isClaimed, true);
        const finished = { at: 120, claimedUntil: 210, basedOn: 2, digest: "a" };
        await store.write(finishing(owned, finished));
        assert.equal(memory.sequence, sequence + 1, "claims are no changes");
        assert.deepEqual(await store.read("listChecks", organisationId), [{ listId: id, checkedAt: 120, dueAt: 1120 }]);
        assert.deepEqual(await claim(store, owned, 1119), { isClaimed: false, claimedUntil: 1219, dueAt: 1120 });
        assert.equal((await claim(store, owned, 1119, true)).isClaimed, true);
        const { isLate } = await store.write(finishing(owned, { ...finished, at: 1120, claimedUntil: 210 }));
        assert.equal(isLate, true, "its claim has ended");
        assert.equal((await claim(store, owned, 1120)).isClaimed, false, "the other's has not");
      }));

    test("content is numbered as it changes; a problem keeps it; a list that was changed meanwhile is fetched again", () =>
      withList(async ({ store, memory }, { id, organisationId }) => {
        const owned = { organisationId, listId: id };
        const fetched = async (at: number, result: Pick<Finish, "digest" | "problem">, basedOn = 2) => {
          const { claimedUntil } = await claim(store, owned, at, true);
          return store.write(finishing(owned, { at: at + 1, claimedUntil, basedOn, ...result }));
        };
        await fetched(10, { digest: "a" });
        await fetched(20, { digest: "a" });
        assert.equal(memory.externalLists.get(id)!.content!.number, 1);
        await fetched(30, { problem: "first" });
        await fetched(40, { problem: "second" });
        const { content, problem } = memory.externalLists.get(id)!;
        assert.deepEqual([content!.number, problem!.message, problem!.since], [1, "second", 31]);
        const { sequence } = memory;
        await fetched(50, { problem: "second" });
        assert.equal(memory.sequence, sequence, "the same problem again is no change");
        await fetched(60, { digest: "b" });
        assert.deepEqual(await store.read("listContent", id), { number: 2, content: "content of b" });
        assert.equal(memory.externalLists.get(id)!.problem, null);
        await store.write({ kind: "update-list", ...owned, definition: { schedule: "6h" }, ...by(70) });
        assert.equal((await fetched(80, { digest: "c" })).isLate, true);
        assert.equal((await claim(store, owned, 82)).isClaimed, true);
      }));

    test("one that begins to protect addresses has a problem if a line was left out, until each line has been read", () =>
      withList(async ({ store, memory }, { id, organisationId }) => {
        const owned = { organisationId, listId: id };
        const fetched = async (at: number, left: readonly RejectedLine[]) => {
          const { claimedUntil } = await claim(store, owned, at, true);
          const basedOn = memory.externalLists.get(id)!.updatedAt;
          await store.write(finishing(owned, { at: at + 1, claimedUntil, basedOn, digest: "a", left }));
        };
        const protect = async (never_block: boolean, at: number) => {
          await store.write({ kind: "update-list", ...owned, definition: { never_block }, ...by(at) });
          return memory.externalLists.get(id)!.problem;
        };
        await fetched(10, [{ line: 7, text: "x", reason: "not an address" }]);
        const problem = await protect(true, 20);
        assert.deepEqual([problem?.kind, problem?.code, problem?.since], ["refused", "incomplete", 20]);
        assert.match(problem!.message, /line 7: not an address$/);
        await store.write({ kind: "update-list", ...owned, definition: { schedule: "6h" }, ...by(21) });
        assert.deepEqual(memory.externalLists.get(id)!.problem, problem);
        await fetched(30, []);
        const { content, problem: none } = memory.externalLists.get(id)!;
        assert.deepEqual([content!.number, content!.rejected.count, none], [1, 0, null], "the same addresses");
        await protect(false, 40);
        assert.equal(await protect(true, 41), null);
      }));

    test("credentials are for one origin: others are rejected, and they are removed when the list moves", () =>
      withList(async ({ store, memory }, { id, organisationId }) => {
        const owned = { organisationId, listId: id };
        const giving = { kind: "set-list-credentials", ...owned, secret: "sealed" } as const;
        const elsewhere = { ...TOKEN, origin: "https://other.example" };
        await rejected("list-moved", store.write({ ...giving, credentials: elsewhere, ...by(5) }));
        await store.write({ ...giving, credentials: TOKEN, ...by(6) });
        const secretOf = async (at: number) => {
          const about = { ...owned, until: at + 1, isRequested: true };
          return (await store.write({ kind: "claim-fetch", ...about, ...by(at) })).claim!.secret;
        };
        assert.equal(await secretOf(7), "sealed");
        await move(`${TOKEN.origin}/b.txt`, 8);
        assert.deepEqual([memory.externalLists.get(id)!.credentials, await secretOf(9)], [TOKEN, "sealed"]);
        await move("https://other.example/b.txt", 10);
        assert.deepEqual([memory.externalLists.get(id)!.credentials, await secretOf(11)], [null, null]);
        const all = JSON.stringify(await store.changesAfter(0));
        assert.ok(all.includes("X-Key") && !all.includes("sealed"), "changes never have the secret");

        function move(url: string, at: number) {
          return store.write({ kind: "update-list", ...owned, definition: { url }, ...by(at) });
        }
      }));
  });
}

interface Owned {
  readonly organisationId: string;
  readonly listId: string;
}

interface Finish {
  readonly at: number;
  readonly claimedUntil: number;
  readonly basedOn: number;
  readonly digest?: string;
  readonly problem?: string;
  /** The lines that were left out. */
  readonly left?: readonly RejectedLine[];
}

function create({ store }: Replica, organisationId: string) {
  return store.write({ kind: "create-list", organisationId, name: "drop", definition: DEFINITION, ...by(2) });
}

async function claim(store: Replica["store"], owned: Owned, at: number, isRequested = false) {
  const claimedUntil = at + 100;
  const about = { ...owned, until: claimedUntil, isRequested, ...by(at) };
  const { claim: given, dueAt } = await store.write({ kind: "claim-fetch", ...about });
  return { isClaimed: given !== null, claimedUntil, dueAt };
}

function finishing(
  owned: Owned,
  { at, claimedUntil, basedOn, digest, problem, left = [] }: Finish,
): FinishFetchCommand {
  const rejected = { count: left.length, lines: left };
  const content = { digest: digest ?? "", entries: { 4: 1, 6: 0 }, rejected, change: null };
  return {
    kind: "finish-fetch",
    ...owned,
    claimedUntil,
    basedOn,
    dueAt: at + 1000,
    result:
      problem === undefined
        ? { content, packed: `content of ${digest}`, validators: VALIDATORS }
        : { problem: { kind: "failed", code: "status", message: problem, digest: null } },
    ...by(at),
  };
}

async function rejected(code: StoreErrorCode, write: Promise<unknown>): Promise<void> {
  await assert.rejects(write, { name: "StoreError", code });
}
