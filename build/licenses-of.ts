import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The licenses of all packages that the files come from, which a bundle must include. */
export function licensesOf(root: string, files: readonly string[]): string {
  const folders = new Set(files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []));
  return [...folders]
    .sort()
    .map((folder) => licenseOf(join(root, folder)))
    .join(`\n${"-".repeat(80)}\n\n`);
}

function licenseOf(folder: string): string {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const texts = globSync("{LICEN[CS]E,COPYING,NOTICE}*", { cwd: folder }).sort();
  const by = typeof author === "object" ? author?.name : author;
  const terms = texts.map((text) => readFileSync(join(folder, text), "utf8").trim());
  return `${name} ${version}, ${license}\n\n${terms.join("\n\n") || `Copyright ${by ?? `the authors of ${name}`}`}\n`;
}
