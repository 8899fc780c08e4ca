import { createHash } from "node:crypto";
import { RULESET_KIND } from "../../rulesets/ruleset-kind.ts";
import { storingRules } from "../../rulesets/stored/stored-ruleset.ts";
import { encodeSnapshot } from "../../snapshot/encode-snapshot.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { stateOf } from "../../store/state.ts";
import { inSlices, Slice } from "../../turns/in-slices.ts";
import { encoded } from "../encoded.ts";
import type { LiveRuleset } from "../store/service-memory.ts";
import type { SharedCache } from "../shared-cache.ts";

/** A snapshot for clients that copy it. */
export interface OfferedSnapshot {
  readonly bytes: Uint8Array;
  /** A tag of exactly these bytes, equal on all servers that have them. */
  readonly tag: string;
  /** The SHA-256 of the bytes, in base64. */
  readonly digest: string;
}

/** The snapshot that is in use, as it was read. O(bytes) at the first call, in slices, then O(1). */
export function offeredSnapshot({ buffer, info }: Snapshot): Promise<OfferedSnapshot> {
  return offeredBytes(new Uint8Array(buffer, 0, info.byteLength));
}

/**
 * The rules of a ruleset as they are, expired ones too: a file of the kind "ruleset". The same on all servers for one
 * version of the rules. O(rules), in slices, for the first request of this version.
 */
export async function offeredRuleset(
  { about, rules }: LiveRuleset,
  files: SharedCache<Buffer>,
): Promise<OfferedSnapshot> {
  const { id, name, purpose, version, updatedAt } = about;
  const make = async (): Promise<Buffer> => {
    const stored = await inSlices(storingRules(rules, { name, purpose, allowSpecialPurpose: true, sequence: version }));
    const content = { ...stored, kind: RULESET_KIND, createdAt: new Date(updatedAt) };
    const { chunks } = await encodeSnapshot(name, content, "of the content");
    return inSlices(encoded(chunks));
  };
  return offeredBytes(await files.get(`${id} ${stateOf(about)} snapshot`, make));
}

async function offeredBytes(bytes: Uint8Array): Promise<OfferedSnapshot> {
  return { bytes, ...(await sumsOf(bytes)) };
}

type Sums = Omit<OfferedSnapshot, "bytes">;

/** The digests by memory; each memory holds one snapshot. */
const known = new WeakMap<ArrayBufferLike, Promise<Sums>>();

function sumsOf(bytes: Uint8Array): Promise<Sums> {
  const found = known.get(bytes.buffer) ?? summed(bytes);
  known.set(bytes.buffer, found);
  return found;
}

/** Bytes of a digest between two pauses: some 1 ms on a slow machine. */
const SUMMED = 1 << 18;

async function summed(bytes: Uint8Array): Promise<Sums> {
  const slice = new Slice();
  const hash = createHash("sha256");
  for (let at = 0; at < bytes.length; at += SUMMED) {
    await slice.pause();
    hash.update(bytes.subarray(at, at + SUMMED));
  }
  const digest = hash.digest();
  return { tag: `"${digest.toString("hex").slice(0, 32)}"`, digest: digest.toString("base64") };
}
