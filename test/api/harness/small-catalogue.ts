import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import { catalogueOf } from "../../cbs/catalogues.ts";

/**
 * The file of a catalogue of a few lines. Test servers use it unless a test needs the bundled one, which takes every
 * server half a second of processor time to read.
 */
export const SMALL_CATALOGUE: string = await writeSmallCatalogue();

async function writeSmallCatalogue(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-catalogue-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const { table, metadata } = catalogueOf([
    ["192.0.2.0/24", "/cdn/cloudflare", "/cloud/aws/by-service/ec2/us-east-1"],
    ["2001:db8::/32", "/saas/github/actions"],
    ["0.0.0.0/1", "/isp/starlink"],
    ["1.1.1.1", "/cdn/cloudflare"],
  ]);
  const path = join(folder, "catalogue.ipsieve");
  await writeSnapshot(path, { table, metadata, kind: "catalogue" });
  return path;
}
