import { formatPrefix, parsePrefix } from "../../../src/address/prefix.ts";
import { PARTIAL_FORMATS, type RuleExportFormat } from "../../../src/rulesets/export-rules.ts";
import type { Operation } from "./api-document.ts";
import type { Case } from "./cases.ts";
import type { Send } from "./send.ts";

/** The state of the server that determines the results of good requests. */
export interface Known {
  /** The ids of the catalogue's nodes. */
  readonly nodes: ReadonlySet<string>;
  /** Whether the prefix that the request names has a rule; undefined if it names none. */
  readonly ruleExists: boolean | undefined;
}

/**
 * Idempotency keys that several requests share: a repetition gets the first response, whatever that was, and a
 * different request gets 422.
 */
export const SHARED_TOKENS = ["a", "b", "same", "!~", "k".repeat(255)];
const OF_SHARED_TOKENS = [404, 406, 409, 412, 422];

const ONE_RULE: ReadonlySet<string> = new Set(["getRule", "updateRule", "deleteRule", "addRule"]);
const ONE_NODE: ReadonlySet<string> = new Set(["getCbsNode", "listCbsRanges"]);

/**
 * Operations whose result depends on what is not in the document: which sources and fields exist, how many sets they
 * take, what fits, and what a query is.
 */
const OF_SOURCES: ReadonlySet<string> = new Set([
  "updateDeployment",
  "previewDeployment",
  "previewNewDeployment",
  "relateSets",
  "searchRules",
  "computeSet",
  "fitSets",
  "searchThreats",
  "countThreatValues",
]);

/**
 * The statuses that a good request may get: its success status, and others if its own content or the server's state
 * prevents that.
 */
export function expectedStatuses({ operation, sent }: Case, known: Known): ReadonlySet<number> {
  const { id, method, responses } = operation;
  const query = queryOf(sent.path);
  const header = (name: string): string | undefined => sent.headers[name] as string | undefined;
  const good = [...responses.keys()].filter((status) => status < 300);
  const expected = new Set(byState(id, query, bodyOf(sent), known) ?? good);
  if (header("If-None-Match") !== undefined) expected.add(method === "GET" ? 304 : 412);
  if (header("If-Match") !== undefined) expected.add(412);
  if (!isAcceptable(operation, header("Accept")))
    for (const status of notAcceptable(operation, sent, good)) expected.add(status);
  if (SHARED_TOKENS.includes(header("Idempotency-Key") ?? ""))
    for (const status of [...good, ...OF_SHARED_TOKENS]) expected.add(status);
  return expected;
}

/** Undefined if only success is right. */
function byState(
  id: string,
  query: URLSearchParams,
  body: any,
  { nodes, ruleExists }: Known,
): readonly number[] | undefined {
  // Which catalogues existed is not in the document.
  if (query.has("as_of") || id === "diffCbs") return [200, 400, 404];
  if (id === "addRule") return ruleExists === true ? [body?.conflict_resolution === "fail" ? 409 : 200] : [201];
  if (ONE_RULE.has(id)) return [ruleExists !== true ? 404 : id === "deleteRule" ? 204 : 200];
  if (id === "exportCbsRanges") return ofRanges(query, nodes);
  if (ONE_NODE.has(id)) return [query.has("id") && !nodes.has(query.get("id")!) ? 404 : 200];
  // Only allowlists can have own networks.
  if (id === "updateRuleset" && body?.never_block === true) return [200, 400];
  if (id === "createRuleset" && body?.never_block === true && body.purpose !== "allowlist") return [400];
  // Which sources exist, and what formats can express, is not in the document.
  if (id === "createDeployment") return [201, 400];
  if (OF_SOURCES.has(id)) return [200, 400];
  if (id === "createExternalList") return [201, 400];
  if (id === "updateExternalList") return [200, 400];
  // No ruleset has the id of the request, and the list has never been fetched.
  if (id === "writeExternalList") return [400, 409];
  // Which changes exist, and which have been superseded, depends on all earlier requests.
  if (id === "undoChange") return [200, 404, 409];
  // Which logs exist, and how many run at a time, depends on all other requests; which columns exist, on the log.
  if (id === "identifyLog") return [200, 400, 409, 429];
  if (id === "getIdentification" || id === "getIdentificationResult") return [200, 404];
  if (id === "deleteIdentification") return [204, 404];
  // No log and no replay has the id of the request; which sources exist is not in the document.
  if (id === "replayLog") return [200, 400, 404];
  if (id === "getReplay") return [200, 404];
  if (id === "getDeploymentUrls") return [200, 403];
  if (id === "publishDeployment") return [409];
  if (id === "readSnapshot") return [query.has("ruleset_id") ? 400 : 200, 200];
  if (id === "listChanges") return [query.has("feed") || Number(query.get("after") ?? 0) > 0 ? 410 : 200, 200];
  if (id === "exportRules") return ofExport(query);
  if (id === "importRules" && query.get("conflict_resolution") === "fail") return [200, 409];
  if (id === "replaceRules")
    return query.get("dry_run") === "true" || (query.get("allow_empty") === "true" && query.get("max_shrink") === "100")
      ? [200]
      : [200, 409];
  if (id === "batchRules" && body?.atomic !== false && mayFail(body)) return [200, 409];
  return undefined;
}

