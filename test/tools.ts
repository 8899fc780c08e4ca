import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { NOT_HAD } from "./every-file-ran.ts";

/** The folder into which `npm run tools:setup` installs programs that tests use. */
export const TOOLS = join(import.meta.dirname, "../tools");

export const REDOCLY = join(TOOLS, "node_modules/.bin/redocly");
export const SPECTRAL = join(TOOLS, "node_modules/.bin/spectral");
export const PYTHON = join(TOOLS, ".venv/bin/python");
export const STIX_VALIDATOR = join(TOOLS, ".venv/bin/stix2_validator");
export const GO = join(TOOLS, ".venv/bin/go");
export const OAPI_CODEGEN = join(TOOLS, "bin/oapi-codegen");
export const OGEN = join(TOOLS, "bin/ogen");
/** CrowdSec's newest firewall bouncer; the proxy for Go modules does not have it everywhere. */
export const FIREWALL_BOUNCER = join(TOOLS, "bin/cs-firewall-bouncer");
/** Where Maven keeps it. */
export const OPENAPI_GENERATOR = join(
  homedir(),
  ".m2/repository/org/openapitools/openapi-generator-cli/7.14.0/openapi-generator-cli-7.14.0.jar",
);

/** Why a test that needs these must be skipped; false if all are installed. */
export function missingTools(...paths: readonly string[]): string | false {
  const missing = paths.find((path) => !existsSync(path));
  return missing === undefined
    ? false
    : `${missing.slice(TOOLS.length + 1)} is not installed; install it with: npm run tools:setup`;
}

/** The same for a tool that `npm run tools:setup` installs where the proxy for Go modules has it. */
export function notHad(path: string): string | false {
  return existsSync(path) ? false : `${NOT_HAD}${path.slice(TOOLS.length + 1)}, by npm run tools:setup`;
}

/** The same for a Python module. */
export function missingModule(module: string): string | false {
  const isThere = existsSync(PYTHON) && spawnSync(PYTHON, ["-c", `import ${module}`]).status === 0;
  return isThere ? false : `Python's ${module} is not installed; install it with: npm run tools:setup`;
}

/** The same for a Debian program. */
export function missingCommand(command: string, option: string, debianPackage: string): string | false {
  return spawnSync(command, [option]).error === undefined
    ? false
    : `${command} is not installed; Debian's package is ${debianPackage}`;
}

export interface Run {
  readonly code: number | null;
  /** Standard output, followed by standard error. */
  readonly output: string;
  readonly stdout: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs a program while this process continues, since this process may be the server that the program contacts. */
export async function run(
  program: string,
  args: readonly string[],
  { cwd, environment, input = "" }: RunOptions = {},
): Promise<Run> {
  const child = spawn(program, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...environment },
  });
  child.stdin.on("error", () => {}).end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, output: stdout + stderr, stdout };
}
