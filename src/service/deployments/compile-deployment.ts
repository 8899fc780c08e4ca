import type { Family } from "../../address/address.ts";
import type { Collateral } from "../../collateral/find-collateral.ts";
import { type CompiledList, compilingList, SHORTEST_LENGTHS } from "../../deployments/compile.ts";
import { type Device, DEVICES } from "../../deployments/devices.ts";
import type { Gathered, PrefixTally } from "../../deployments/gathered.ts";
import { TimedList } from "../../deployments/time-list.ts";
import { changeRejectionsOf } from "../../deployments/guard-change.ts";
import { rejectionsOf } from "../../deployments/guard-list.ts";
import {
  type ExpressedList,
  expressingList,
  gatheredFor,
  type Unprocessable,
  unprocessableRejections,
} from "../../deployments/unprocessable.ts";
import { UnexportableError } from "../../formats/format.ts";
import type { Expression } from "../../rulesets/export-rules.ts";
import type { AddressSet } from "../../sets/address-set.ts";
import {
  type AcceptedHit,
  type DeploymentDefinition,
  type DeploymentSource,
  type PublishedList,
  votersOf,
} from "../../store/records/deployment.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { formatNamed } from "./deployment-formats.ts";
import { choosingChunks, largestFile } from "./feed-files.ts";
import { type GatheredProtection, gatherProtection } from "../guards/gather-protection.ts";
import { isOfDataset, isOfNetworks, isOfThreats, type Sources, type SourceServices } from "../sources/gather-source.ts";
import {
  acceptedHits,
  type Carved,
  carvedFrom,
  collateralMessage,
  collateralOf,
  guardOf,
  isGuarded,
  newHits,
} from "./guard-deployment.ts";
import { canBeFitted, fitList, type FittedList, isFitted } from "./fit-deployment.ts";
import { hasTimes } from "./feed-times.ts";
import { digestingList, type ListText, writingList, writingTimes } from "../sources/list-text.ts";

/**
 * Maximum bytes of a file with a node for each bit, unless the deployment sets a limit: those who read it hold it in
 * memory.
 */
const MAX_TREE_BYTES = 256 << 20;

/** The inputs of a compilation, and what its result is compared with. */
export interface CompileRequest {
  readonly organisationId: string;
  readonly name: string;
  readonly definition: DeploymentDefinition;
  /** What devices get now. */
  readonly published: PublishedList | null;
  /** `fromDatasets` of the published list; undefined: unknown. */
  readonly before: readonly Gathered[] | undefined;
  /** Whether to look for collateral although the guard only warns: for a preview. */
  readonly warns: boolean;
}

/** A compiled list, and what is wrong with it. */
export interface CompiledDeployment {
  readonly include: readonly Gathered[];
  readonly exclude: readonly Gathered[];
  /** What devices get. */
  readonly list: CompiledList;
  /** The list with the ends of its addresses; undefined: its entries have no times. */
  readonly timed: TimedList | undefined;
  /** The addresses that were added to shorten it; undefined: it has few enough entries. */
  readonly added: AddressSet | undefined;
  /** What the excludes removed. */
  readonly removed: PrefixTally;
  readonly text: ListText;
  readonly digest: string;
  /** As its files have them. */
  readonly entries: Readonly<Record<Family, number>>;
  /** What its files lack. */
  readonly unprocessable: Unprocessable;
  readonly chunks: number;
  /** The first moment, in milliseconds since 1970, at which the list may change without a write; Infinity: never. */
  readonly until: number;
  /** What makes it unfit for devices. */
  readonly rejections: readonly Reason[];
  /** What someone has to approve: how the list changes because of a dataset, and what it blocks. */
  readonly suspicions: readonly Reason[];
  readonly datasets: PublishedList["datasets"];
  /**
   * The addresses from datasets, in the order of `datasetSources`, then what the guard takes out because of a dataset.
   */
  readonly fromDatasets: readonly Gathered[];
  /** What it blocks but should not, or what the guard has taken out; undefined: not looked for. */
  readonly collateral: Collateral | undefined;
  /** By the guard. */
  readonly takenOut: readonly Gathered[];
  /** With the guard `refuse`, the hits that its publication accepts. */
  readonly accepted: readonly AcceptedHit[] | undefined;
}

/** A list without what the guard takes out of it. */
interface GuardedList {
  readonly list: CompiledList;
  readonly collateral: Collateral | undefined;
  readonly carved: Carved | undefined;
  /** Undefined: neither the guard nor shortening the list needs it. */
  readonly protection: GatheredProtection | undefined;
  readonly until: number;
}