/** Which versions are kept, and whether a format can express all rules, depends on all earlier requests. */
function ofExport(query: URLSearchParams): number[] {
  const format = (query.get("format") ?? "text") as RuleExportFormat;
  return [200, ...(query.has("version") ? [404] : []), ...(isPartial(format) ? [400] : [])];
}

/** Names are only for formats that have them. */
function ofRanges(query: URLSearchParams, nodes: Known["nodes"]): number[] {
  const format = (query.get("format") ?? "text") as RuleExportFormat;
  const mayRefuse = isPartial(format) || format === "crowdsec-csv" || query.has("set_name");
  const isUnknown = query.has("id") && !nodes.has(query.get("id")!);
  return [...(isUnknown ? [404] : [200]), ...(mayRefuse ? [400] : [])];
}

/** Traefik must allow an address, and flow routes only discard. */
function isPartial(format: RuleExportFormat): boolean {
  return PARTIAL_FORMATS.has(format) || format === "traefik" || format === "exabgp-flowspec";
}

function mayFail(body: any): boolean {
  return body.items.some(
    ({ conflict_resolution, missing }: any) => conflict_resolution === "fail" || missing === "fail",
  );
}

function isAcceptable({ responses }: Operation, accept: string | undefined): boolean {
  if (accept === undefined || accept.includes("*/*") || !responses.has(406)) return true;
  return accept.split(",").some((each) => responses.get(200)!.bodies.has(each.split(";")[0]!.trim()));
}

/** Lines are answered with lines, whatever the request accepts. */
function notAcceptable({ bodies }: Operation, { headers }: Case["sent"], good: readonly number[]): readonly number[] {
  const isLines = bodies.size > 0 && !/json\b/i.test(String(headers["Content-Type"]).replace("x-ndjson", ""));
  return isLines ? [...good, 406] : [406];
}

/**
 * Checks, before the request is sent, whether the rule that it names exists: in the list, since a server that fails to
 * find a rule would fail here too.
 */
export async function ruleExists({ operation, sent }: Case, send: Send): Promise<boolean | undefined> {
  if (!ONE_RULE.has(operation.id)) return undefined;
  const ip = operation.id === "addRule" ? bodyOf(sent)?.ip : queryOf(sent.path).get("ip");
  const path = `${sent.path.split("?")[0]!.replace(/\/rule$/, "")}?page_size=1000`;
  const { text } = await send({ method: "GET", path, headers: { "X-API-Key": sent.headers["X-API-Key"]! } });
  const wanted = formatPrefix(parsePrefix(String(ip)));
  return JSON.parse(text).items.some((rule: { ip: string }) => rule.ip === wanted);
}

/** The ids of all nodes in the catalogue. */
export async function catalogueNodes(send: Send, key: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const left: (string | undefined)[] = [undefined];
  while (left.length > 0) {
    const id = left.pop();
    const { text } = await send({
      method: "GET",
      path: `/v1/cbs/node${id === undefined ? "" : `?id=${encodeURIComponent(id)}`}`,
      headers: { "X-API-Key": key },
    });
    for (const child of JSON.parse(text).children ?? []) {
      found.add(child.id);
      left.push(child.id);
    }
  }
  return found;
}

function queryOf(path: string): URLSearchParams {
  return new URL(path, "http://localhost").searchParams;
}

function bodyOf({ body }: Case["sent"]): any {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}
