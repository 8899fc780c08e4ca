import type {
  ClaimFetchCommand,
  CreateListCommand,
  DeleteListCommand,
  FinishFetchCommand,
  SetListCredentialsCommand,
  UpdateListCommand,
} from "../command.ts";
import {
  type ExternalList,
  type ExternalListDefinition,
  type FetchProblem,
  type FetchState,
  incompleteProblem,
} from "../records/external-list.ts";
import type { EventBody } from "../event.ts";
import { LISTS_SETTING } from "../records/limit-settings.ts";
import { StoreError } from "../store-error.ts";
import type { Decision, NewId } from "./_decision.ts";
import { checkRoom, type Room } from "./_room.ts";
import { isSameJson } from "./_same-json.ts";
import { checkTexts } from "./_texts.ts";

/** A list with the state that only its fetches need. */
export interface FetchedList {
  readonly list: ExternalList;
  readonly state: FetchState;
}

/** `count`: those of the organisation, which may be at most `max`. */
export function createList(
  { organisationId, name, definition, at }: CreateListCommand,
  room: Room,
  newId: NewId,
): Decision {
  checkTexts(name, JSON.stringify(definition));
  checkRoom("too-many-lists", room, `external lists (${LISTS_SETTING}); delete some first`);
  const about = { id: newId(), organisationId, name, definition, createdAt: at, updatedAt: at };
  const list: ExternalList = { ...about, credentials: null, content: null, problem: null };
  const state: FetchState = { checkedAt: null, dueAt: at, claimedUntil: 0, validators: null, secret: null };
  return {
    outcome: { list },
    changes: [{ change: { kind: "external-list", list } }],
    writes: [{ insert: "external-list", list, state }],
  };
}

/**
 * The list is fetched again at once. If it moves to another origin, its credentials are removed: they are not meant for
 * that origin.
 */
export function updateList(
  { name, definition, at }: UpdateListCommand,
  { list: before, state }: FetchedList,
): Decision {
  const changed = { ...before.definition, ...definition };
  checkTexts(name ?? "", JSON.stringify(changed));
  const isSame = JSON.stringify(changed) === JSON.stringify(before.definition);
  if (isSame && (name ?? before.name) === before.name) return { outcome: { list: before }, changes: [] };
  const keepsCredentials = before.credentials?.origin === new URL(changed.url).origin;
  const list: ExternalList = {
    ...before,
    name: name ?? before.name,
    definition: changed,
    updatedAt: at,
    credentials: keepsCredentials ? before.credentials : null,
    problem: before.problem ?? protectionProblem(before, changed, at),
  };
  const next = { ...state, secret: keepsCredentials ? state.secret : null, dueAt: isSame ? state.dueAt : at };
  return { ...changedTo({ list, state: next }, before), events: fetchEvents(list, before) };
}

/** A list that begins to protect addresses is not said to be good until the next fetch if lines of it were left out. */
function protectionProblem(
  { definition: before, content }: ExternalList,
  { never_block: protects = false }: ExternalListDefinition,
  at: number,
): FetchProblem | null {
  const [bad] = content?.rejected.lines ?? [];
  if (!protects || before.never_block === true || bad === undefined) return null;
  return { ...incompleteProblem(bad.line, bad.reason), since: at };
}

export function deleteList(_: DeleteListCommand, { list }: FetchedList): Decision {
  return {
    outcome: {},
    changes: [{ change: { kind: "external-list-deleted", listId: list.id }, old: list }],
    writes: [{ delete: "external-list", listId: list.id }],
  };
}

export function setListCredentials(
  { credentials, secret, at }: SetListCredentialsCommand,
  { list: before, state }: FetchedList,
): Decision {
  checkTexts(credentials?.name ?? "");
  const { origin } = new URL(before.definition.url);
  if (credentials !== null && credentials.origin !== origin)
    throw new StoreError("list-moved", `the list's URL is at ${origin} now; check it again`);
  return changedTo({ list: { ...before, credentials, updatedAt: at }, state: { ...state, secret, dueAt: at } }, before);
}

/**
 * Gives a server the exclusive right to fetch a list until a moment, if the list is due or a fetch was requested, and
 * no other server is fetching it. Times recorded before the clock was set back do not count. This changes nothing that
 * users see.
 */
