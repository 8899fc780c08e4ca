import { CLASSIFICATIONS, type Classification } from "../../cti/fields.ts";
import { CtiSearch, isAboutNetworks } from "../../cti/search/cti-search.ts";
import { parseQuery } from "../../cti/search/parse-query.ts";
import { printQuery } from "../../cti/search/print-query.ts";
import type { Query } from "../../cti/search/query.ts";
import { QueryError } from "../../cti/search/query-error.ts";
import { networksOf } from "../../datasets/networks-from-bytes.ts";
import { openCtiDataset } from "../../datasets/open-cti-dataset.ts";
import { openNetworksSnapshot } from "../../datasets/open-networks.ts";
import { withPath } from "../../datasets/with-path.ts";
import type { Gathered } from "../../deployments/gathered.ts";
import { gatheringSearch } from "../../deployments/sources/search.ts";
import { gatheringThreats, type ThreatSelection } from "../../deployments/sources/threats.ts";
import { MAX_EXPIRY_DAYS } from "../../rulesets/validate-rule.ts";
import { searchedNetworks } from "../../service/datasets/search-threats.ts";
import type { Capability } from "../../sets/capability.ts";
import { finished } from "../../turns/finished.ts";
import { nearest } from "../../words/nearest.ts";
import type { DatasetOptions } from "./dataset-options.ts";
import { UsageError } from "../runner/usage-error.ts";
import { defaultNetworks } from "../snapshots/chosen-networks.ts";
import { defaultDataset } from "../snapshots/default-datasets.ts";

export const THREATS = "cti:";

/** What follows `cti:`: a selection such as `malicious,tag=tor,days=7`, or a query. */
export type ThreatOperand = { readonly selection: ThreatSelection } | { readonly query: Query };

/** What every selection looks like. What looks like one is one, although `tag=tor` is a query, too: of the same meaning. */
const SELECTION = /^(?:[a-z]+|tag=[^,:<>()"'!\s]+|days=\d+)(?:,(?:[a-z]+|tag=[^,:<>()"'!\s]+|days=\d+))*$/;
/** What only queries have. */
const OF_QUERIES = /[:<>()"'!]|\s(?:exists|not_exists|in)\b/i;

/** @throws UsageError */
export function threatOperandIn(operand: string): ThreatOperand {
  const text = operand.slice(THREATS.length);
  if (SELECTION.test(text)) return { selection: selectionIn(operand) };
  try {
    return { query: parseQuery(text) };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    // A tag may have spaces.
    if (!OF_QUERIES.test(text)) return { selection: selectionIn(operand) };
    throw new UsageError(`${operand}: ${error.message}`);
  }
}

/** A query of the command line. @throws UsageError */
export function queryIn(text: string): Query {
  try {
    return parseQuery(text);
  } catch (error) {
    throw error instanceof QueryError ? new UsageError(error.message) : error;
  }
}

/** How a query is written as an operand. */
export function queryOperand(query: string): string {
  return `${THREATS}${query}`;
}

/** The source of a server that an operand stands for. @throws UsageError */
export function threatSourceIn(operand: string) {
  const found = threatOperandIn(operand);
  if ("query" in found) return { cti_query: printQuery(found.query) };
  const { classification, tags, seenWithinDays } = found.selection;
  return {
    cti: {
      ...(classification !== undefined && { classification }),
      ...(tags !== undefined && { tags: [...tags] }),
      ...(seenWithinDays !== undefined && { seen_within_days: seenWithinDays }),
    },
  };
}

/** What an operand lists. @throws UsageError, and the errors of opening files */
export async function gatheredThreats(
  args: DatasetOptions,
  operand: string,
  now: number,
  isTimed: boolean,
  expresses: Capability | undefined,
): Promise<Gathered> {
  const found = threatOperandIn(operand);
  const path = args.value("threats") ?? defaultDataset();
  if ("query" in found) {
    const search = await openSearch(path, found.query, args.value("networks"));
    return withPath(path, () => finished(gatheringSearch(operand, search, found.query, now, expresses)));
  }
  const dataset = await openCtiDataset(path);
  return withPath(path, () => finished(gatheringThreats(operand, dataset, found.selection, now, isTimed, expresses)));
}

/** The search of a dataset; networks are opened only if the query needs them, or if it is null. Rejects as opening both does. */
export async function openSearch(path: string, query: Query | null, networksPath?: string): Promise<CtiSearch> {
  const dataset = await openCtiDataset(path);
  const needsNetworks = query === null || isAboutNetworks(query);
  const networks = needsNetworks ? searchedNetworks(await openNetworks(networksPath ?? defaultNetworks())) : null;
  return withPath(path, () => finished(CtiSearch.opening(dataset, networks)));
}

async function openNetworks(path: string) {
  return networksOf(await openNetworksSnapshot(path), path);
}

function selectionIn(operand: string): ThreatSelection {
  const parts = operand.slice(THREATS.length).split(",");
  let classification: Classification | undefined;
  let seenWithinDays: number | undefined;
  const tags: string[] = [];
  for (const part of parts) {
    const days = /^days=(\d{1,7})$/.exec(part)?.[1];
    const known = CLASSIFICATIONS.find((each) => each === part);
    if (part.length > TAG.length && part.startsWith(TAG)) tags.push(part.slice(TAG.length));
    else if (days !== undefined && Number(days) <= MAX_EXPIRY_DAYS && seenWithinDays === undefined)
      seenWithinDays = Number(days);
    else if (known !== undefined && classification === undefined) classification = known;
    else throw badSelection(operand, part, parts);
  }
  return { classification, tags: tags.length === 0 ? undefined : tags, seenWithinDays };
}

const TAG = "tag=";

function badSelection(operand: string, part: string, parts: readonly string[]): UsageError {
  const choices = `write ${CLASSIFICATIONS.join("|")}, tag=TAG or days=N`;
  if (parts.filter((each) => each === part).length > 1) return new UsageError(`${operand}: ${part} is given twice`);
  const meant = part === "" ? undefined : nearest(part, CLASSIFICATIONS);
  const cure = meant === undefined ? choices : `did you mean ${meant}?`;
  return new UsageError(`${operand}: unknown selection ${JSON.stringify(part)}; ${cure}`);
}
