import { type LayerAge, layerAges } from "../../cbs/catalogue-ages.ts";
import { openSnapshot } from "../../snapshot/open-snapshot.ts";
import { keyText } from "../../snapshot/signing.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { CATALOGUE_KIND } from "../../cbs/catalogue.ts";
import { catalogueOf } from "../../datasets/catalogue-from-bytes.ts";
import { DEFAULT_CATALOGUE, defaultCatalogue } from "../snapshots/default-datasets.ts";
import { rulesetOf } from "../../datasets/ruleset-from-bytes.ts";
import { CTI_KIND } from "../../cti/cti-kind.ts";
import { ctiDatasetOf } from "../../datasets/cti-dataset-from-bytes.ts";
import { type Arguments, type Command, EXIT } from "../runner/command.ts";
import { ageText, timesText } from "../output/ages.ts";
import { byteSize } from "../output/numbers.ts";
import { counted, grouped } from "../../words/numbers.ts";
import { layoutText } from "../output/layout-text.ts";
import { oneLine } from "../runner/one-line.ts";
import { type Style, styleFor } from "../output/style.ts";
import { NETWORKS_KIND } from "../../networks/networks-kind.ts";
import { networksOf } from "../../datasets/networks-from-bytes.ts";
import { RULESET_KIND } from "../../rulesets/ruleset-kind.ts";