interface Content {
  readonly include: readonly Gathered[];
  readonly exclude: readonly Gathered[];
}

export interface Reason {
  readonly code: string;
  readonly message: string;
}

export function datasetSources({ include, exclude }: DeploymentDefinition): DeploymentSource[] {
  return [...include, ...exclude].filter(isOfDataset);
}

/** The format and the limits of a deployment: its own if set, otherwise those of its device. */
function limitsOf({ device, options, firewall_format: format }: DeploymentDefinition) {
  const { maxEntries, maxBytes }: Partial<Device> = DEVICES[device] ?? {};
  const { maxEntries: most = Infinity, maxBytes: bound } = formatNamed(format);
  return {
    maxEntries: Math.min(options.max_entries ?? maxEntries ?? Infinity, most),
    maxBytes: options.max_bytes ?? maxBytes ?? (bound && MAX_TREE_BYTES),
  };
}

/** Compiles the list as of `now`. Rejects with SourceError. O(sources), in slices. */
export async function compileDeployment(
  { sources, ...services }: Pick<SourceServices, "memory" | "catalogue"> & { readonly sources: Sources },
  request: CompileRequest,
  now: number,
): Promise<CompiledDeployment> {
  const { organisationId, definition, published } = request;
  const gatherAll = (
    all: readonly DeploymentSource[],
    isTimed = false,
    expresses?: Expression["expresses"],
  ): Promise<Gathered[]> =>
    Promise.all(all.map((source) => sources.gather(organisationId, source, now, isTimed, expresses)));
  const datasets = datasetsOf(organisationId, definition, sources);
  const include = await gatherAll(definition.include, hasTimes(definition), expressesOf(definition));
  const exclude = await gatherAll(definition.exclude);
  const guard = { organisationId, guardClasses: definition.guard_classes };
  const protect = () => gatherProtection(guard, now, { sources, ...services });
  const guarded = await compileGuarded({ include, exclude }, request, { protect, now });
  const { list: exact, collateral, carved, until } = guarded;
  const { list, timed, added, shortest } = await fittedList(guarded, { include, exclude }, definition);
  const expressed = await inSlices(
    expressingList(list, include, formatNamed(definition.firewall_format), definition.purpose),
  );
  const text = await textOf(expressed, timed);
  const { entries } = timed ?? expressed;
  const { unprocessable } = expressed;
  const chunks = await inSlices(choosingChunks(definition, text, published?.chunks));
  const { maxEntries, maxBytes } = limitsOf(definition);
  const largest = await writtenFiles({ ...request, now }, text, { chunks, entries: countOf(entries), maxBytes });
  const isEmpty = include.every(({ prefixes }) => prefixes.count(4) + prefixes.count(6) === 0);
  const allowEmpty = isEmpty || definition.options.allow_empty === true;
  return {
    include,
    exclude,
    list,
    timed,
    added,
    removed: exact.removed,
    text,
    digest: await inSlices(digestingList(text)),
    entries,
    chunks,
    until,
    unprocessable,
    rejections: [
      ...rejectionsOf(list, largest.bytes, { allowEmpty, maxEntries, maxBytes, shortest }, largest.entries),
      ...unprocessableRejections(definition.firewall_format, expressed, {
        ...(definition.options.unprocessable !== undefined && { policy: definition.options.unprocessable }),
        allowEmpty,
      }),
      ...largest.rejections,
    ],
    suspicions: [
      ...(await suspicionsOf(
        { include, exclude, carved, datasets, entries, exact: await entriesIn(exact, include, definition) },
        request,
      )),
      ...newCollateral(request, collateral),
    ],
    datasets,
    fromDatasets: [
      ...gatheredFromDatasets(definition, [...include, ...exclude]),
      ...(carved === undefined ? [] : [carved.services]),
    ],
    collateral,
    takenOut: carved === undefined ? [] : [carved.services, carved.others],
    accepted: guardOf(definition) === "refuse" && collateral !== undefined ? acceptedHits(collateral) : undefined,
  };
}

