import assert from "node:assert/strict";
import { test } from "node:test";
import { type FeedFile, makeFile } from "../../src/service/deployments/feed-files.ts";
import { timedText } from "../service/deployments/timed-text.ts";
import { definitionOf } from "../deployments/definition-of.ts";
import { onlyLong } from "../rounds.ts";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";
import { until } from "../until.ts";
import { crowdsec, whileImported } from "./consumers/crowdsec.ts";

const FILE: FeedFile = { part: "combined", chunk: null, checksum: null };
const NOW = Date.UTC(2026, 5, 1);
/** Seconds: longer than the import takes on a busy machine. */
const LASTS = 15;

test(
  "CrowdSec decides against listed addresses until their time is over, and then by itself no more",
  { skip: crowdsec.missing || onlyLong() },
  async () => {
    const end = NOW / 1000 + LASTS;
    const text = timedText([
      ["192.0.2.0", end],
      ["192.0.2.1", end + 3600],
      ["192.0.2.2/31", end],
      ["192.0.2.9", Infinity],
      ["198.51.100.1", NOW / 1000],
      ["2001:db8::/32", end],
    ]);
    const definition = definitionOf({ firewall_format: "crowdsec-csv", options: { timeouts: true } });
    const file = (await makeFile({ name: "edge", definition, now: NOW }, text, FILE, 1)).toString();
    const addresses = ["192.0.2.0", "192.0.2.1", "192.0.2.3", "192.0.2.9", "198.51.100.1", "2001:db8::1"];
    await inTemporaryFolder((folder) =>
      whileImported(file, folder, async (isListed) => {
        const listed = async (): Promise<string> => {
          const found: string[] = [];
          for (const address of addresses) if (await isListed(address)) found.push(address);
          return found.join(" ");
        };
        assert.equal(await listed(), "192.0.2.0 192.0.2.1 192.0.2.3 192.0.2.9 2001:db8::1");
        await until("the time of the others is over", async () => (await listed()) === "192.0.2.1 192.0.2.9");
      }),
    );
  },
);
