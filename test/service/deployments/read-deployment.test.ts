/** What a request makes of the definition of a deployment, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  readDefinition,
  readDefinitionChanges,
  type ReadingServices,
} from "../../../src/service/deployments/read-deployment.ts";
import type { ServiceError } from "../../../src/service/service-error.ts";
import { Sources, type SourceServices } from "../../../src/service/sources/gather-source.ts";
import { ServiceMemory } from "../../../src/service/store/service-memory.ts";
import type { DeploymentSource } from "../../../src/store/records/deployment.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

const services = { memory: new ServiceMemory() } as unknown as SourceServices;
const lists = { sources: new Sources(services) };
const context = { organisationId: "o", now: 1, services: { ...services, lists } as ReadingServices };
const one = { prefixes: ["192.0.2.0/24"] };

test("a device decides the format, at first and later, unless the request names one", async () => {
  const made = await readDefinition({ include: [one], device: "paloalto-50k" }, context);
  assert.deepEqual([made.device, made.firewall_format], ["paloalto-50k", "paloalto"]);
  const before = definitionOf({ include: [one] });
  const changed = (fields: object) => readDefinitionChanges(fields, before, context);
  const device = "fortinet-7.4.3";
  assert.deepEqual(await changed({ device }), { device, firewall_format: "fortinet" });
  assert.deepEqual(await changed({ device, firewall_format: "text" }), { device, firewall_format: "text" });
  assert.deepEqual(await changed({ device: "none" }), { device: "none" });
  assert.deepEqual(await changed({ active: false }), { active: false });
});

test("sources have the members of one kind, complete: an error names the member", async () => {
  const good: readonly (readonly [source: object, read: object])[] = [
    [{ prefixes: ["192.0.2.0/24", "2001:DB8::/32"] }, { prefixes: ["192.0.2.0/24", "2001:db8::/32"] }],
    [
      { atleast: 3, of: [one, one], weights: [1, 2] },
      { atleast: 3, of: [one, one], weights: [1, 2] },
    ],
    [
      { atleast: 2, of: [one, one] },
      { atleast: 2, of: [one, one] },
    ],
  ];
  const read = async (source: object) =>
    (await readDefinition({ include: [one, source as DeploymentSource] }, context)).include[1];
  for (const [source, expected] of good) assert.deepEqual(await read(source), expected);
  const bad: readonly (readonly [source: object, field: string, message: string])[] = [
    [{}, "", "must have exactly one kind of source, not 0"],
    [{ of: [one] }, "", "must have exactly one kind of source, not 0"],
    [{ ...one, list: "l" }, "", "must have exactly one kind of source, not 2"],
    [{ ...one, of: [one] }, ".of", "is for a source with `atleast`"],
    [{ ...one, weights: [1] }, ".weights", "is for a source with `atleast`"],
    [{ atleast: 1 }, ".of", "is missing: name the sources that vote"],
    [{ atleast: 1, of: [one], weights: [1, 2] }, ".weights", "has 2 weights for 1 sources"],
    [{ atleast: 3, of: [one, one] }, ".atleast", "no address can have more than 2 votes"],
    [{ atleast: 4, of: [one, one], weights: [1, 2] }, ".atleast", "no address can have more than 3 votes"],
    [{ atleast: 1, of: [one, { list: "L" }] }, ".of[1]", "unknown list l"],
    [{ ruleset: "R" }, "", "unknown ruleset r"],
  ];
  for (const [source, field, message] of bad)
    await assert.rejects(read(source), (error: ServiceError) => {
      assert.deepEqual(error.fields, { [`include[1]${field}`]: [message] });
      return true;
    });
  await assert.rejects(read({ prefixes: ["192.0.2.0/24", "x", "192.0.2.1/24"] }), (error: ServiceError) => {
    assert.deepEqual(Object.keys(error.fields!), ["include[1].prefixes[1]", "include[1].prefixes[2]"]);
    return true;
  });
  await assert.rejects(read({ cti_query: "tag:x" }), { code: "no-plan" });
});
