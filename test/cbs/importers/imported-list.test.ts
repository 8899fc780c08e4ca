import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ImportError } from "../../../src/cbs/importers/import-error.ts";
import { describeValue, ListBuilder, Places, segmentOf } from "../../../src/cbs/importers/imported-list.ts";

describe("the segment of a node id", () => {
  const cases: [code: string, segment: string][] = [
    ["EC2", "ec2"],
    ["us-east-1", "us-east-1"],
    ["ROUTE53_HEALTHCHECKS", "route53_healthchecks"],
    ["AzureFrontDoor.Frontend", "azurefrontdoor.frontend"],
    ["Google Cloud", "google-cloud"],
    ["Washington, DC, USA", "washington-dc-usa"],
    ["São Paulo, BR", "sao-paulo-br"],
    ["a/b", "a-b"],
    ["../..", ""],
    ["  ", ""],
    ["東京", ""],
    ["--x--", "x"],
  ];
  for (const [code, segment] of cases)
    test(`${JSON.stringify(code)} is ${JSON.stringify(segment)}`, () => assert.equal(segmentOf(code), segment));
});

describe("places", () => {
  test("of the same service and region are one object, however they are spelled", () => {
    const places = new Places();
    const [first] = places.of("EC2", "us-east-1", "");
    assert.equal(places.of({ id: "ec2", name: "other" }, "US-EAST-1", "")[0], first);
    assert.deepEqual(first, { service: { id: "ec2", name: "EC2" }, region: { id: "us-east-1", name: "us-east-1" } });
    assert.notEqual(places.of("EC2", null, "")[0], first);
  });

  test("a service and a region with the same code keep their own names", () => {
    const [{ service, region }] = new Places().of(
      { id: "us", name: "For the US" },
      { id: "us", name: "United States" },
      "",
    );
    assert.deepEqual([service?.name, region?.name], ["For the US", "United States"]);
  });

  test("of a service called undefined, or with a line break, are separate", () => {
    const places = new Places();
    assert.equal(places.of(null, "eu", "")[0].service, null);
    assert.equal(places.of("undefined", "eu", "")[0].service?.id, "undefined");
    assert.equal(places.of("a", "b", "")[0].region?.id, "b");
    assert.deepEqual(places.of(null, "a\nb", "")[0], { service: null, region: { id: "a-b", name: "a b" } });
  });

  test("global in any case is not a region, but a service may have this name", () => {
    for (const region of ["GLOBAL", "global", "", null]) assert.equal(new Places().of("x", region, "")[0].region, null);
    assert.equal(new Places().of("global", null, "")[0].service?.id, "global");
  });

  test("names are one line of text", () => {
    assert.equal(new Places().of({ id: "a", name: " A\r\n\u0000B " }, null, "")[0].service?.name, "A B");
    assert.equal(new Places().of({ id: "a", name: "\n" }, null, "")[0].service?.name, "a");
    // A terminal also obeys one-byte escapes, and a direction mark makes it show what follows from right to left.
    assert.equal(
      new Places().of({ id: "a", name: "A\u009b31m\u202etxet\u2069B" }, null, "")[0].service?.name,
      "A 31m txet B",
    );
  });

  test("a code that no publisher would use is rejected", () => {
    assert.throws(() => new Places().of("x".repeat(201), null, "$.here"), {
      name: "ImportError",
      code: "bad-name",
      position: "$.here",
    });
  });

  test("a code that cannot become an id is rejected at its position", () => {
    assert.throws(
      () => new Places().of("x", "東京", "$.here"),
      (error) => error instanceof ImportError && error.code === "bad-name" && error.position === "$.here",
    );
  });
});

test("of the warnings of each kind the first hundred are kept, and all are counted", () => {
  const list = new ListBuilder();
  for (let at = 1; at <= 150; at++) list.add("192.0.2.1/24", `line ${at}`);
  const { warnings, warningCounts } = list.build();
  assert.deepEqual(warningCounts, { "host-bits": 150, repeat: 149 });
  for (const [code, last] of [
    ["host-bits", "line 100"],
    ["repeat", "line 101"],
  ]) {
    const kept = warnings.filter((warning) => warning.code === code);
    assert.deepEqual([kept.length, kept.at(-1)!.position], [100, last]);
  }
});

test("errors describe any value of JSON", () => {
  const values = [undefined, null, [1], { a: 1 }, 'a "text"', 7, true];
  const described = ["nothing", "null", "an array", "an object", '"a \\"text\\""', "7", "true"];
  assert.deepEqual(values.map(describeValue), described);
});
