import type { Family } from "../../address/address.ts";
import { type CompiledList, compilingList, SHORTEST_LENGTHS } from "../../deployments/compile.ts";
import { type Device, DEVICES } from "../../deployments/devices.ts";
import type { Gathered } from "../../deployments/gathered.ts";
import { changeRejectionsOf } from "../../deployments/guard-change.ts";
import { rejectionsOf } from "../../deployments/guard-list.ts";
import type { DeploymentDefinition, DeploymentSource, PublishedList } from "../../store/deployment.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { choosingChunks, largestFile } from "./feed-files.ts";
import { isOfDataset, type Sources } from "./gather-source.ts";
import { digestingList, type ListText, writingList } from "./list-text.ts";

/** Of a file in the format `trie`, unless the deployment says otherwise: edge components have it in memory. */
const MAX_TRIE_BYTES = 256 << 20;

/** What a deployment is compiled from, and what it is compared with. */
export interface CompileRequest {
  readonly organisationId: string;
  readonly name: string;
  readonly definition: DeploymentDefinition;
  /** What devices get now. */
  readonly published: PublishedList | null;
  /** What the sources from datasets listed when that was compiled, in the order of `datasetSources`; undefined: unknown. */
  readonly before: readonly Gathered[] | undefined;
}

/** A compiled list, and what is wrong with it. */
export interface CompiledDeployment {
  readonly include: readonly Gathered[];
  readonly exclude: readonly Gathered[];
  readonly list: CompiledList;
  readonly text: ListText;
  readonly digest: string;
  readonly entries: Readonly<Record<Family, number>>;
  readonly chunks: number;
  /** What makes it unfit for devices. */
  readonly rejections: readonly Reason[];
  /** How it changes too much for a change that nobody has made here: these can be released. */
  readonly suspicions: readonly Reason[];
  readonly datasets: PublishedList["datasets"];
  /** Of the sources from datasets, in the order of `datasetSources`. */
  readonly fromDatasets: readonly Gathered[];
}

export interface Reason {
  readonly code: string;
  readonly message: string;
}

export function datasetSources({ include, exclude }: DeploymentDefinition): DeploymentSource[] {
  return [...include, ...exclude].filter(isOfDataset);
}

/** The format and the limits of a deployment: its own, otherwise those of its device. */
export function limitsOf({ device, options, firewall_format: format }: DeploymentDefinition) {
  const { maxEntries, maxBytes }: Partial<Device> = DEVICES[device] ?? {};
  return {
    maxEntries: options.max_entries ?? maxEntries,
    maxBytes: options.max_bytes ?? maxBytes ?? (format === "trie" ? MAX_TRIE_BYTES : undefined),
  };
}

/** Compiles the list as of `now`. Rejects with SourceError. O(sources), in slices. */
export async function compileDeployment(
  sources: Sources,
  request: CompileRequest,
  now: number,
): Promise<CompiledDeployment> {
  const { organisationId, definition, published } = request;
  const gatherAll = (all: readonly DeploymentSource[]): Promise<Gathered[]> =>
    Promise.all(all.map((source) => sources.gather(organisationId, source, now)));
  const datasets = datasetsOf(organisationId, definition, sources);
  const [include, exclude] = [await gatherAll(definition.include), await gatherAll(definition.exclude)];
  const list = await inSlices(compilingList({ include, exclude, ...shapeOf(definition) }));
  const text = await inSlices(writingList((family) => list.prefixes(family)));
  const entries = { 4: list.tally.count(4), 6: list.tally.count(6) };
  const chunks = await inSlices(choosingChunks(definition, text, published?.chunks));
  const { maxEntries, maxBytes } = limitsOf(definition);
  const largest = await largestFile(request, text, {
    chunks,
    entries: entries[4] + entries[6],
    isBytesNeeded: maxBytes !== undefined,
  });
  const isEmpty = include.every(({ prefixes }) => prefixes.count(4) + prefixes.count(6) === 0);
  const allowEmpty = isEmpty || definition.options.allow_empty === true;
  return {
    include,
    exclude,
    list,
    text,
    digest: await inSlices(digestingList(text)),
    entries,
    chunks,
    rejections: rejectionsOf(list, largest.bytes, { allowEmpty, maxEntries, maxBytes }, largest.entries),
    suspicions: await suspicionsOf({ include, exclude, datasets, entries }, request),
    datasets,
    fromDatasets: gatheredFromDatasets(definition, [...include, ...exclude]),
  };
}

/** Which dataset each of the kinds of its sources is of. */
function datasetsOf(
  organisationId: string,
  definition: DeploymentDefinition,
  sources: Sources,
): PublishedList["datasets"] {
  const used = datasetSources(definition);
  const lists = used.flatMap((source) => ("list" in source ? [sources.contentOf(organisationId, source.list)] : []));
  return {
    ...(lists.length > 0 && { lists: lists.join(", ") }),
    ...(used.some((source) => "cbs" in source) && { cbs: sources.generationOf("cbs") }),
    ...(used.some((source) => "cti" in source) && { cti: sources.generationOf("cti") }),
  };
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
 * How much the list differs from what it would be if the datasets were still those of the published one: that leaves
 * out what has expired, and what users have written since, to the rules or to the deployment.
 */
async function suspicionsOf(
  { include, exclude, datasets, entries }: Pick<CompiledDeployment, "include" | "exclude" | "datasets" | "entries">,
  { definition, published, before }: CompileRequest,
): Promise<Reason[]> {
  if (published === null || JSON.stringify(datasets) === JSON.stringify(published.datasets)) return [];
  const known = before?.length === datasetSources(definition).length ? before : undefined;
  const earlier = known === undefined ? published.entries : await entriesWith(known, { include, exclude }, definition);
  const { max_shrink: maxShrink, max_growth: maxGrowth } = definition.options;
  return changeRejectionsOf(earlier[4] + earlier[6], entries[4] + entries[6], { maxShrink, maxGrowth });
}

async function entriesWith(
  before: readonly Gathered[],
  { include, exclude }: Pick<CompiledDeployment, "include" | "exclude">,
  definition: DeploymentDefinition,
): Promise<Record<Family, number>> {
  const rest = [...before];
  const asBefore = (gathered: readonly Gathered[], sources: readonly DeploymentSource[]): Gathered[] =>
    gathered.map((each, index) => (isOfDataset(sources[index]!) ? rest.shift()! : each));
  const content = {
    include: asBefore(include, definition.include),
    exclude: asBefore(exclude, definition.exclude),
    ...shapeOf(definition),
  };
  const { tally } = await inSlices(compilingList(content));
  return { 4: tally.count(4), 6: tally.count(6) };
}
