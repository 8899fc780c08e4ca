/** What is said about a deployment, whole: each sentence, its time, its cure and its command. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrefix } from "../../../src/address/prefix.ts";
import type { Hit } from "../../../src/collateral/find-collateral.ts";
import { NETWORKS } from "../../../src/collateral/protected.ts";
import { deploymentFindings } from "../../../src/service/status/deployment-findings.ts";
import { AddressSet } from "../../../src/sets/address-set.ts";
import type { Deployment, PublishedList } from "../../../src/store/records/deployment.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

const published: PublishedList = {
  generation: 2,
  at: 500,
  sequence: 1,
  digest: "",
  entries: { 4: 1, 6: 0 },
  chunks: 1,
  datasets: {},
};
const edge: Deployment = {
  id: "7",
  organisationId: "1",
  name: "Edge",
  definition: definitionOf({}),
  createdAt: 0,
  updatedAt: 0,
  deletedAt: null,
  rotation: 0,
  previous: [],
  password: null,
  published,
  refused: null,
  released: null,
};
const refusedFor = (...messages: string[]): Partial<Deployment> => ({
  refused: {
    number: 1,
    at: 700,
    reasons: messages.map((message) => ({ code: "x", message })),
    entries: { 4: 0, 6: 0 },
  },
});
const own = (name: string): Hit => ({
  kind: "own-network",
  id: name,
  name,
  addresses: AddressSet.of([parsePrefix("20.0.0.1")]),
  longest: NETWORKS,
});
const error = (status: number, count: number, at: number) => ({ deploymentId: "7", status, count, at });

/** What is found, without what all findings have. */
function found(
  changes: Partial<Deployment>,
  known: Partial<Parameters<typeof deploymentFindings>[1]> & {
    readonly last?: number;
    readonly isSilent?: boolean;
  } = {},
) {
  const { last = null, isSilent = false, ...others } = known;
  const pulls = { lastOf: () => last, isNotPulled: () => isSilent };
  const findings = deploymentFindings(
    { ...edge, ...changes },
    { pulls, errors: [], blocked: [], doubts: [], ...others },
    1000,
  );
  return findings.map(({ about, ...rest }) => {
    assert.deepEqual(about, { type: "deployment", id: "7", name: "Edge" });
    return rest;
  });
}

test("a refused list: the first reason, how many others there are, and what devices have", () => {
  const refused = (message: string) => [
    {
      severity: "critical",
      code: "deployment-refused",
      message,
      at: 700,
      cure: "See why, and publish it or correct its sources",
      command: "ipsieve deployment show 7",
    },
  ];
  assert.deepEqual(found({}), []);
  assert.deepEqual(
    found(refusedFor("it is empty")),
    refused("was refused: it is empty; devices keep the list before it"),
  );
  assert.deepEqual(
    found({ ...refusedFor("it is empty", "b"), published: null }),
    refused("was refused: it is empty, and 1 other reason; devices have no list"),
  );
  assert.deepEqual(
    found(refusedFor("a", "b", "c")),
    refused("was refused: a, and 2 other reasons; devices keep the list before it"),
  );
});

test("a list that devices do not fetch, no longer or not yet", () => {
  const silent = (message: string, at: number | null) => [
    {
      severity: "warning",
      code: "deployment-not-pulled",
      message,
      at,
      cure: "Set up the device, or pause the deployment",
      command: "ipsieve deployment urls 7",
    },
  ];
  assert.deepEqual(found({}, { isSilent: true }), silent("was never fetched by a device", null));
  assert.deepEqual(found({}, { isSilent: true, last: 9 }), silent("is no longer fetched by any device", 9));
  assert.deepEqual(
    found({ definition: definitionOf({ active: false }) }, { isSilent: true }),
    [],
    "no one waits for it",
  );
});

test("requests that got errors: all of them, and whether the last request was one", () => {
  const errors = [error(503, 2, 40), error(404, 1, 50), error(410, 4, 30)];
  const sentence = (what: string) => `${what}: 7 requests in the last day, the last with status 404`;
  const rest = {
    code: "feed-errors",
    at: 50,
    cure: "See which devices asked, and for what",
    command: "ipsieve deployment pulls 7",
  };
  const isStill = { severity: "critical", message: sentence("answers its devices with errors"), ...rest };
  assert.deepEqual(found({}, { errors, last: 50 }), [isStill]);
  const isOver = { severity: "warning", message: sentence("answered with errors"), ...rest };
  assert.deepEqual(found({}, { errors, last: 51 }), [isOver]);
  assert.deepEqual(found({ definition: definitionOf({ active: false }) }, { errors, last: 51 }), [isOver]);
});

test("what a list blocks although it should not: three are named, the others counted", () => {
  const blocks = (message: string, at: number | null) => [
    {
      severity: "critical",
      code: "blocks-protected",
      message,
      at,
      cure: "Exclude them, or let the guard leave them out",
      command: "ipsieve deployment preview 7",
    },
  ];
  const text = (name: string) => `1 address of your own networks ("${name}")`;
  const three = `blocks ${text("a")}, ${text("b")}, ${text("c")}`;
  assert.deepEqual(found({}, { blocked: [own("a")] }), blocks(`blocks ${text("a")}`, 500));
  assert.deepEqual(found({}, { blocked: ["a", "b", "c"].map(own) }), blocks(three, 500));
  assert.deepEqual(found({}, { blocked: ["a", "b", "c", "d"].map(own) }), blocks(`${three} and 1 more`, 500));
  assert.deepEqual(found({ published: null }, { blocked: [own("a")] }), blocks(`blocks ${text("a")}`, null));
});

test("sources that contradict its purpose", () => {
  const doubt = (message: string) => ({
    severity: "warning",
    code: "doubtful-source",
    message,
    at: null,
    cure: "Correct its sources",
    command: "ipsieve deployment show 7",
  });
  assert.deepEqual(found({}, { doubts: ["a", "b"] }), [
    doubt("contradicts its purpose: a"),
    doubt("contradicts its purpose: b"),
  ]);
});
