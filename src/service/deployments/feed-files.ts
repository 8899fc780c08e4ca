import { createHash } from "node:crypto";
import type { Prefix } from "../../address/address.ts";
import { formatPrefix } from "../../address/prefix.ts";
import { commentOf } from "../../formats/comment.ts";
import { ENTRIES_AT_ONCE, inChunks } from "../../formats/format.ts";
import { expiringEntries } from "../../deployments/time-list.ts";
import { setNameOf } from "../../formats/set-name.ts";
import { trie } from "../../formats/data/trie.ts";
import { DEVICES } from "../../deployments/devices.ts";
import { exportRules, type Expression } from "../../rulesets/export-rules.ts";
import type { Rule } from "../../rulesets/rule.ts";
import type { Deployment, DeploymentDefinition } from "../../store/records/deployment.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { encoded } from "../encoded.ts";
import { type DeploymentFormat, formatNamed, isOnlyDeployed } from "./deployment-formats.ts";
import { reasonAgainst } from "../../deployments/unprocessable.ts";
import { atLeast, type Capability, entriesFor } from "../../sets/capability.ts";
import { chunkOf } from "./divide-list.ts";
import { hasTimes, isTimed, longestTimeoutOf } from "./feed-times.ts";
import { type ListText, prefixesOfList, timedEntriesOf } from "../sources/list-text.ts";
import { ATTRIBUTES_OF_EVENT, mispEvent, mispEventId, mispHashes, mispManifest } from "./misp-feed.ts";

/** A file of a feed: its name without a checksum's ending. */
export interface FeedFile {
  readonly part: "combined" | "ipv4" | "ipv6" | "unprocessable" | "manifest" | "hashes";
  /** The number of the piece, from 0; null: the list is not divided. */
  readonly chunk: number | null;
  readonly checksum: "md5" | "sha256" | null;
}

/** Maximum pieces of a list. */
const MAX_CHUNKS = 512;
const FAMILIES = { combined: [4, 6], ipv4: [4], ipv6: [6] } as const;

/** The parts of the files that depend on the deployment. */
export type FileContext = Pick<Deployment, "name" | "definition"> & {
  readonly id?: string;
  /** The serial number of a zone. */
  readonly generation?: number;
  readonly at?: number;
  readonly updatedAt?: number;
  /** The clock reading from which times are counted. */
  readonly now?: number;
};
type Named = Pick<FileContext, "id" | "definition">;

const EXTENSIONS: Readonly<Record<string, string>> = {
  "text/plain": "txt",
  "text/csv": "csv",
  "application/json": "json",
  "application/x-ndjson": "ndjson",
  "application/yaml": "yaml",
  "text/dns": "zone",
  "application/octet-stream": "bin",
};

/** The extension of its files. */
function extensionOf({ firewall_format: format }: DeploymentDefinition): string {
  const { extension, mediaType } = formatNamed(format);
  return extension ?? EXTENSIONS[mediaType] ?? "txt";
}

export function mediaTypeOf({ part, checksum }: FeedFile, { firewall_format: format }: DeploymentDefinition): string {
  if (checksum !== null || part === "unprocessable") return "text/plain";
  return part === "hashes" ? "text/csv" : formatNamed(format).mediaType;
}

/** Only lists of lines may be divided: sets and zones have one name, which a second file would replace. */
export function canBeDivided(format: DeploymentFormat): boolean {
  const { isNamed, hasSerial, isBinary } = formatNamed(format);
  return isNamed !== true && hasSerial !== true && isBinary !== true;
}

export function fileName({ part, chunk, checksum }: FeedFile, { id, definition }: Named): string {
  const ending = checksum === null ? "" : `.${checksum}`;
  // MISP requests these names; that of an event is its UUID.
  if (part === "hashes") return `hashes.csv${ending}`;
  if (definition.firewall_format === "misp" && part === "combined")
    return `${mispEventId({ ...(id !== undefined && { id }) }, chunk ?? 0)}.json${ending}`;
  const number = chunk === null ? "" : `-${String(chunk + 1).padStart(3, "0")}`;
  const extension = part === "unprocessable" ? "txt" : extensionOf(definition);
  return `${part}${number}.${extension}${ending}`;
}

/**
 * The file of that name; undefined if a deployment of this form never has it. Files whose times are relative have no
 * checksums, as their bytes differ from second to second. O(1), or O(chunks) for events
 */
export function readFileName(name: string, deployment: Named, chunks: number): FeedFile | undefined {
  const { definition } = deployment;
  if (definition.firewall_format === "misp") return mispFileNamed(name, deployment, chunks);
  const [, part, number, checksum] = /^([a-z0-9]+)(?:-(\d{3}))?\.[a-z]+?(?:\.(md5|sha256))?$/.exec(name) ?? [];
  const chunk = number === undefined ? null : Number(number) - 1;
  if (!(part === "unprocessable" || partsOf(definition).some((each) => each === part))) return undefined;
  if (checksum !== undefined && hasTimes(definition)) return undefined;
  const file = { part, chunk, checksum: checksum ?? null } as FeedFile;
  const isDivided = chunks > 1 && part !== "unprocessable";
  const isThere = isDivided ? chunk !== null && chunk >= 0 && chunk < chunks : chunk === null;
  return isThere && fileName(file, deployment) === name ? file : undefined;
}

