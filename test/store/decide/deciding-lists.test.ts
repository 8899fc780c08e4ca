import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  ClaimFetchCommand,
  CreateListCommand,
  FinishFetchCommand,
  SetListCredentialsCommand,
  UpdateListCommand,
} from "../../../src/store/command.ts";
import {
  claimFetch,
  createList,
  deleteList,
  type FetchedList,
  finishFetch,
  setListCredentials,
  updateList,
} from "../../../src/store/decide/_external-lists.ts";
import type { ExternalList, FetchedContent, FetchState } from "../../../src/store/records/external-list.ts";

const NOW = 1_000_000;
const BY = { actor: "user:test", organisationId: "o" };
const CONTENT: FetchedContent = {
  number: 4,
  at: 500,
  digest: "d4",
  entries: { 4: 2, 6: 0 },
  rejected: { count: 0, lines: [] },
  change: null,
};
const LIST = {
  id: "l",
  organisationId: "o",
  name: "drop",
  definition: { url: "https://lists.example/a", format: "plain" },
  createdAt: 1,
  updatedAt: 7,
  credentials: { kind: "basic", name: "ada", origin: "https://lists.example" },
  content: CONTENT,
  problem: null,
} as unknown as ExternalList;
const VALIDATORS = { url: "https://lists.example/a", format: "plain", etag: "x", lastModified: null } as const;
const STATE = {
  checkedAt: 400,
  dueAt: NOW + 50,
  claimedUntil: 0,
  validators: VALIDATORS,
  secret: "sealed",
} as unknown as FetchState;
const BEFORE: FetchedList = { list: LIST, state: STATE };

/** What a decision writes of the list. */
function written({ writes }: { readonly writes?: readonly unknown[] | undefined }): FetchedList & { save?: string } {
  return writes![0] as FetchedList;
}

test("a new list is due at once, and there is room for as many as the limit says", () => {
  const command = { ...BY, name: "drop", definition: LIST.definition, at: NOW } as CreateListCommand;
  const { outcome, writes, changes } = createList(command, { count: 2, max: 3 }, () => "new");
  const { list, state } = written({ writes });
  const { name, definition } = LIST;
  const expected = { id: "new", organisationId: "o", name, definition, createdAt: NOW, updatedAt: NOW };
  assert.deepEqual(list, { ...expected, credentials: null, content: null, problem: null });
  assert.deepEqual(state, { checkedAt: null, dueAt: NOW, claimedUntil: 0, validators: null, secret: null });
  assert.deepEqual([outcome, changes], [{ list }, [{ change: { kind: "external-list", list } }]]);
  assert.throws(() => createList(command, { count: 3, max: 3 }, () => "new"), {
    code: "too-many-lists",
    message: /at most 3 external lists/,
  });
});

test("a changed list is due at once, and keeps its credentials only at the same origin", () => {
  const update = (change: object) => updateList({ ...BY, at: NOW, ...change } as UpdateListCommand, BEFORE);
  for (const same of [{}, { name: "drop" }, { definition: { format: "plain" } }])
    assert.deepEqual(update(same), { outcome: { list: LIST }, changes: [] });
  const renamed = written(update({ name: "other" }));
  assert.deepEqual(renamed.list, { ...LIST, name: "other", updatedAt: NOW });
  assert.deepEqual(renamed.state, STATE, "a name changes nothing that is fetched");
  const moved = written(update({ definition: { url: "https://lists.example/b" } }));
  assert.deepEqual([moved.list.credentials, moved.list.name], [LIST.credentials, "drop"]);
  assert.deepEqual(moved.state, { ...STATE, dueAt: NOW });
  const away = written(update({ definition: { url: "https://other.example/a" } }));
  assert.deepEqual([away.list.credentials, away.state.secret, away.state.dueAt], [null, null, NOW]);
  assert.deepEqual(update({ name: "other" }).changes[0]!.old, LIST);
});

