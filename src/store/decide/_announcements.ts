import type { AnnounceKeyCommand, AnnounceSilenceCommand } from "../command.ts";
import { silenceOf, type Deployment } from "../records/deployment.ts";
import { isExpiring } from "../expiring-key.ts";
import type { ApiKey } from "../records/credential.ts";
import type { Decision } from "./_decision.ts";

/** Milliseconds that a server may take to record a request for a list. */
const UNRECORDED = 30_000;

/** No effect. `isAnnounced`: because it has been announced before. */
function unchanged(isAnnounced: boolean): Decision {
  return { outcome: { isAnnounced }, changes: [] };
}

/** `before`: the organisation's key with that id, if there is one; `announcedAt`: when it was announced already. */
export function announceKey(
  { at }: AnnounceKeyCommand,
  before: ApiKey | undefined,
  announcedAt: number | null,
): Decision {
  const isDue = before !== undefined && isExpiring(before, at);
  if (announcedAt !== null || !isDue) return unchanged(announcedAt !== null);
  const { id, label, access, expiresAt } = before;
  return {
    outcome: { isAnnounced: true },
    changes: [],
    events: [{ type: "key.expiring", key: { id, label, access, expiresAt } }],
    writes: [{ save: "announcement", about: id, at }],
  };
}

/** Announced again only if the list has been requested since. */
export function announceSilence(
  { at }: AnnounceSilenceCommand,
  { id, name, createdAt, definition }: Deployment,
  { pulledAt, announcedAt }: { readonly pulledAt: number | null; readonly announcedAt: number | null },
): Decision {
  const isAnnounced = announcedAt !== null && (pulledAt === null || pulledAt <= announcedAt);
  const silentFor = at - Math.max(createdAt, pulledAt ?? 0);
  const isSilent = definition.active && silentFor > silenceOf(definition) + UNRECORDED;
  if (isAnnounced || !isSilent) return unchanged(isAnnounced);
  return {
    outcome: { isAnnounced: true },
    changes: [],
    events: [{ type: "deployment.not_pulled", deployment: { id, name }, pulledAt }],
    writes: [{ save: "announcement", about: id, at }],
  };
}