/** The guard acts as one more exclude: it takes out what should not be blocked. */
async function compileGuarded(
  { include, exclude }: Content,
  { definition, warns }: CompileRequest,
  { protect, now }: { readonly protect: () => Promise<GatheredProtection>; readonly now: number },
): Promise<GuardedList> {
  const shape = shapeOf(definition);
  const list = await inSlices(compilingList({ include, exclude, ...shape }));
  const guard = guardOf(definition);
  if (!isGuarded(definition) && !(warns && guard === "warn"))
    return { list, collateral: undefined, carved: undefined, protection: undefined, until: list.until };
  const protection = await protect();
  const collateral = await collateralOf(list, protection, now);
  const until = Math.min(list.until, protection.until);
  if (guard !== "carve") return { list, collateral, carved: undefined, protection, until };
  const carved = await carvedFrom(collateral, until);
  const without = { include, exclude: [...exclude, carved.services, carved.others], ...shape };
  return { list: await inSlices(compilingList(without)), collateral, carved, protection, until };
}

/**
 * The list, shortened for its device if necessary and wanted. A list that is rejected for prefixes that are too wide is
 * not shortened. Entries that are split only because their addresses end at different times are joined before any
 * address is added.
 */
async function fittedList(
  guarded: GuardedList,
  { include, exclude }: Content,
  definition: DeploymentDefinition,
): Promise<FittedList & { readonly timed: TimedList | undefined }> {
  const { list, protection } = guarded;
  const timed = hasTimes(definition) ? await inSlices(TimedList.making(list, include)) : undefined;
  const { maxEntries = Infinity } = limitsOf(definition);
  const isShort = ({ entries }: CompiledList | TimedList): boolean => countOf(entries) <= maxEntries;
  const isOfPrefixes = canBeFitted(formatNamed(definition.firewall_format));
  if (!isFitted(definition) || !isOfPrefixes || list.tooWideCount > 0 || isShort(timed ?? list)) return { list, timed };
  const shape = shapeOf(definition);
  const fitted = isShort(list) ? { list } : await fitList(list, maxEntries, { exclude, protection, shape });
  return { ...fitted, timed: timed && (await inSlices(TimedList.joining(fitted.list, timed.times))) };
}

/** As the files of a deployment have them. */
async function entriesIn(
  list: CompiledList,
  include: readonly Gathered[],
  { firewall_format: format, purpose }: DeploymentDefinition,
): Promise<Readonly<Record<Family, number>>> {
  return (await inSlices(expressingList(list, include, formatNamed(format), purpose))).entries;
}

/** What the sources of a deployment must be gathered with. */
export function expressesOf({ firewall_format: format }: DeploymentDefinition): Expression["expresses"] {
  return gatheredFor(formatNamed(format));
}

/** The largest of its files, and why one cannot be written. */
async function writtenFiles(
  context: Parameters<typeof largestFile>[0],
  text: ListText,
  { maxBytes, ...about }: { readonly chunks: number; readonly entries: number; readonly maxBytes: number | undefined },
): Promise<{ readonly entries: number; readonly bytes: number; readonly rejections: readonly Reason[] }> {
  const { rejectsLists = false, maxEntries = Infinity } = formatNamed(context.definition.firewall_format);
  // A list with more entries is rejected for them, and need not be written.
  const isBytesNeeded = (maxBytes !== undefined || rejectsLists) && about.entries <= maxEntries;
  try {
    return { ...(await largestFile(context, text, { ...about, isBytesNeeded })), rejections: [] };
  } catch (error) {
    if (!(error instanceof UnexportableError)) throw error;
    const rejections = [{ code: "unprocessable", message: error.message }];
    return { entries: about.entries, bytes: 0, rejections };
  }
}

function countOf(entries: Readonly<Record<Family, number>>): number {
  return entries[4] + entries[6];
}

async function textOf(list: ExpressedList, timed: TimedList | undefined): Promise<ListText> {
  if (timed === undefined) return inSlices(writingList((family) => list.prefixes(family)));
  const prefixes = (family: Family) => timed.prefixes(family).map(({ prefix }) => prefix);
  const text = await inSlices(writingList(prefixes));
  return { ...text, times: await inSlices(writingTimes(timed, timed.prefixes())) };
}

/** What the list blocks without approval. */
function newCollateral({ definition, published }: CompileRequest, collateral: Collateral | undefined): Reason[] {
  if (guardOf(definition) !== "refuse" || collateral === undefined) return [];
  const hits = newHits(collateral, published?.accepted ?? []);
  return hits.length === 0 ? [] : [{ code: "collateral", message: collateralMessage(hits) }];
}

