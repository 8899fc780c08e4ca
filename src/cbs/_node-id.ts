import { CatalogueError } from "./catalogue-error.ts";

/** What the text of a node id says about the node. */
export interface IdParts {
  readonly type: string;
  /** Empty for the node of a type. */
  readonly provider: string;
  readonly service: string | null;
  readonly region: string | null;
  /** The id one level up, null at the top. */
  readonly parent: string | null;
}

/** Ends a row, a field or a line somewhere: C0, DEL and C1 controls and the Unicode line separators. */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** The type of labels that are not paths: those of a user's own lists. */
const LIST_TYPE = "list";

/** The longest real path has 5 parts; a hostile one may have millions. */
export const MAX_PARTS = 16;

/** In UTF-16 code units, for ids and names, so that a hostile file cannot repeat one text in many long ids. */
export const MAX_ID_LENGTH = 1000;

/**
 * Reads an id: `/type`, `/type/provider`, `/type/provider/SERVICE`, `/type/provider/by-service/SERVICE/REGION`,
 * `/type/provider/by-region/REGION/SERVICE`; any other text is the label of a list and a provider of its own.
 * Rows join ids by commas, so an id holds none. @throws CatalogueError "bad-id"
 */
export function idParts(id: string): IdParts {
  checkId(id);
  if (!id.startsWith("/")) return { type: LIST_TYPE, provider: id, service: null, region: null, parent: null };
  const [type, provider = "", ...below] = id.slice(1).split("/");
  const parent = id.lastIndexOf("/") === 0 ? null : id.slice(0, id.lastIndexOf("/"));
  return { type: type!, provider, ...insideProvider(below), parent };
}

function insideProvider([first, second, third]: string[]): { service: string | null; region: string | null } {
  if (first === "by-service") return { service: second ?? null, region: regionOf(third) };
  if (first === "by-region") return { service: third ?? null, region: regionOf(second) };
  return { service: first ?? null, region: null };
}

/** Providers use "global" for what belongs to no region. */
function regionOf(segment: string | undefined): string | null {
  return segment === undefined || segment.toLowerCase() === "global" ? null : segment;
}

function checkId(id: string): void {
  const bad = (cure: string): never => {
    throw new CatalogueError("bad-id", id, `${JSON.stringify(id)} cannot be the id of a node: ${cure}`);
  };
  if (id === "") bad("it is empty");
  if (CONTROL.test(id)) bad("remove the control characters");
  if (!id.isWellFormed()) bad("it contains half a surrogate pair");
  if (id.includes(",")) bad("commas separate ids in lists; remove the comma");
  if (id.trim() !== id) bad("remove the white space around it");
  const isPath = id.startsWith("/");
  if (isPath && /\/(\/|$)/.test(id)) bad("each slash must be followed by a name, as in /cloud/aws");
  if (isPath && id.split("/", MAX_PARTS + 2).length > MAX_PARTS + 1) bad(`a path has at most ${MAX_PARTS} parts`);
  if (id.length > MAX_ID_LENGTH) bad(`shorten it to ${MAX_ID_LENGTH} characters`);
}

/** @throws CatalogueError "bad-name" unless it is one line of text. */
export function checkName(name: string): void {
  if (name.trim() !== "" && !CONTROL.test(name) && name.isWellFormed() && name.length <= MAX_ID_LENGTH) return;
  throw new CatalogueError(
    "bad-name",
    name,
    `${JSON.stringify(name)} is not a valid node name: use one line of at most ${MAX_ID_LENGTH} characters, without control characters`,
  );
}

const NAMES = new Map([
  ["/cloud", "Cloud"],
  ["/cdn", "CDN"],
  ["/saas", "SaaS"],
  ["/bot", "Web Crawlers & Bots"],
  ["/security", "Security"],
  ["/isp", "ISP"],
  ["by-service", "By service"],
  ["by-region", "By region"],
]);

/** The name of a service that is called like its provider, of whose services it is all. */
export const ALL_SERVICES = "All services";

/** The default name of a node. */
export function defaultName(id: string): string {
  const last = id.startsWith("/") ? id.slice(id.lastIndexOf("/") + 1) : id;
  return NAMES.get(id) ?? NAMES.get(last) ?? last;
}

/** The order of ids and labels everywhere: by UTF-16 code unit, the same in every locale. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
