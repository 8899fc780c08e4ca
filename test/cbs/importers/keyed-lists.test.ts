import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { github } from "../../../src/cbs/importers/github.ts";
import { arrayOrFamilies, bareArray, keyedLists, objectList } from "../../../src/cbs/importers/keyed-lists.ts";
import { assertRefused, type BadList, entriesOf, namesOf, NO_JSON } from "./lists.ts";

describe("lists by name", () => {
  test("as services (HCP Terraform, Stripe), each prefix with its position", () => {
    const list = keyedLists({ keys: "service" })(
      '{"api":["192.0.2.0/31"],"notifications":["192.0.2.4","192.0.2.5"],"VCS":["192.0.2.4"],"none":[]}',
    );
    assert.deepEqual(entriesOf(list), [
      "192.0.2.0/31 api",
      "192.0.2.4 notifications",
      "192.0.2.5 notifications",
      "192.0.2.4 vcs",
    ]);
    assert.deepEqual([namesOf(list).vcs, list.warnings], ["VCS", []]);
  });

  test("inside a member (CircleCI), inside each value (Okta)", () => {
    assert.deepEqual(
      entriesOf(
        keyedLists({ keys: "service", within: ["IPRanges"] })(
          '{"IPRanges":{"jobs":["192.0.2.1"],"macOS":["198.51.100.0/24"]}}',
        ),
      ),
      ["192.0.2.1 jobs", "198.51.100.0/24 macos"],
    );
    assert.deepEqual(
      entriesOf(
        keyedLists({ keys: "service", inner: "ip_ranges" })('{"version":7,"us_cell_1":{"ip_ranges":["192.0.2.1/32"]}}'),
      ),
      ["192.0.2.1 us_cell_1"],
    );
    assert.deepEqual(
      entriesOf(
        keyedLists({ keys: "service", inner: "ip_ranges" })(
          '{"us_cell_1":{"ip_ranges":["192.0.2.1/32"]},"us_cell_10":{"ip_ranges":["192.0.2.1/32"]}}',
        ),
      ),
      ["192.0.2.1 us_cell_1", "192.0.2.1 us_cell_10"],
    );
  });

  test("inside each value inside a member (Auth0, Zendesk); what else a value has is not read", () => {
    const auth0 = keyedLists({ within: ["regions"], inner: "ipv4_cidrs", keys: "region" })(
      '{"last_updated_at":"2026-01-08T12:06:22Z","regions":{"US":{"ipv4_cidrs":["192.0.2.1/32"]}},"changelog":[{"ipv4_cidrs":["x"]}]}',
    );
    assert.deepEqual([entriesOf(auth0), auth0.publishedAt], [["192.0.2.1 @us"], "2026-01-08T12:06:22.000Z"]);
    const zendesk = keyedLists({ within: ["ips"], inner: "all", keys: "service" });
    assert.deepEqual(
      entriesOf(zendesk('{"ips":{"ingress":{"all":["192.0.2.1/32"],"specific":["x"]},"egress":{"all":[]}}}')),
      ["192.0.2.1 ingress"],
    );
    assertRefused(zendesk, [
      "only a part",
      '{"ips":{"egress":{"specific":["192.0.2.1"]}}}',
      "bad-shape",
      "$.ips.egress.all",
    ]);
  });

  test("as regions, whose names contain commas and non-ASCII letters (New Relic)", () => {
    const list = keyedLists({ keys: "region", service: "synthetics" })(
      '{"Washington, DC, USA":["192.0.2.0/24"],"Montreal, Qu\\u00e9bec, CA":["198.51.100.0/24"]}',
    );
    assert.deepEqual(entriesOf(list), [
      "192.0.2.0/24 synthetics@washington-dc-usa",
      "198.51.100.0/24 synthetics@montreal-quebec-ca",
    ]);
    assert.equal(namesOf(list)["montreal-quebec-ca"], "Montreal, Québec, CA");
  });

  test("of which only some are selected (Fastly, Imperva)", () => {
    const imperva = keyedLists({ only: ["ipRanges", "ipv6Ranges"] });
    const list = imperva(
      '{"ipRanges":["192.0.2.0/24"],"ipv6Ranges":["2001:db8::/32"],"res":0,"res_message":"OK","debug_info":{"id-info":"999999"}}',
    );
    assert.deepEqual([entriesOf(list), list.warnings], [["192.0.2.0/24 -", "2001:db8::/32 -"], []]);
    assertRefused(imperva, ["one of them is missing", '{"ipRanges":["192.0.2.0/24"]}', "bad-shape", "$.ipv6Ranges"]);
  });

  test("beside members that are not lists, which are reported", () => {
    const list = keyedLists({ keys: "service" })('{"api":["192.0.2.1"],"switch":false,"more":{"web":["192.0.2.2"]}}');
    assert.deepEqual(entriesOf(list), ["192.0.2.1 api"]);
    assert.deepEqual(
      list.warnings.map(({ code, position }) => [code, position]),
      [
        ["unknown-member", "$.switch"],
        ["unknown-member", "$.more"],
      ],
    );
  });

  describe("without addresses for private use (Gcore)", () => {
    const importer = keyedLists({ withoutPrivate: true });

    test("which are left out, each with its position", () => {
      const list = importer(
        '{"v4": ["192.0.2.1", "172.31.0.7", "10.0.0.0/8", "192.168.1.0/24", "172.32.0.0/16"], "v6": ["2001:db8::/48"]}',
      );
      assert.deepEqual(entriesOf(list), ["192.0.2.1 -", "172.32.0.0/16 -", "2001:db8::/48 -"]);
      assert.deepEqual(list.warningCounts, { "left-out": 3 });
      assert.deepEqual(list.warnings[0], {
        code: "left-out",
        position: "$.v4[1]",
        message: "$.v4[1]: 172.31.0.7 is for private use and is left out",
      });
    });

    test("what only contains them is kept, for the limits to reject, and a list of nothing else is an error", () => {
      assert.deepEqual(entriesOf(importer('{"v4": ["172.0.0.0/8"]}')), ["172.0.0.0/8 -"]);
      assertRefused(importer, ["private only", '{"v4": ["10.1.2.3"]}', "empty", "line 1"]);
    });

    test("a list without any is the same list", () => {
      const list = importer('{"v4": ["192.0.2.1", "192.0.2.1"]}');
      assert.deepEqual([list.entries.length, list.warningCounts], [2, { repeat: 1 }]);
    });
  });

  const bad: BadList[] = [
    ...NO_JSON,
    ["an array", "[]", "bad-shape", "$"],
    ["an empty object", "{}", "empty", "line 1"],
    ["empty lists only", '{"api":[],"web":[]}', "empty", "line 1"],
    ["no list at all", '{"message":"Not Found"}', "empty", "line 1"],
    ["a list of something else", '{"api":["192.0.2.1"],"keys":["ssh-ed25519 AAAA"]}', "bad-prefix", "$.keys[0]"],
    ["a list in a list", '{"api":[["192.0.2.1"]]}', "bad-shape", "$.api[0]"],
    ["a null among prefixes", '{"api":["192.0.2.1",null]}', "bad-shape", "$.api[1]"],
    ["a bad prefix under a name with blanks", '{"São Paulo, BR":["x"]}', "bad-prefix", '$["São Paulo, BR"][0]'],
    ["a key that no node can be called", '{"?":["192.0.2.1"]}', "bad-name", '$["?"]'],
  ];
  for (const list of bad) test(`refused: ${list[0]}`, () => assertRefused(keyedLists({ keys: "service" }), list));
  test("rejected: a missing outer or inner member", () => {
    assertRefused(keyedLists({ within: ["IPRanges"] }), ["nothing within", '{"ranges":{}}', "bad-shape", "$.IPRanges"]);
    assertRefused(keyedLists({ inner: "ip_ranges" }), ["no object", '{"cell":["192.0.2.1"]}', "bad-shape", "$.cell"]);
    assertRefused(keyedLists({ inner: "ip_ranges" }), [
      "no list inside",
      '{"cell":{}}',
      "bad-shape",
      "$.cell.ip_ranges",
    ]);
  });
});

