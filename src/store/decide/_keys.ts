import type { CreateKeyCommand, RevokeKeyCommand } from "../command.ts";
import type { ApiKey } from "../state.ts";
import { StoreError } from "../store-error.ts";
import type { Decision, NewId } from "./_decision.ts";
import { checkRoom } from "./_room.ts";
import { checkTexts } from "./_texts.ts";

/** Maximum active keys of an organisation: only its admins create them. */
const MAX_KEYS = 10_000;

/** `count`: active keys of the organisation; `isTaken`: whether a key with this digest exists. */
export function createKey(
  { organisationId, label, access, digest, start, expiresAt, scopes = [], networks = [], at }: CreateKeyCommand,
  { count, isTaken }: { readonly count: number; readonly isTaken: boolean },
  newId: NewId,
): Decision {
  checkTexts(label);
  checkRoom("too-many-keys", { count, max: MAX_KEYS }, "keys that are not revoked; revoke some first");
  if (isTaken) throw new StoreError("key-exists", "a key with this digest already exists; create another");
  const key: ApiKey = {
    id: newId(),
    organisationId,
    label,
    access,
    digest,
    start,
    createdAt: at,
    expiresAt,
    revokedAt: null,
    scopes,
    networks,
  };
  return { outcome: { key }, changes: [{ change: { kind: "key", key } }], writes: [{ insert: "key", key }] };
}

/** `before`: the organisation's key with that id, if there is one. Repeating it changes nothing. */
export function revokeKey({ keyId, at }: RevokeKeyCommand, before: ApiKey | undefined): Decision {
  if (before === undefined) throw new StoreError("key-not-found", `unknown key ${keyId}`);
  if (before.revokedAt !== null) return { outcome: { key: before }, changes: [] };
  const key: ApiKey = { ...before, revokedAt: at };
  return { outcome: { key }, changes: [{ change: { kind: "key", key }, old: before }], writes: [{ save: "key", key }] };
}