function mispFileNamed(name: string, deployment: Named, chunks: number): FeedFile | undefined {
  const [, plain, checksum] = /^([\w-]+\.(?:json|csv))(?:\.(md5|sha256))?$/.exec(name) ?? [];
  const found = partsOf(deployment.definition)
    .flatMap((part) => filesOf(part, chunks))
    .find((file) => fileName(file, deployment) === plain);
  return found && ({ ...found, checksum: checksum ?? null } as FeedFile);
}

/** Some formats hold one family in a file: their lists have no file with both. */
export function partsOf({
  firewall_format: format,
}: DeploymentDefinition): Exclude<FeedFile["part"], "unprocessable">[] {
  if (format === "misp") return ["manifest", "hashes", "combined"];
  const { isOneFamily = false } = formatNamed(format);
  return isOneFamily ? ["ipv4", "ipv6"] : ["combined", "ipv4", "ipv6"];
}

/** A part of a list, divided into its pieces. */
export function filesOf(part: FeedFile["part"], chunks: number): FeedFile[] {
  if (chunks === 1 || part === "manifest" || part === "hashes") return [{ part, chunk: null, checksum: null }];
  return Array.from({ length: chunks }, (_, chunk) => ({ part, chunk, checksum: null }));
}

/**
 * Into how many pieces a list is divided: a power of two, so that no piece has more entries than desired, and never
 * fewer pieces than before (undefined: it has not been published), because devices have the URLs of all of them.
 */
export function* choosingChunks(
  definition: DeploymentDefinition,
  text: ListText,
  before: number | undefined,
): Generator<undefined, number, undefined> {
  const most = definition.options.chunk_entries ?? chunkEntriesOf(definition, before);
  if (most === undefined) return 1;
  let chunks = before ?? 1;
  const { expresses } = formatNamed(definition.firewall_format);
  while (chunks < MAX_CHUNKS && Math.max(...(yield* countingChunks(text, chunks, expresses))) > most) chunks *= 2;
  return chunks;
}

/**
 * Of each piece, unless the deployment says so. The one file of a published list is not split for its device: its URL
 * would be gone, and what is in the other files missing on the device without anyone noticing.
 */
function chunkEntriesOf(
  { options, firewall_format: format, device }: DeploymentDefinition,
  before: number | undefined,
): number | undefined {
  if (format === "misp") return ATTRIBUTES_OF_EVENT;
  const isInOneFile = options.overflow === "fit" || before === 1 || !canBeDivided(format as DeploymentFormat);
  return isInOneFile ? undefined : DEVICES[device]?.chunkEntries;
}

/** The entries of each piece. Can be interrupted. */
function* countingChunks(
  text: ListText,
  chunks: number,
  expresses: Capability | undefined,
): Generator<undefined, Uint32Array, undefined> {
  const counts = new Uint32Array(chunks);
  let count = 0;
  for (const family of [4, 6] as const)
    for (const prefix of prefixesOfList(text[family]))
      for (const entry of entriesOf(prefix, expresses)) {
        counts[chunkOf(entry, chunks)]!++;
        if (++count % ENTRIES_AT_ONCE === 0) yield;
      }
  return counts;
}

/** The entries and bytes of the largest file that a device can fetch. */
export async function largestFile(
  context: FileContext,
  text: ListText,
  {
    chunks,
    entries,
    isBytesNeeded,
  }: { readonly chunks: number; readonly entries: number; readonly isBytesNeeded: boolean },
): Promise<{ readonly entries: number; readonly bytes: number }> {
  const largest =
    chunks === 1
      ? entries
      : Math.max(
          ...(await inSlices(countingChunks(text, chunks, formatNamed(context.definition.firewall_format).expresses))),
        );
  const { maxBytes } = formatNamed(context.definition.firewall_format);
  if (maxBytes !== undefined)
    return { entries: largest, bytes: await inSlices(inSteps(maxBytes(prefixesOfBoth(text)))) };
  const parts = isBytesNeeded ? partsOf(context.definition) : [];
  let bytes = 0;
  for (const file of parts.flatMap((part) => filesOf(part, chunks)))
    bytes = Math.max(bytes, (await makeFile(context, text, file, chunks)).length);
  return { entries: largest, bytes };
}

function* inSteps<Result>(steps: Generator<"", Result, undefined>): Generator<undefined, Result, undefined> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    yield;
  }
}

function* prefixesOfBoth(text: ListText): Generator<Prefix> {
  yield* prefixesOfList(text[4]);
  yield* prefixesOfList(text[6]);
}

