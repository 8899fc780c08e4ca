import { realpathSync } from "node:fs";
import { ruleDocument } from "../../formats/rule-document.ts";
import { keptVersions, notKept } from "./kept-versions.ts";
import { standardError } from "../runner/standard-error.ts";
import type { RuleSource } from "../rule-lists/rule-source.ts";
import { RulesetFile } from "./ruleset-file.ts";
import type { RulesetVersion } from "./ruleset-target.ts";

/**
 * The versions of a ruleset file, the one saved last first. A kept version that cannot be read is reported and left out.
 * Throws SnapshotError and DatasetError if the file itself is no ruleset.
 */
export async function versionsOf(path: string): Promise<RulesetVersion[]> {
  const versions = [await versionIn(path)];
  for (const kept of await keptVersions(realpathSync(path))) {
    try {
      versions.push(await versionIn(kept.path));
    } catch (error) {
      standardError().write(`ipsieve: version ${kept.version} cannot be restored: ${(error as Error).message}\n`);
    }
  }
  return versions;
}

/** The rules of a kept version. Throws UsageError where it is not kept, and as `versionsOf`. */
export async function rulesOfVersion(path: string, version: number): Promise<() => RuleSource> {
  await versionIn(path);
  const kept = await keptVersions(realpathSync(path));
  const found = kept.find((each) => each.version === version);
  if (found === undefined)
    throw notKept(
      path,
      version,
      kept.map((each) => each.version),
    );
  const { ruleset } = await new RulesetFile(found.path).open();
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (const rule of ruleset) {
      const { ip, name, expires_at } = ruleDocument(rule);
      yield Buffer.from(`${JSON.stringify({ ip, name, expires_at })}\n`);
    }
  };
  return () => ({ name: `version ${version}`, format: "ndjson", chunks, close: () => {} });
}

async function versionIn(path: string): Promise<RulesetVersion> {
  const { ruleset, savedAt } = await new RulesetFile(path).open();
  return { version: ruleset.sequence, at: savedAt.toISOString(), rules: ruleset.count };
}
