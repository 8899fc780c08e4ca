import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { addKey, addOrganisation, startServer, type TestServer } from "../start-server.ts";
import { COMMAND_FILE } from "../../command-file.ts";

const THREATS = fileURLToPath(new URL("../../../data/cti-sample.ipsieve", import.meta.url));

export interface FuzzServer extends TestServer {
  /** The key of an organisation with all plans. */
  readonly key: string;
}

/**
 * A server without rate limits, with the small catalogue: responses of megabytes would take the time of many small
 * ones. The organisation named by `datasetOrganisation` may import feeds.
 */
export async function startFuzzServer(settings: Parameters<typeof startServer>[0] = {}): Promise<FuzzServer> {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-fuzz-"));
  const limits = {
    perMinute: 1e9,
    perMonth: 1e12,
    failuresPerMinute: 1e9,
    concurrentRequests: 100_000,
    rulesetsPerOrganisation: 100_000,
    logLevel: "silent",
  };
  const output = join(folder, "cti.ipsieve");
  const command = { program: process.execPath, args: [COMMAND_FILE, "cti", "import"], environment: process.env };
  const server = await startServer({ ...limits, ...settings }, undefined, [output, THREATS], undefined, {
    command,
    output,
  });
  const { text: key } = await addKey(server, await addOrganisation(server, "fuzz"));
  const close = async (): Promise<void> => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...server, key, close };
}
