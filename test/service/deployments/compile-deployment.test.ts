/** How a deployment is compiled, without a server: what is wrong with its list, and what someone has to approve. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { comparePrefixes, formatPrefix, parsePrefix } from "../../../src/address/prefix.ts";
import type { Gathered } from "../../../src/deployments/gathered.ts";
import { type CompileRequest, compileDeployment } from "../../../src/service/deployments/compile-deployment.ts";
import { Sources, type SourceServices } from "../../../src/service/sources/gather-source.ts";
import { packList, writingList } from "../../../src/service/sources/list-text.ts";
import { ServiceMemory } from "../../../src/service/store/service-memory.ts";
import type { DeploymentDefinition, PublishedList } from "../../../src/store/records/deployment.ts";
import type { ExternalList } from "../../../src/store/records/external-list.ts";
import { EMPTY_STATE } from "../../../src/store/state.ts";
import { inSlices } from "../../../src/turns/in-slices.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

const organisationId = "o";

const textOf = (texts: readonly string[]) => {
  const sorted = texts.map((text) => parsePrefix(text)).toSorted(comparePrefixes);
  return inSlices(writingList((family) => sorted.filter((each) => each.family === family)));
};
/** Addresses of both families, none beside another. */
const spread = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => (at % 2 === 0 ? `20.0.0.${at}` : `2001:db8::${(2 * at).toString(16)}`));

/** External lists of an organisation: the number of their content, what they list, and whether it must not be blocked. */
type Lists = Readonly<Record<string, readonly [number: number, entries: readonly string[], never_block?: boolean]>>;

async function compile(
  definition: Partial<DeploymentDefinition>,
  lists: Lists = {},
  request: Partial<CompileRequest> = {},
) {
  const memory = new ServiceMemory();
  const externalLists = Object.entries(lists).map(
    ([id, [number, , never_block = false]]) =>
      ({
        id,
        organisationId,
        name: id,
        definition: { never_block },
        content: { number, digest: String(number) },
      }) as ExternalList,
  );
  await memory.addState({ ...EMPTY_STATE, externalLists });
  const read = async (_: string, id: string) => ({ content: await packList(await textOf(lists[id]![1])) });
  const services = { memory, catalogue: { generation: 0 }, store: { read } } as unknown as SourceServices;
  const sources = new Sources(services);
  const about = { organisationId, name: "Edge", definition: definitionOf(definition) };
  const asked = { ...about, published: null, before: undefined, warns: false, ...request };
  return compileDeployment({ ...services, sources }, asked, 1000);
}
const codesOf = (reasons: readonly { readonly code: string }[]) => reasons.map(({ code }) => code);
const textsOf = (gathered: readonly Gathered[]) =>
  gathered.map(({ addresses }) => [...addresses.prefixes()].map((prefix) => formatPrefix(prefix)));
const publishedAs = (lists: string, changes: Partial<PublishedList> = {}): PublishedList => ({
  generation: 1,
  at: 1,
  sequence: 1,
  digest: "",
  entries: { 4: 0, 6: 0 },
  chunks: 1,
  datasets: { lists },
  unprocessable: 0,
  ...changes,
});

test("an empty list is rejected if the excludes have made it so, unless that is allowed", async () => {
  const include = [{ prefixes: ["20.0.0.0/24"] }];
  const [exclude, nothing] = [[{ prefixes: ["20.0.0.0/23"] }], [{ list: "none" }]];
  assert.deepEqual(codesOf((await compile({ include, exclude })).rejections), ["empty"]);
  assert.deepEqual(codesOf((await compile({ include, exclude, options: { allow_empty: true } })).rejections), []);
  assert.deepEqual(codesOf((await compile({ include: nothing }, { none: [1, []] })).rejections), []);
  assert.deepEqual(
    codesOf((await compile({ include: [...nothing, ...include], exclude }, { none: [1, []] })).rejections),
    ["empty"],
  );
  // Of IPv6 only.
  const include6 = [{ prefixes: ["2001:db8::/48"] }];
  assert.deepEqual(codesOf((await compile({ include: include6, exclude: include6 })).rejections), ["empty"]);
});

test("a list that a dataset shrinks or grows is suspicious, by all its entries as they were with the same sources", async () => {
  const include = [{ list: "a" }];
  const suspicions = async (
    before: number,
    now: number,
    changes: Partial<PublishedList> = {},
    known?: readonly Gathered[],
  ) => {
    const entries = { 4: before / 2, 6: before / 2 };
    const published = publishedAs("a 1", { entries, ...changes });
    const { suspicions } = await compile({ include }, { a: [2, spread(now)] }, { published, before: known });
    return suspicions.map(({ code, message }) => `${code}: ${/from \d+ to \d+ entries/.exec(message)}`);
  };
  assert.deepEqual(await suspicions(60, 18), ["shrinks: from 60 to 18 entries"]);
  assert.deepEqual(await suspicions(60, 30), []);
  assert.deepEqual(await suspicions(60, 18, { datasets: {} }), [], "someone has added the list");
  assert.deepEqual(await suspicions(60, 18, { datasets: { lists: "a 0" } }), [], "its first content");
  assert.deepEqual(await suspicions(60, 18, { datasets: { lists: "a 2" } }), [], "the same content");
  // What the source listed then counts, not what was published then: excludes may have changed since.
  const { include: gathered } = await compile({ include }, { a: [1, spread(60)] });
  assert.deepEqual(await suspicions(2, 18, {}, gathered), ["shrinks: from 60 to 18 entries"]);
  assert.deepEqual(
    await suspicions(60, 18, {}, [...gathered, ...gathered]),
    ["shrinks: from 60 to 18 entries"],
    "of other sources",
  );
});