describe("GitHub's meta", () => {
  test("keys, whose base64 looks like prefixes, a switch and host names are not services", () => {
    const list = github(
      JSON.stringify({
        verifiable_password_authentication: false,
        ssh_key_fingerprints: {
          SHA256_RSA: "uNiVztksCsDhcc0u9e8BujQXVUpKZIDTMczCvj3tD2s",
          SHA256_ED25519: "+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU",
        },
        ssh_keys: ["ssh-ed25519 AAAAC3/+="],
        hooks: ["192.30.252.0/22", "2a0a:a440::/29"],
        api: ["192.30.252.0/22", "140.82.121.33/32"],
        actions: ["4.148.0.0/16", "2603:1030:401::5d6/128"],
        domains: {
          website: ["*.github.com"],
          artifact_attestations: { trust_domain: "", services: ["*.actions.githubusercontent.com"] },
        },
      }),
    );
    assert.deepEqual(entriesOf(list), [
      "192.30.252.0/22 hooks",
      "2a0a:a440::/29 hooks",
      "192.30.252.0/22 api",
      "140.82.121.33 api",
      "4.148.0.0/16 actions",
      "2603:1030:401::5d6 actions",
    ]);
    assert.deepEqual([namesOf(list), list.warnings], [{ hooks: "Webhooks", api: "API", actions: "Actions" }, []]);
  });

  test("the known services have names", () => {
    const services =
      "hooks web api git github_enterprise_importer packages pages importer actions actions_macos codespaces copilot";
    const names = namesOf(
      github(JSON.stringify(Object.fromEntries(services.split(" ").map((key) => [key, ["192.0.2.1"]])))),
    );
    for (const [key, name] of Object.entries(names)) assert.match(name, /^[A-Z][A-Za-z ()]+$/, key);
    assert.equal(new Set(Object.values(names)).size, 12);
  });

  test("a new service counts; so does one named like a method of objects", () => {
    assert.deepEqual(namesOf(github('{"actions_new":["192.0.2.1"],"constructor":["192.0.2.2"]}')), {
      actions_new: "actions_new",
      constructor: "constructor",
    });
  });

  test("a new key: a list of prefixes is a service, anything else is reported", () => {
    const list = github(
      '{"web":["192.0.2.0/24"],"new_service":["2001:db8::/32"],"installed_version":"3.22.0","host_keys":["ssh-ed25519 AAAA"],"dependabot":[]}',
    );
    assert.deepEqual(entriesOf(list), ["192.0.2.0/24 web", "2001:db8::/32 new_service"]);
    assert.deepEqual(
      list.warnings.map(({ code, position }) => [code, position]),
      [
        ["unknown-member", "$.installed_version"],
        ["unknown-member", "$.host_keys"],
      ],
    );
    assertRefused(github, [
      "a new list with a bad prefix",
      '{"web":["192.0.2.0/24"],"new_service":["192.0.2.0/33","x"]}',
      "bad-prefix",
      "$.new_service[0]",
    ]);
  });

  test("rejected: the response of a rate limit; a service with a malformed prefix", () => {
    assertRefused(github, [
      "rate limit",
      '{"message":"API rate limit exceeded","documentation_url":"x"}',
      "empty",
      "line 1",
    ]);
    assertRefused(github, ["bad", '{"hooks":["192.30.252.0/22"],"api":["api.github.com"]}', "bad-prefix", "$.api[0]"]);
  });
});