test("credentials are for the origin that the list has now; a deleted list is gone", () => {
  const set = (origin: string | null, secret: string | null) => {
    const credentials = origin === null ? null : { ...LIST.credentials!, origin };
    return setListCredentials({ ...BY, at: NOW, credentials, secret } as unknown as SetListCredentialsCommand, BEFORE);
  };
  const { list, state } = written(set("https://lists.example", "new"));
  assert.deepEqual(list, { ...LIST, updatedAt: NOW });
  assert.deepEqual(state, { ...STATE, secret: "new", dueAt: NOW });
  const removed = written(set(null, null));
  assert.deepEqual([removed.list.credentials, removed.state.secret], [null, null]);
  assert.throws(() => set("https://other.example", "new"), { code: "list-moved" });
  assert.deepEqual(deleteList({} as never, BEFORE), {
    outcome: {},
    changes: [{ change: { kind: "external-list-deleted", listId: "l" }, old: LIST }],
    writes: [{ delete: "external-list", listId: "l" }],
  });
});

test("one server at a time fetches a list, when it is due or asked for", () => {
  const claim = (state: Partial<FetchState>, isRequested = false): boolean => {
    const command = { ...BY, listId: "l", at: NOW, until: NOW + 100, isRequested } as ClaimFetchCommand;
    const decision = claimFetch(command, { list: LIST, state: { ...STATE, ...state } });
    const { claim: found, dueAt } = decision.outcome as { claim: unknown; dueAt: number };
    assert.deepEqual(decision.changes, []);
    if (found === null) {
      assert.equal(decision.writes, undefined);
      assert.equal(
        dueAt,
        Math.max(state.dueAt ?? STATE.dueAt, state.claimedUntil ?? 0),
        "when it is worth asking again",
      );
    } else {
      assert.deepEqual(found, { list: LIST, validators: VALIDATORS, secret: "sealed" });
      assert.deepEqual(written(decision).state, { ...STATE, ...state, claimedUntil: NOW + 100 });
      assert.equal(dueAt, state.dueAt ?? STATE.dueAt);
    }
    return found !== null;
  };
  assert.equal(claim({}), false, "not due");
  assert.equal(claim({}, true), true, "asked for");
  assert.equal(claim({ dueAt: NOW }), true);
  assert.equal(claim({ dueAt: NOW + 1 }), false);
  assert.equal(claim({ checkedAt: NOW }), false);
  assert.equal(claim({ checkedAt: NOW + 1 }), true, "the clock was set back");
  assert.equal(claim({ dueAt: NOW, claimedUntil: NOW }), true, "the claim is over");
  assert.equal(claim({ dueAt: NOW, claimedUntil: NOW + 1 }), false);
  assert.equal(claim({ claimedUntil: NOW + 200 }, true), false, "twice as long is possible");
  assert.equal(claim({ claimedUntil: NOW + 201 }, true), true, "more is from before the clock was set back");
  assert.equal(claim({ checkedAt: null }), false);
});

const CLAIMED = { ...STATE, claimedUntil: 90 };
const FRESH = { digest: "d5", entries: { 4: 3, 6: 1 }, rejected: { count: 0, lines: [] }, change: null };
const PROBLEM = { kind: "failed", code: "timeout", message: "no response", digest: null } as const;

/** Finishes a fetch of a list that is otherwise as `LIST`. */
function finish(result: unknown, list: Partial<ExternalList> = {}, command: object = {}) {
  const about = { ...BY, listId: "l", claimedUntil: 90, basedOn: 7, dueAt: NOW + 300, at: NOW, result, ...command };
  const decision = finishFetch(about as FinishFetchCommand, { list: { ...LIST, ...list }, state: CLAIMED });
  return { ...decision, ...written(decision), events: decision.events ?? [] };
}