test("what the guard takes out, or finds, by its policy", async () => {
  const include = [{ prefixes: ["20.0.0.0/24", "20.0.2.0/24", "2001:db8::/48"] }];
  const lists: Lists = { own: [1, ["20.0.0.7", "2001:db8::/64"], true], other: [1, ["20.0.0.9"]] };
  const guarded = async (definition: Partial<DeploymentDefinition>, request: Partial<CompileRequest> = {}) => {
    const { takenOut, suspicions, accepted, collateral, removed, fromDatasets, list } = await compile(
      { include, ...definition },
      lists,
      request,
    );
    const hits = collateral?.hits.map(({ name }) => name);
    return {
      takenOut: textsOf(takenOut),
      suspicions: codesOf(suspicions),
      accepted,
      hits,
      fromDatasets,
      removed,
      list,
    };
  };
  const own = [{ id: "own", ipv4_addresses: "1", ipv6_addresses: String(1n << 64n) }];
  const pick = async (...args: Parameters<typeof guarded>) => {
    const { takenOut, suspicions, accepted, hits } = await guarded(...args);
    return [takenOut, suspicions, accepted, hits];
  };
  assert.deepEqual(await pick({ guard: "carve" }), [
    [[], ["20.0.0.7/32", "2001:db8::/64"]].map((each) => each.map((text) => text.replace("/32", ""))),
    [],
    undefined,
    ["own"],
  ]);
  const { list } = await guarded({ guard: "carve" });
  assert.ok([...list.prefixes()].length > 10);
  assert.deepEqual(await pick({ guard: "refuse" }), [[], ["collateral"], own, ["own"]]);
  assert.deepEqual(await pick({ guard: "refuse" }, { published: publishedAs("", { accepted: own }) }), [
    [],
    [],
    own,
    ["own"],
  ]);
  assert.deepEqual(await pick({ guard: "warn" }), [[], [], undefined, undefined], "only previews look");
  assert.deepEqual(await pick({ guard: "warn" }, { warns: true }), [[], [], undefined, ["own"]]);
  for (const warns of [true, false]) {
    assert.deepEqual(await pick({ guard: "off" }, { warns }), [[], [], undefined, undefined]);
    assert.deepEqual(await pick({ guard: "refuse", purpose: "allowlist" }, { warns }), [[], [], undefined, undefined]);
  }
});

test("a list is shortened only where that is wanted, possible and needed", async () => {
  const include = [{ prefixes: spread(12).filter((text) => !text.includes(":")) }];
  const fitted = async (definition: Partial<DeploymentDefinition>, options: object = {}) => {
    const { list, added, rejections } = await compile({
      include,
      ...definition,
      options: { overflow: "fit", max_entries: 2, ...options },
    });
    return [list.entries[4], added !== undefined, ...codesOf(rejections)];
  };
  assert.deepEqual(await fitted({}), [2, true]);
  assert.deepEqual(await fitted({}, { max_entries: 6 }), [6, false]);
  assert.deepEqual(await fitted({}, { overflow: "refuse" }), [6, false, "too-many-entries"]);
  assert.deepEqual(await fitted({ purpose: "allowlist" }), [6, false, "too-many-entries"]);
  const wide = { include: [...include, { prefixes: ["64.0.0.0/4"] }] };
  assert.deepEqual((await fitted(wide)).slice(1), [false, "too-wide", "too-many-entries"]);
  // Neither addresses that the guard protects nor those that an exclude has taken out are added.
  const own: Lists = { own: [1, ["20.0.0.1", "20.0.0.3", "20.0.0.5", "20.0.0.7", "20.0.0.9"], true] };
  for (const guard of ["warn", "carve", "refuse", "off"] as const) {
    const options = { overflow: "fit", max_entries: 2 } as const;
    const { list, added } = await compile({ include, guard, options }, own);
    assert.deepEqual([list.entries[4], added !== undefined], guard === "off" ? [2, true] : [6, false], guard);
  }
  const exclude = [{ prefixes: ["20.0.0.1", "20.0.0.3", "20.0.0.5", "20.0.0.7", "20.0.0.9"] }];
  assert.deepEqual(await fitted({ exclude }), [6, false, "too-many-entries"]);
});

test("what a format cannot express is refused or left out, as the deployment says", async () => {
  const include = [{ prefixes: ["20.0.0.0/24", "2001:db8::/48"] }];
  const written = async (options: DeploymentDefinition["options"]) => {
    const { rejections, unprocessable, entries } = await compile({
      include,
      firewall_format: "azure-ip-group",
      options,
    });
    return [codesOf(rejections), unprocessable.count, entries];
  };
  assert.deepEqual(await written({}), [["unprocessable"], 1, { 4: 1, 6: 0 }]);
  assert.deepEqual(await written({ unprocessable: "refuse" }), [["unprocessable"], 1, { 4: 1, 6: 0 }]);
  assert.deepEqual(await written({ unprocessable: "omit" }), [[], 1, { 4: 1, 6: 0 }]);
});

test("the largest file has at most as many bytes as the deployment allows", async () => {
  const include = [{ prefixes: ["20.0.0.0/24", "20.0.2.0/24"] }];
  const bytes = "20.0.0.0/24\n20.0.2.0/24\n".length;
  const rejected = async (max_bytes: number) =>
    codesOf((await compile({ include, options: { max_bytes } })).rejections);
  assert.deepEqual(await rejected(bytes), []);
  assert.deepEqual(await rejected(bytes - 1), ["too-many-bytes"]);
});
