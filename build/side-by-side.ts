/**
 * `node build/side-by-side.ts SCRIPT...`: runs scripts of package.json at the same time, prints the output of each when
 * it has ended, and, when all have ended, fails if one of them failed.
 */
import { spawn } from "node:child_process";

async function run(script: string): Promise<boolean> {
  const child = spawn("npm", ["run", script], { stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => void output.push(bytes));
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  process.stdout.write(Buffer.concat(output));
  return code === 0;
}

const scripts = process.argv.slice(2);
const passed = await Promise.all(scripts.map(run));
const failed = scripts.filter((_, index) => !passed[index]);
if (failed.length > 0) {
  console.error(`failed: ${failed.map((script) => `npm run ${script}`).join(", ")}`);
  process.exitCode = 1;
}