test("new content has the next number, and is an event; the same content is none", () => {
  const validators = { ...VALIDATORS, etag: "y" };
  const fresh = finish({ content: FRESH, packed: "packed", validators }, { problem: { ...PROBLEM, since: 3 } });
  assert.deepEqual(fresh.list, { ...LIST, content: { ...FRESH, number: 5, at: NOW } });
  assert.deepEqual(fresh.state, { ...CLAIMED, checkedAt: NOW, dueAt: NOW + 300, claimedUntil: 0, validators });
  assert.deepEqual(fresh.writes![1], { save: "list-content", listId: "l", number: 5, content: "packed" });
  assert.deepEqual(fresh.changes, [
    { change: { kind: "external-list-content", listId: "l", content: fresh.list.content, problem: null } },
  ]);
  const about = { id: "l", name: "drop" };
  const told = { type: "list.refreshed", list: about, content: { number: 5, entries: { 4: 3, 6: 1 }, change: null } };
  assert.deepEqual(fresh.events, [told]);
  const change = { added: 1, removed: 2, percent: 9 };
  const changed = finish({ content: { ...FRESH, change }, packed: "p", validators });
  assert.deepEqual(changed.events, [{ ...told, content: { ...told.content, change: { added: 1, removed: 2 } } }]);
  const first = finish({ content: FRESH, packed: "p", validators }, { content: null });
  assert.equal(first.list.content!.number, 1);
  for (const content of [null, { ...FRESH, digest: "d4" }]) {
    const same = finish({ content, packed: "p", validators });
    assert.deepEqual([same.list, same.changes, same.events, same.writes!.length], [LIST, [], [], 1]);
    assert.equal(same.state.checkedAt, NOW);
    const mended = finish({ content, validators }, { problem: { ...PROBLEM, since: 3 } });
    assert.deepEqual([mended.list, mended.changes.length, mended.events], [LIST, 1, []]);
  }
});

test("a problem keeps the content; it is an event when it begins, not while it goes on", () => {
  const failed = finish({ problem: PROBLEM });
  assert.deepEqual(failed.list, { ...LIST, problem: { ...PROBLEM, since: NOW } });
  assert.deepEqual(failed.state, { ...CLAIMED, checkedAt: NOW, dueAt: NOW + 300, claimedUntil: 0 });
  const about = { type: "list.refused", list: { id: "l", name: "drop" }, generation: 4 };
  assert.deepEqual(failed.events, [{ ...about, problem: { kind: "failed", code: "timeout", message: "no response" } }]);
  assert.deepEqual(finish({ problem: PROBLEM }, { content: null }).events, [{ ...failed.events[0]!, generation: 0 }]);
  const known = { problem: { ...PROBLEM, since: 3 } };
  const again = finish({ problem: PROBLEM }, known);
  assert.deepEqual([again.list.problem!.since, again.changes, again.events], [3, [], []]);
  const another = finish({ problem: { ...PROBLEM, code: "status", message: "404" } }, known);
  assert.deepEqual([another.list.problem!.since, another.changes.length, another.events], [3, 1, []]);
  const refused = { ...PROBLEM, kind: "refused", code: "shrinks", digest: "x" } as const;
  assert.equal(finish({ problem: refused }, known).events.length, 1);
  assert.equal(finish({ problem: refused }, known).list.problem!.since, NOW);
  const since = { problem: { ...refused, since: 3 } };
  assert.equal(finish({ problem: refused }, since).events.length, 0);
  assert.equal(finish({ problem: { ...refused, message: "y" } }, since).events.length, 0);
  assert.equal(finish({ problem: { ...refused, digest: "y" } }, since).events.length, 1, "other content");
  assert.equal(finish({ problem: { ...refused, code: "grows" } }, since).events.length, 1);
  assert.equal(finish({ problem: PROBLEM }, since).events.length, 1);
});

test("a fetch that was aborted, is not the claimed one, or of a list that has changed has no effect", () => {
  const result = { content: FRESH, packed: "p", validators: VALIDATORS };
  const outcomeOf = (how: ReturnType<typeof finish>) => {
    assert.deepEqual([how.list, how.changes, how.events, how.writes!.length], [LIST, [], [], 1]);
    return [(how.outcome as { isLate: boolean }).isLate, how.state.claimedUntil, how.state.dueAt];
  };
  assert.deepEqual(outcomeOf(finish(null)), [false, 0, STATE.dueAt]);
  assert.deepEqual(outcomeOf(finish(result, {}, { basedOn: 6 })), [true, 0, STATE.dueAt]);
  assert.deepEqual(outcomeOf(finish(result, {}, { claimedUntil: 89 })), [true, 90, STATE.dueAt]);
});
