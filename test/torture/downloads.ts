/*
 * npm run torture -- downloads
 *
 * R11: 100 parallel downloads of a list of 300,000 rules, by slow clients: none is truncated, and at most 512 MB are
 * resident. As the negative control the server keeps the bytes of each download, which takes more. Exit code 1 if the
 * promise is broken.
 */
import { runDownloads } from "../api/harness/run-downloads.ts";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";

const MAX_MEMORY = 512;

await inTemporaryFolder(async (folder) => {
  const options = { folder, rules: 300_000, downloads: 100 };
  const control = await runDownloads({ ...options, keepsBytes: true });
  console.log(`negative control, bytes of each kept: ${JSON.stringify(control)}`);
  const report = await runDownloads(options);
  console.log(JSON.stringify(report));
  const held = report.wrong === 0 && report.mostMemory <= MAX_MEMORY && control.mostMemory > MAX_MEMORY;
  console.log(held ? "ok" : "FAILED");
  if (!held) process.exitCode = 1;
});
