import { rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { BatchError } from "../../batch/batch-error.ts";
import type { IdentifyOptions } from "../../batch/identify-options.ts";
import type { FieldSyntax } from "../../batch/lines/fields/resolve-field.ts";
import { TIME_UNITS } from "../../batch/engine/time-counter.ts";
import { identify } from "../../batch/identify.ts";
import type { Progress, TimeCounts } from "../../batch/identify-result.ts";
import type { RowFormat } from "../../rows/row-format.ts";
import { inputChunks } from "../../batch/input/input-chunks.ts";
import { Matcher } from "../../batch/engine/matcher.ts";
import type { AddressCounts } from "../../batch/engine/address-counts.ts";
import { type AddressRanking, topAddresses } from "../../batch/top-addresses.ts";
import type { Catalogue } from "../../cbs/catalogue.ts";
import { identifyText } from "../../cbs/identify.ts";
import { logCounts } from "../../cbs/lines-by.ts";
import type { NetworkCounts } from "../../networks/lines-by.ts";
import type { CatalogueView } from "../datasets/catalogue-view.ts";
import type { ServedNetworks } from "../datasets/served-networks.ts";
import type { ChosenRulesets } from "./chosen-rulesets.ts";
import { ClientSpeed } from "../access/client-speed.ts";
import { writeCounts } from "./counts-file.ts";
import { countingNetworks } from "./log-networks.ts";
import { compareRulesets, type RulesetComparison } from "./compare-rulesets.ts";
import { ServiceError } from "../service-error.ts";
import { CATALOGUE_RENDERER } from "../../datasets/catalogue-renderer.ts";
import { inSlices, turn } from "../../turns/in-slices.ts";
import { type UnmatchedLine, UnmatchedSample } from "./unmatched-sample.ts";

/**
 * The same thread serves requests: a part of a shard takes a millisecond or two, a line of maximum length some ten
 * more, and only one part of all logs is processed per turn.
 */
export const BY_TURNS = {
  limits: { shardBytes: 256 << 10, shardLines: 4096, rowBytes: 512 << 10, lineBytes: 1 << 20 },
  pause: turn,
} as const satisfies Pick<IdentifyOptions, "limits" | "pause">;
const MAX_LISTED = 50;
/** Two weeks, in milliseconds. */
const MAX_HOURS = 14 * TIME_UNITS.day;
/** The last so many days are listed. */
const MAX_DAYS = 1000;
/** Text contains no such byte; the beginning of the upload is checked. */
const NUL = 0;
const HEAD_BYTES = 4096;

/** The error of a log whose client has disconnected. */
const BROKEN_OFF = "the upload was interrupted";

const RESULT_UNWRITABLE =
  "the server cannot write the result at the moment; try again later, or ask the operator to free disk space";

export type IdentificationState = "running" | "done" | "failed";

/** An address with many lines, and what the catalogue knows about it. */
export interface TopAddress {
  readonly ip: string;
  readonly lines: number;
  readonly cbs_ids: readonly string[];
  readonly labels: readonly string[];
}

/** The addresses with the most lines, of those with a service and of those without. */
export interface TopAddresses {
  readonly matched: readonly TopAddress[];
  readonly unmatched: readonly TopAddress[];
  /** How many distinct addresses there are; null if there are too many to count. */
  readonly matched_count: number | null;
  readonly unmatched_count: number | null;
  /**
   * How many lines an address may have beyond its number here or, if it is not listed, in all; 0: everything is exact.
   */
  readonly lines_missing: number;
}

/** What the organisation's own rulesets decide about a log's addresses. */
export interface LogComparison extends RulesetComparison {
  /** The covered addresses with the most lines. */
  readonly top: readonly TopAddress[];
  /** How many distinct addresses were compared: all, unless lines are missing. */
  readonly addresses: number;
  /** Lines whose addresses were dropped, or were not counted from their first line on; 0: everything is exact. */
  readonly linesMissing: number;
}

/** Lines by the hour or day of their own times, in UTC. */
export interface LogTimes extends TimeCounts {
  readonly unit: "hour" | "day";
}

/** The state of a log, while it is identified and afterwards. */
export interface IdentificationSummary {
  /** As uploaded: compressed, if the log is. */
  readonly bytes: number;
  readonly lines: number;
  readonly matched: number;
  /** Lines with an address that belongs to no service. */
  readonly unmatched: number;
  readonly no_address: number;
  /** The private or reserved address that nearly all lines begin with, although some have another; null: none. */
  readonly repeated_address: string | null;
  readonly types: readonly { readonly type: string; readonly name: string; readonly lines: number }[];
  readonly providers: readonly {
    readonly type: string;
    readonly provider: string;
    readonly name: string;
    readonly lines: number;
  }[];
  readonly services: readonly {
    readonly type: string;
    readonly provider: string;
    readonly service: string;
    readonly name: string;
    readonly lines: number;
  }[];
  /** By network and country; null until it is done, and where no networks are known. */
  readonly network_counts: NetworkCounts | null;
  /** By time; null until it is done. */
  readonly times: LogTimes | null;
  readonly unmatched_sample: readonly UnmatchedLine[];
  /** Null until it is done. */
  readonly top_addresses: TopAddresses | null;
}

export interface LogRequest {
  readonly body: AsyncIterable<Buffer>;
  readonly catalogue: CatalogueView;
  readonly networks: ServedNetworks;
  readonly format: RowFormat;
  /**
   * Where a line has its address: the number of a column, from 1, or the name of a column or of a JSON property;
   * anywhere by default.
   */
  readonly field?: string | undefined;
  /** How lines are cut into fields; by default, by what the first line looks like. */
  readonly input?: FieldSyntax | undefined;
  /** The path for the rows, gzipped. */
  readonly path: string;
  /** The path for the line counts of each address. */
  readonly countsPath: string;
  readonly signal: AbortSignal;
  /** Distinct addresses that are counted exactly. */
  readonly keptAddresses: number;
  /** What the log is compared with besides the catalogue; null: nothing. */
  readonly rulesets: ChosenRulesets | null;
  /** When the upload started: rules that had expired by then do not count. */
  readonly startedAt: number;
}

/**
 * One log that streams in: its lines are identified as they arrive, in bounded memory, no faster than the result is
 * written.
 */
export class LogIdentification {
  state: IdentificationState = "running";
  /** Why it failed, for the user who uploaded the log. */
  error: string | null = null;
  /** Why the server cannot write the result, for the operator: it names a path. */
  outputError: BatchError | null = null;
  /** The size of the result, compressed; null until the result is complete. */
  resultBytes: number | null = null;
  /** What rulesets decide about its addresses; null until it is done, and if it is compared with none. */
  comparison: LogComparison | null = null;
  /** Of the client that uploads it. */
  readonly speed: ClientSpeed = new ClientSpeed();
  readonly #request: LogRequest;
  readonly #sample: UnmatchedSample;
  #progress: Progress = { bytesRead: 0, totalBytes: null, lines: 0, addresses: 0, matched: 0, elapsed: 0 };
  #bytes = 0;
  #top: TopAddresses | null = null;
  #networks: NetworkCounts | null = null;
  #times: LogTimes | null = null;
  #repeated: string | null = null;

  constructor(request: LogRequest) {
    this.#request = request;
    this.#sample = new UnmatchedSample(new Matcher(request.catalogue.snapshot), request.startedAt);
  }

  /**
   * Resolves when it is done or has failed.
   * @throws ServiceError "not-text"; the error of a full disk
   */
  async run(): Promise<void> {
    const { catalogue, format, path, signal, field, input, keptAddresses, startedAt } = this.#request;
    try {
      const { addressCounts, repeatedAddress, times } = await identify({
        inputs: [Readable.from(this.#text(), { objectMode: true })],
        snapshot: catalogue.snapshot,
        format,
        renderer: CATALOGUE_RENDERER,
        output: { path },
        countMatches: true,
        countTimes: "hour",
        keptAddresses,
        now: startedAt,
        signal,
        ...BY_TURNS,
        ...(field === undefined ? {} : { field: /^\d+$/.test(field) ? Number(field) : field }),
        ...(input === undefined ? {} : { fieldSyntax: input }),
        onProgress: (progress) => (this.#progress = progress),
      });
      this.#repeated = repeatedAddress?.address ?? null;
      await inSlices(this.#sample.end());
      this.#times = logTimes(times!);
      this.#top = await inSlices(this.#rank(addressCounts!));
      this.#networks = await this.#countNetworks(addressCounts!);
      this.comparison = await this.#compare(addressCounts!, this.#top);
      await this.#writeCounts(addressCounts!);
      this.resultBytes = (await stat(path)).size;
      this.state = "done";
    } catch (error) {
      this.state = "failed";
      // For example, one that is stopped during the comparison: its rows are already written.
      for (const each of [path, this.#request.countsPath]) await rm(each, { force: true }).catch(() => {});
      if (error instanceof BatchError && isOfOutput(error)) this.outputError = error;
      this.error = this.#reasonOf(error);
      if (isNotText(error)) throw new ServiceError("not-text", this.error);
      if (!(error instanceof BatchError) && !signal.aborted) throw error;
    }
  }

  /** O(distinct matches). */
  summary(): IdentificationSummary {
    const { lines, addresses, matched, perMatch } = this.#progress;
    const counted = perMatch === undefined ? new Float64Array(0) : perMatch();
    const { catalogue } = this.#request.catalogue;
    const { types, providers, services } = logCounts(catalogue, counted);
    return {
      bytes: this.#bytes,
      lines,
      matched,
      unmatched: addresses - matched,
      no_address: lines - addresses,
      repeated_address: this.#repeated,
      types: types.map(({ node: { type }, name, lines: own }) => ({ type, name, lines: own })),
      providers: providers
        .slice(0, MAX_LISTED)
        .map(({ node: { type, provider }, name, lines: own }) => ({ type, provider, name, lines: own })),
      services: services.slice(0, MAX_LISTED).map(({ node: { type, provider, service }, name, lines: own }) => ({
        type,
        provider,
        service: service!,
        name,
        lines: own,
      })),
      network_counts: this.#networks,
      times: this.#times,
      unmatched_sample: [...this.#sample.lines],
      top_addresses: this.#top,
    };
  }

  /** The first log opens the networks. */
  async #countNetworks(counts: AddressCounts): Promise<NetworkCounts | null> {
    const { networks: served } = this.#request;
    await served.open();
    const view = served.view();
    if (view === null) return null;
    const { networks, countries } = await inSlices(countingNetworks(counts, view));
    return { networks: networks.slice(0, MAX_LISTED), countries: countries.slice(0, MAX_LISTED) };
  }

  async #writeCounts(counts: AddressCounts): Promise<void> {
    try {
      await writeCounts(this.#request.countsPath, counts);
    } catch (cause) {
      throw new BatchError("output-failed", "cannot write how many lines each address has", { cause });
    }
  }

  *#rank(counts: AddressCounts): Generator<undefined, TopAddresses, undefined> {
    const { catalogue, snapshot } = this.#request.catalogue;
    const { matched, unmatched } = yield* topAddresses(
      counts,
      { tables: [snapshot.table], now: this.#request.startedAt },
      MAX_LISTED,
    );
    const list = ({ addresses }: AddressRanking): TopAddress[] =>
      addresses.map(({ address, lines }) => topAddress(catalogue, address, lines));
    const countOf = ({ distinct }: AddressRanking): number | null => (counts.missing === 0 ? distinct : null);
    return {
      matched: list(matched),
      unmatched: list(unmatched),
      matched_count: countOf(matched),
      unmatched_count: countOf(unmatched),
      lines_missing: counts.missing,
    };
  }

  /** `known`: the addresses that are already listed, whose rules are included as well. */
  async #compare(counts: AddressCounts, known: TopAddresses): Promise<LogComparison | null> {
    const { rulesets: chosen, startedAt: at, signal, catalogue } = this.#request;
    if (chosen === null) return null;
    const ips = [...known.matched, ...known.unmatched].map(({ ip }) => ip);
    const found = await compareRulesets({ counts, chosen, at, ips, maxListed: MAX_LISTED, signal });
    const shares = [found.allowed, found.blocked, found.both, found.neither];
    return {
      ...found,
      top: found.top.map(({ ip, lines }) => topAddress(catalogue.catalogue, ip, lines)),
      addresses: shares.reduce((sum, { addresses }) => sum + addresses, 0),
      linesMissing: this.#progress.addresses - shares.reduce((sum, { lines }) => sum + lines, 0),
    };
  }

  /** The text of the log, chunk by chunk. */
  async *#text(): AsyncGenerator<Buffer> {
    const stored = Readable.from(checkedHead(received(this.speed.follow(this.#request.body))));
    for await (const chunk of inputChunks(stored, (bytes) => (this.#bytes += bytes))) {
      await inSlices(this.#sample.add(chunk));
      yield chunk;
    }
  }

  #reasonOf(error: unknown): string {
    const { signal } = this.#request;
    if (signal.aborted) return String((signal.reason as Error).message);
    if (!(error instanceof BatchError)) return "an unexpected error occurred";
    if (error.code === "input-unreadable") return BROKEN_OFF;
    if (isOfOutput(error)) return RESULT_UNWRITABLE;
    const what = error.message.replace(/^input stream:(\d+:)? /, "");
    if (error.code !== "stream-corrupt" && error.code !== "stream-truncated") return what;
    return `${what}; it stopped after line ${this.#progress.lines}, within the first ${this.#bytes} bytes of the file`;
  }
}

/** By hours if all are within two weeks, otherwise by days. */
function logTimes({ counts, withoutTime }: TimeCounts): LogTimes {
  const span = counts.length === 0 ? 0 : counts.at(-1)!.from - counts[0]!.from;
  if (span <= MAX_HOURS) return { unit: "hour", counts, withoutTime };
  const days = new Map<number, { from: number; lines: number; addresses: number; matched: number }>();
  for (const { from: hour, lines, addresses, matched } of counts) {
    const from = Math.floor(hour / TIME_UNITS.day) * TIME_UNITS.day;
    const day = days.get(from) ?? { from, lines: 0, addresses: 0, matched: 0 };
    days.set(from, day);
    day.lines += lines;
    day.addresses += addresses;
    day.matched += matched;
  }
  return { unit: "day", counts: [...days.values()].slice(-MAX_DAYS), withoutTime };
}

function topAddress(catalogue: Catalogue, ip: string, lines: number): TopAddress {
  const { cbs_ids, labels } = identifyText(catalogue, ip);
  return { ip, lines, cbs_ids, labels };
}

function isOfOutput({ code }: BatchError): boolean {
  return code === "output-failed" || code === "output-unusable";
}

/** Formats that the pipeline recognizes and rejects, and what `checkedHead` finds. */
function isNotText(error: unknown): boolean {
  return error instanceof BatchError && (error.code === "input-compression" || error.code === "input-encoding");
}

/** The chunks, as long as the client sends any. @throws BatchError */
async function* received(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (cause) {
    throw new BatchError("input-unreadable", BROKEN_OFF, { cause });
  }
}

/** The chunks, if they begin like text or like compressed data. */
async function* checkedHead(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of body) {
    if (isFirst && !isCompressed(chunk) && chunk.subarray(0, HEAD_BYTES).includes(NUL)) {
      throw new BatchError(
        "input-encoding",
        "the upload is neither text nor gzip; upload the log as it is, or compressed by gzip",
      );
    }
    isFirst = false;
    yield chunk;
  }
}

/** By the first bytes of gzip, zstd, and the formats that the pipeline names when it rejects them. */
function isCompressed(chunk: Buffer): boolean {
  return /^(1f8b|28b52ffd|5.2a4d18|fd377a58|425a68|04224d18|504b0304|fffe|feff)/.test(chunk.toString("hex", 0, 6));
}
