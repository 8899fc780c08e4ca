import type { IndicatorEntry } from "../records/indicator.ts";

/** A version of an indicator, or of the identity that made them all: then the prefix is "". */
export interface NewVersion {
  /** A UUID. */
  readonly id: string;
  /** 1 for the first. */
  readonly version: number;
  /** The key of its prefix. */
  readonly prefix: string;
  readonly name: string | null;
  /** The `indicator_type` of STIX that the source gives, or null. */
  readonly kind: string | null;
  readonly created: number;
  readonly modified: number;
  readonly expires_at: number | null;
  readonly revoked: number;
  /**
   * 0: a later version exists; 1: the last version of an indicator whose prefix has a later indicator; 2: the last
   * version of the last indicator of its prefix.
   */
  readonly state: number;
}

/** The last version of the last indicator of a prefix. */
export interface LastVersion extends NewVersion {
  /** Microseconds since 1970; later in the order of commits is larger. */
  readonly added: number;
}

/** The id of an indicator that belongs to the key of a prefix and the time of its creation. */
export type IdOf = (key: string, created: number) => string;

/** The versions to add to a collection, and those that are no longer the last ones, with their new state. */
export interface IndicatorDifference {
  readonly added: NewVersion[];
  readonly replaced: [added: number, state: number][];
}

/** The state of a version that a later one of the same indicator has superseded. */
export const SUPERSEDED = 0;
const [LAST_OF_EARLIER, LAST] = [1, 2];

/**
 * Adds the versions that lead from the last version of a prefix to what the source lists for it now. Nothing follows a
 * version that is revoked: a prefix that is listed again gets another indicator. A prefix that is listed with an expiry
 * in the past is revoked. O(1)
 */
export function addDifference(
  into: IndicatorDifference,
  idOf: IdOf,
  {
    entry,
    last,
    at,
    after = 0,
  }: {
    readonly entry?: IndicatorEntry;
    readonly last?: LastVersion | undefined;
    readonly at: number;
    /** Indicators that existed until this time have been deleted; new ones are created after it. */
    readonly after?: number;
  },
): void {
  const isActive = entry !== undefined && (entry.expiresAt === null || entry.expiresAt > at);
  const isSame = last !== undefined && (entry?.createdAt ?? 0) <= last.created;
  if (last !== undefined && last.revoked === 0) {
    if (isActive && isSame) return addUpdate(into, entry, last);
    if (entry === undefined || isSame) return addRevocation(into, last, { state: LAST, at, entry });
    addRevocation(into, last, { state: LAST_OF_EARLIER, at });
  } else if (entry === undefined || (isSame && !isActive)) return;
  else if (last !== undefined) into.replaced.push([last.added, LAST_OF_EARLIER]);
  into.added.push(firstVersion(idOf, entry, Math.max(after, last?.modified ?? 0), isActive ? at : null));
}

function addUpdate(into: IndicatorDifference, { name, kind, expiresAt, updatedAt }: IndicatorEntry, last: LastVersion) {
  if (last.name === name && last.kind === kind && last.expires_at === expiresAt) return;
  into.replaced.push([last.added, SUPERSEDED]);
  const modified = Math.max(updatedAt, last.modified + 1);
  into.added.push(nextVersion(last, { name, kind, expires_at: expiresAt, modified }));
}

function addRevocation(
  into: IndicatorDifference,
  last: LastVersion,
  { state, at, entry }: { readonly state: number; readonly at: number; readonly entry?: IndicatorEntry | undefined },
): void {
  into.replaced.push([last.added, SUPERSEDED]);
  const expiry = entry === undefined ? last.expires_at : entry.expiresAt;
  into.added.push(
    nextVersion(last, { revoked: 1, expires_at: expiry, modified: Math.max(at, last.modified + 1), state }),
  );
}

function nextVersion({ added: _added, ...last }: LastVersion, changed: Partial<NewVersion>): NewVersion {
  return { ...last, version: last.version + 1, ...changed };
}

/** `after`: the time of the last version before it. `activeAt`: null: it is revoked from the beginning. */
function firstVersion(
  idOf: IdOf,
  { key, name, kind, expiresAt, createdAt, updatedAt }: IndicatorEntry,
  after: number,
  activeAt: number | null,
): NewVersion {
  // Later than any revoked indicator, so that no two indicators of a prefix have the same time, and thus the same id.
  const created = Math.max(createdAt ?? updatedAt, after === 0 ? 0 : after + 1);
  return {
    id: idOf(key, created),
    version: 1,
    prefix: key,
    name,
    kind,
    created,
    modified: Math.max(created, updatedAt),
    expires_at: expiresAt,
    revoked: activeAt === null ? 1 : 0,
    state: LAST,
  };
}

/** The organisation, which all its indicators name as their author. Nothing is added as long as its name is the same. */
export function addIdentity(
  into: IndicatorDifference,
  identity: { readonly id: string; readonly name: string; readonly createdAt: number },
  last: LastVersion | undefined,
  at: number,
): void {
  const { id, name, createdAt } = identity;
  if (last?.name === name) return;
  if (last !== undefined) {
    into.replaced.push([last.added, SUPERSEDED]);
    return void into.added.push(nextVersion(last, { name, modified: Math.max(at, last.modified + 1) }));
  }
  into.added.push({
    id,
    version: 1,
    prefix: "",
    name,
    kind: null,
    created: createdAt,
    modified: createdAt,
    expires_at: null,
    revoked: 0,
    state: LAST,
  });
}
