import { execFileSync } from "node:child_process";

/**
 * The report of a script of this folder that runs alone in a network namespace of its own: the JSON object at the end
 * of its output.
 */
export function reportFromNamespace<Report>(script: string, options: object): Report {
  const { pathname } = new URL(script, import.meta.url);
  const text = execFileSync("unshare", ["--net", process.execPath, pathname, JSON.stringify(options)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(text.slice(text.lastIndexOf("\n{") + 1)) as Report;
}