/** Identifies the dataset that each kind of source selects from. */
function datasetsOf(
  organisationId: string,
  definition: DeploymentDefinition,
  sources: Sources,
): PublishedList["datasets"] {
  const used = datasetSources(definition).flatMap(votersOf);
  const lists = used.flatMap((source) => ("list" in source ? [sources.contentOf(organisationId, source.list)] : []));
  return {
    ...(lists.length > 0 && { lists: lists.join(", ") }),
    ...((used.some((source) => "cbs" in source) || isByCatalogue(definition)) && {
      cbs: sources.generationOf("cbs"),
    }),
    ...(used.some(isOfThreats) && { cti: sources.generationOf("cti") }),
    ...(used.some(isOfNetworks) && { networks: sources.generationOf("networks") }),
  };
}

/** Whether services that the guard protects change the list: they are taken out, or not added to it. */
function isByCatalogue(definition: DeploymentDefinition): boolean {
  const guard = guardOf(definition);
  return guard === "carve" || (guard !== "off" && isFitted(definition));
}

function gatheredFromDatasets({ include, exclude }: DeploymentDefinition, gathered: readonly Gathered[]): Gathered[] {
  const all = [...include, ...exclude];
  return gathered.filter((_, index) => isOfDataset(all[index]!));
}

function shapeOf({ options }: DeploymentDefinition) {
  const { families, min_prefix_v4: shortest4, min_prefix_v6: shortest6 } = options;
  return {
    ...(families !== undefined && { families }),
    shortest: { 4: shortest4 ?? SHORTEST_LENGTHS[4], 6: shortest6 ?? SHORTEST_LENGTHS[6] },
  };
}

/**
 * How much the list differs from what it would be with the datasets of the published list. Expired rules, and changes
 * that users made to rules or to the deployment, do not count.
 */
async function suspicionsOf(
  {
    datasets,
    entries,
    exact,
    ...content
  }: Content &
    Pick<CompiledDeployment, "datasets" | "entries"> &
    /** The entries before the list was shortened. */
    Pick<GuardedList, "carved"> & { readonly exact: Readonly<Record<Family, number>> },
  { definition, published, before }: CompileRequest,
): Promise<Reason[]> {
  if (published === null || !hasOtherDataset(datasets, published.datasets)) return [];
  const count = datasetSources(definition).length + (content.carved === undefined ? 0 : 1);
  const known = before?.length === count ? before : undefined;
  // Older lists counted prefixes instead of entries.
  const isComparable = published.unprocessable !== undefined || expressesOf(definition) === undefined;
  if (known === undefined && !isComparable) return [];
  const [earlier, later] =
    known === undefined ? [published.entries, entries] : [await entriesWith(known, content, definition), exact];
  const { max_shrink: maxShrink, max_growth: maxGrowth } = definition.options;
  return changeRejectionsOf(earlier[4] + earlier[6], later[4] + later[6], { maxShrink, maxGrowth });
}

/**
 * Whether a dataset that both lists use has changed. A dataset, or an external list, that only one of them uses was added
 * or removed by a user; so was a list whose first content has arrived since.
 */
function hasOtherDataset(now: PublishedList["datasets"], before: PublishedList["datasets"]): boolean {
  const [lists, earlier] = [numbersOf(now.lists), numbersOf(before.lists)];
  if (Array.from(lists).some(([id, number]) => ![undefined, "0", number].includes(earlier.get(id)))) return true;
  const kinds = (["cbs", "cti"] as const).filter((kind) => before[kind] !== undefined);
  return kinds.some((kind) => now[kind] !== undefined && now[kind] !== before[kind]);
}

/** The number of each external list's content, by id: `Sources.contentOf`. */
function numbersOf(lists: string | undefined): ReadonlyMap<string, string> {
  return new Map((lists ?? "").split(", ").map((each) => each.split(" ") as [string, string]));
}

async function entriesWith(
  before: readonly Gathered[],
  { include, exclude, carved }: Content & Pick<GuardedList, "carved">,
  definition: DeploymentDefinition,
): Promise<Readonly<Record<Family, number>>> {
  const rest = [...before];
  const asBefore = (gathered: readonly Gathered[], sources: readonly DeploymentSource[]): Gathered[] =>
    gathered.map((each, index) => (isOfDataset(sources[index]!) ? rest.shift()! : each));
  const content = {
    include: asBefore(include, definition.include),
    exclude: asBefore(exclude, definition.exclude),
    ...shapeOf(definition),
  };
  // The rest of the difference is what the guard took out because of the catalogue.
  const taken = carved === undefined ? [] : [...rest, carved.others];
  const list = await inSlices(compilingList({ ...content, exclude: [...content.exclude, ...taken] }));
  return entriesIn(list, content.include, definition);
}