export const infoCommand: Command = {
  name: "info",
  summary: "show what a catalogue, dataset or ruleset file holds and where its data comes from",
  operands: "[FILE]",
  options: [
    { name: "json", help: "print one JSON document" },
    { name: "layout", help: "also show how addresses are indexed: nodes by kind, bytes, estimated time of a lookup" },
  ],
  notes: [`Without FILE, the catalogue is ${DEFAULT_CATALOGUE}. The file's checksums are verified.`],
  examples: [
    { command: "ipsieve info bad.ipsieve", what: "prefixes, nodes, sections, sources" },
    { command: "ipsieve info --layout bad.ipsieve", what: "and what the index is made of" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [path = defaultCatalogue()] = args.operands;
  const snapshot = await openSnapshot(path);
  const { signedBy } = snapshot;
  const style = styleFor(process.stdout);
  const layouts = args.has("layout") ? ([4, 6] as const).map((family) => snapshot.table.layout(family)) : undefined;
  const text = args.has("json")
    ? `${JSON.stringify({ path, ...snapshot.info, signedBy: signedBy && keyText(signedBy), about: aboutOf(snapshot, path), layout: layouts })}\n`
    : infoText(path, snapshot, style) + (layouts ?? []).map((layout) => layoutText(layout, style)).join("");
  process.stdout.write(text);
  return EXIT.matched;
}

function infoText(path: string, snapshot: Snapshot, style: Style): string {
  const { info, table, signedBy } = snapshot;
  const facts: (readonly [string, string])[] = [
    ["kind", `${info.kind}, format ${info.version}`],
    ["generation", info.generation],
    ["created", info.createdAt.toISOString()],
    ...(signedBy === null ? [] : [["signed by", `${keyText(signedBy)}, not checked: see ipsieve verify`] as const]),
    ["size", `${byteSize(info.byteLength)}, of which ${byteSize(table.byteLength)} for the table`],
    [
      "prefixes",
      `${grouped(info.prefixCount4)} IPv4, ${grouped(info.prefixCount6)} IPv6, ${counted(info.matchCount, "distinct match", "distinct matches")}`,
    ],
    ...aboutFacts(snapshot, path),
  ];
  const sections = info.sections.filter(({ byteLength }) => byteLength > 0);
  return [
    style("bold", path),
    ...facts.map(([name, value]) => `  ${style("cyan", name.padEnd(11))} ${oneLine(value)}`),
    style("bold", "sections"),
    ...sections.map(
      ({ name, byteLength, crc32 }) =>
        `  ${style("cyan", name.padEnd(11))} ${grouped(byteLength).padStart(12)} bytes  crc32 ${crc32.toString(16).padStart(8, "0")}`,
    ),
    "",
  ].join("\n");
}

/** What the metadata says, for the kinds whose metadata is known. */
function aboutOf(
  snapshot: Snapshot,
  path: string,
):
  | {
      title: string;
      types?: Record<string, number>;
      layers?: readonly LayerAge[];
      documents?: number;
      asNumbers?: number;
      countries?: number;
      purpose?: string;
      rules?: number;
      activeRules?: number;
      sequence?: number;
      sources: unknown;
    }
  | undefined {
  if (snapshot.info.kind === CTI_KIND) {
    const { metadata, documentCount } = ctiDatasetOf(snapshot, path);
    return { title: metadata.title, documents: documentCount, sources: metadata.sources };
  }
  if (snapshot.info.kind === NETWORKS_KIND) {
    const networks = networksOf(snapshot, path);
    const { title, sources } = networks.metadata;
    return { title, asNumbers: networks.asnCount, countries: networks.countries().length, sources };
  }
  if (snapshot.info.kind === RULESET_KIND) {
    const { name, purpose, count, sequence, ...ruleset } = aboutRuleset(snapshot, path);
    return { title: name, purpose, rules: count, activeRules: ruleset.active, sequence, sources: [] };
  }
  if (snapshot.info.kind !== CATALOGUE_KIND) return undefined;
  const { metadata, nodes } = catalogueOf(snapshot, path);
  const types: Record<string, number> = {};
  for (const { type } of nodes) types[type] = (types[type] ?? 0) + 1;
  return { title: metadata.title, types, layers: layerAges(metadata, Date.now()), sources: metadata.sources };
}

function aboutRuleset(
  snapshot: Snapshot,
  path: string,
): { name: string; purpose: string; count: number; active: number; sequence: number } {
  const ruleset = rulesetOf(snapshot, path);
  const { name, purpose, count, sequence } = ruleset;
  return { name, purpose, count, active: ruleset.activeCount(), sequence };
}

const LAYER_NAMES = { official: "official", "as-numbers": "AS numbers", own: "own lists" } as const;

/** "39 sources, the newest of 2026-11-21, 1 day ago". */
function layerText({ sources, newest_at, advice }: LayerAge): string {
  const age = `${counted(sources, "source")}, newest from ${newest_at!.slice(0, 10)}, ${ageText(newest_at)}`;
  return advice === null ? age : `${age}: ${advice}`;
}

function aboutFacts(snapshot: Snapshot, path: string): [string, string][] {
  if (snapshot.info.kind === CTI_KIND) {
    const { metadata, documentCount } = ctiDatasetOf(snapshot, path);
    const sources = metadata.sources.map(({ name, entries }): [string, string] => [
      "source",
      `${name}, ${counted(entries, "entry", "entries")}`,
    ]);
    return [["title", metadata.title], ["documents", `${grouped(documentCount)} distinct`], ...sources];
  }
  if (snapshot.info.kind === RULESET_KIND) {
    const { name, purpose, count, active, sequence } = aboutRuleset(snapshot, path);
    return [
      ["name", name],
      ["purpose", purpose],
      ["rules", `${grouped(count)}, ${grouped(active)} active now`],
      ["sequence", grouped(sequence)],
    ];
  }
  if (snapshot.info.kind === NETWORKS_KIND) {
    const networks = networksOf(snapshot, path);
    return [
      ["title", networks.metadata.title],
      [
        "AS numbers",
        `${grouped(networks.asnCount)}, in ${counted(networks.countries().length, "country", "countries")}`,
      ],
      ...networks.metadata.sources.map(
        ({ name, version, url, license, attribution, publishedAt }): [string, string] => {
          const parts = [
            name,
            version,
            url,
            license,
            attribution,
            publishedAt && `published ${publishedAt.slice(0, 10)}`,
          ];
          return ["source", parts.filter((part) => part !== null).join(", ")];
        },
      ),
    ];
  }
  if (snapshot.info.kind !== CATALOGUE_KIND) return [];
  const { metadata, nodes } = catalogueOf(snapshot, path);
  return [
    ["title", metadata.title],
    ["nodes", grouped(nodes.length)],
    ...layerAges(metadata, Date.now()).map((age): [string, string] => [LAYER_NAMES[age.layer], layerText(age)]),
    ...metadata.sources.flatMap(({ name, version, url, license, attribution, ...times }): [string, string][] => {
      const when = timesText(times);
      const source = [name, version, url, license, attribution].filter((part) => part !== null).join(", ");
      return [["source", source], ...(when === "" ? [] : [["", when] satisfies [string, string]])];
    }),
  ];
}