/** The bytes of a file. O(entries), in slices. */
export async function makeFile(context: FileContext, text: ListText, file: FeedFile, chunks: number): Promise<Buffer> {
  const { checksum } = file;
  if (checksum === null) return makeContent(context, text, file, chunks);
  const bytes = await makeContent(context, text, file, chunks);
  const digest = createHash(checksum).update(bytes).digest("hex");
  return Buffer.from(`${digest}  ${fileName({ ...file, checksum: null }, context)}\n`);
}

async function makeContent(
  context: FileContext,
  text: ListText,
  { part, chunk }: FeedFile,
  chunks: number,
): Promise<Buffer> {
  if (part === "unprocessable")
    return Buffer.from((await unprocessableOf(context, text)).map((line) => `${line}\n`).join(""));
  if (part === "manifest") return inSlices(encoded(inChunks(mispManifest(context, text, chunks))));
  if (part === "hashes") return inSlices(encoded(inChunks(mispHashes(context, text, chunks))));
  if (context.definition.firewall_format === "misp")
    return inSlices(encoded(inChunks(mispEvent(context, text, { chunk: chunk ?? 0, chunks }))));
  const families = FAMILIES[part];
  if (context.definition.firewall_format === "text" && chunk === null && context.definition.options.comments !== true)
    return part === "combined" ? Buffer.concat([text[4], text[6]]) : text[families[0]!];
  return inSlices(
    encoded(exportOf(context, rulesIn(context, text, families, chunk === null ? undefined : { chunk, chunks }))),
  );
}

/** The prefixes that the format cannot express: its files leave them out, and this names them. O(entries), in slices. */
export async function unprocessableOf({ definition }: FileContext, text: ListText): Promise<string[]> {
  const expression = formatNamed(definition.firewall_format);
  return expression.unprocessable === undefined ? [] : inSlices(findingUnprocessable(expression, text));
}

function* findingUnprocessable(expression: Expression, text: ListText): Generator<undefined, string[], undefined> {
  const found: string[] = [];
  let count = 0;
  for (const family of [4, 6] as const)
    for (const prefix of prefixesOfList(text[family])) {
      if (reasonAgainst(expression, prefix) !== undefined) found.push(formatPrefix(prefix));
      if (++count % ENTRIES_AT_ONCE === 0) yield;
    }
  return found;
}

function exportOf(context: FileContext, rules: Iterable<Rule>): Generator<string | Uint8Array> {
  const format = context.definition.firewall_format as Exclude<DeploymentFormat, "misp">;
  const options = exportOptions(context);
  if (!isOnlyDeployed(format)) return exportRules(rules, format, options);
  const { setName: name = "ipsieve", purpose, now, serial } = options;
  return trie.write({ kind: "rules", entries: () => rules, name, title: name, createdAt: now, now, purpose, serial });
}

function exportOptions({ name, id, definition, generation = 1, at = 0, now }: FileContext) {
  return {
    ...(id !== undefined && { setName: setNameOf(name, id) }),
    purpose: definition.purpose === "allowlist" ? ("allowlist" as const) : ("blocklist" as const),
    now: now ?? at,
    hasTimeouts: definition.options.timeouts === true,
    serial: generation,
    ...(definition.options.comments === true && { comment: commentOf(name) }),
  };
}

/** The entries that the format can express. */
function* rulesIn(
  context: FileContext,
  text: ListText,
  families: readonly (4 | 6)[],
  only?: { readonly chunk: number; readonly chunks: number },
): Generator<Rule> {
  const { name: deployment, definition } = context;
  const expression = formatNamed(definition.firewall_format);
  const name = definition.options.comments === true ? commentOf(deployment) : null;
  for (const { prefix, expiresAt } of entriesIn(context, text, families)) {
    if (reasonAgainst(expression, prefix) !== undefined) continue;
    if (only === undefined) yield { prefix, name, expiresAt, createdAt: 0, updatedAt: 0 };
    else
      for (const entry of entriesOf(prefix, expression.expresses))
        if (chunkOf(entry, only.chunks) === only.chunk)
          yield { prefix: entry, name, expiresAt, createdAt: 0, updatedAt: 0 };
  }
}

/** The entries that a prefix is written as; none if it cannot be expressed. */
function* entriesOf(prefix: Prefix, expresses: Capability | undefined): Generator<Prefix> {
  const entries = expresses === undefined ? 1 : entriesFor(expresses, prefix.family, prefix.length);
  if (entries > 0) yield* atLeast(prefix.length + Math.log2(entries), prefix);
}

/** What has ended is left out, although the list has not been made again yet. */
function* entriesIn(
  { definition, now = 0 }: FileContext,
  text: ListText,
  families: readonly (4 | 6)[],
): Generator<Pick<Rule, "prefix" | "expiresAt">> {
  if (!isTimed(definition, text)) {
    for (const family of families) for (const prefix of prefixesOfList(text[family])) yield { prefix, expiresAt: null };
    return;
  }
  yield* expiringEntries(timedEntriesOf(text, families), now, longestTimeoutOf(definition));
}