export function claimFetch({ until, isRequested, at }: ClaimFetchCommand, { list, state }: FetchedList): Decision {
  const isDue = at >= state.dueAt || at < (state.checkedAt ?? 0);
  // Clocks of servers differ, but by less than a fetch takes.
  const isFree = at >= state.claimedUntil || state.claimedUntil - at > 2 * (until - at);
  if (!isFree || !(isRequested || isDue))
    return { outcome: { claim: null, dueAt: Math.max(state.dueAt, state.claimedUntil) }, changes: [] };
  const claimed = { ...state, claimedUntil: until };
  return {
    outcome: { claim: { list, validators: state.validators, secret: state.secret }, dueAt: state.dueAt },
    changes: [],
    writes: [{ save: "external-list", list, state: claimed }],
  };
}

/** The outcome of a fetch. No effect if the list has been changed meanwhile: then it is due again. */
export function finishFetch(command: FinishFetchCommand, { list: before, state }: FetchedList): Decision {
  const { result, basedOn, dueAt, at } = command;
  const isOurs = state.claimedUntil === command.claimedUntil;
  const isLate = before.updatedAt !== basedOn || !isOurs;
  if (isLate || result === null) {
    const released = isOurs ? { ...state, claimedUntil: 0 } : state;
    const writes = [{ save: "external-list", list: before, state: released }] as const;
    return { outcome: { list: before, isLate }, changes: [], writes };
  }
  const validators = "problem" in result ? state.validators : result.validators;
  const next = { ...state, checkedAt: at, dueAt, claimedUntil: 0, validators };
  const list = "problem" in result ? withProblem(before, result.problem, at) : withContent(before, result, at);
  const isSame = list === before;
  const isNew = list.content?.number !== before.content?.number;
  const packed = "problem" in result ? undefined : result.packed;
  return {
    outcome: { list, isLate },
    changes: isSame ? [] : [{ change: contentChange(list) }],
    events: fetchEvents(list, before),
    writes: [
      { save: "external-list", list, state: next },
      ...(isNew && packed !== undefined
        ? [{ save: "list-content", listId: list.id, number: list.content!.number, content: packed } as const]
        : []),
    ],
  };
}

type Good = Extract<NonNullable<FinishFetchCommand["result"]>, { content: unknown }>;

/** The same prefixes keep their number; which lines were left out may be new. */
function withContent(before: ExternalList, { content, rejected }: Good, at: number): ExternalList {
  const known = before.content;
  if (content === null || content.digest === known?.digest) {
    const left = content?.rejected ?? rejected ?? known?.rejected;
    const isSame = before.problem === null && isSameJson(left, known?.rejected);
    return isSame ? before : { ...before, content: known && { ...known, rejected: left! }, problem: null };
  }
  const number = (before.content?.number ?? 0) + 1;
  return { ...before, content: { ...content, number, at }, problem: null };
}

/** The same problem again is no change. */
function withProblem(before: ExternalList, problem: Omit<FetchProblem, "since">, at: number): ExternalList {
  const known = before.problem;
  const since = known?.kind === problem.kind ? known.since : at;
  const next = { ...problem, since };
  return JSON.stringify(next) === JSON.stringify(known) ? before : { ...before, problem: next };
}

/** New content is an event, and so is a new problem. A continuing problem is not, even if its message changes. */
function fetchEvents({ id, name, content, problem }: ExternalList, before: ExternalList): readonly EventBody[] {
  const list = { id, name };
  if (content !== null && content.number !== before.content?.number) {
    const { number, entries, change } = content;
    const counts = change && { added: change.added, removed: change.removed };
    return [{ type: "list.refreshed", list, content: { number, entries, change: counts } }];
  }
  if (problem === null || isGoingOn(problem, before.problem)) return [];
  const { kind, code, message } = problem;
  return [{ type: "list.refused", list, generation: content?.number ?? 0, problem: { kind, code, message } }];
}

/** Consecutive fetches may fail with different errors; refused content is also compared by its digest. */
function isGoingOn(problem: FetchProblem, known: FetchProblem | null): boolean {
  if (problem.kind !== known?.kind) return false;
  return problem.kind === "failed" || (problem.code === known.code && problem.digest === known.digest);
}

function changedTo({ list, state }: FetchedList, before: ExternalList): Decision {
  return {
    outcome: { list },
    changes: [{ change: { kind: "external-list", list }, old: before }],
    writes: [{ save: "external-list", list, state }],
  };
}

function contentChange({ id, content, problem }: ExternalList) {
  return { kind: "external-list-content", listId: id, content, problem } as const;
}