describe("plain arrays", () => {
  test("of addresses (Grafana, PagerDuty)", () => {
    const importer = bareArray({ service: { id: "hosted-alerts", name: "Hosted Alerts" } });
    assert.deepEqual(entriesOf(importer('[\n  "192.0.2.1",\n  "2001:db8::1"\n]\n')), [
      "192.0.2.1 hosted-alerts",
      "2001:db8::1 hosted-alerts",
    ]);
    for (const list of NO_JSON) assertRefused(importer, list);
    assertRefused(importer, ["an object", "{}", "bad-shape", "$"]);
    assertRefused(importer, ["empty", "[]", "empty", "line 1"]);
    assertRefused(importer, ["a number", '["192.0.2.1", 3232235777]', "bad-shape", "$[1]"]);
    assertRefused(importer, ["a host", '["a.example"]', "bad-prefix", "$[0]"]);
  });

  test("of objects (Ahrefs)", () => {
    const importer = objectList("ips", "ip_address");
    assert.deepEqual(entriesOf(importer('{"ips":[{"ip_address":"192.0.2.1"},{"ip_address":"192.0.2.2"}]}')), [
      "192.0.2.1 -",
      "192.0.2.2 -",
    ]);
    for (const list of NO_JSON) assertRefused(importer, list);
    assertRefused(importer, ["no list", "{}", "bad-shape", "$.ips"]);
    assertRefused(importer, ["no object", '{"ips":["192.0.2.1"]}', "bad-shape", "$.ips[0]"]);
    assertRefused(importer, ["no address", '{"ips":[{}]}', "bad-shape", "$.ips[0].ip_address"]);
    assertRefused(importer, ["no address", '{"ips":[{"ip_address":""}]}', "bad-prefix", "$.ips[0].ip_address"]);
    assertRefused(importer, ["empty", '{"ips":[]}', "empty", "line 1"]);
  });

  test("of addresses, or two of them joined by family (bunny)", () => {
    const importer = arrayOrFamilies();
    assert.deepEqual(entriesOf(importer('["192.0.2.1"]')), ["192.0.2.1 -"]);
    assert.deepEqual(entriesOf(importer('{"ipv4":["192.0.2.1"],"ipv6":["2001:db8::1"]}')), [
      "192.0.2.1 -",
      "2001:db8::1 -",
    ]);
    for (const list of NO_JSON) assertRefused(importer, list);
    assertRefused(importer, ["one family", '{"ipv4":["192.0.2.1"]}', "bad-shape", "$.ipv6"]);
  });
});
