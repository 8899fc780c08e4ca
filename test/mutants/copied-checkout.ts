import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Mutant } from "./mutants-of.ts";

const LEFT_OUT = /^(\.git|node_modules|bench\/node_modules|test\/output)$/;
/** In the environment of all that a test starts, by which it is found and ended. Commands refuse unknown IPSIEVE_*. */
const MARK = "MUTANT_OF_IPSIEVE";

export interface TestRun {
  readonly outcome: "passed" | "failed" | "timed out";
  readonly seconds: number;
}

/**
 * A copy of the checkout, in which sources are mutated and tests run: the checkout itself never changes, however this
 * process ends. Commands that tests start are the sources, not the built ones.
 */
export class CopiedCheckout {
  readonly path: string;
  readonly #mark = `${MARK}=${randomUUID()}`;

  constructor(root: string) {
    this.path = mkdtempSync(join(tmpdir(), "ipsieve-mutants-"));
    const filter = (path: string) => !LEFT_OUT.test(relative(root, path));
    cpSync(root, this.path, { recursive: true, preserveTimestamps: true, filter });
    for (const modules of ["node_modules", "bench/node_modules"])
      if (!filter(join(root, modules)) && readdirSync(root).includes(modules.split("/")[0]!))
        symlinkSync(join(root, modules), join(this.path, modules));
    utimesSync(join(this.path, "src"), new Date(), new Date());
    for (const name of readdirSync(join(this.path, "src")))
      utimesSync(join(this.path, "src", name), new Date(), new Date());
  }

  /** Gives the file this mutant; returns a function that takes it back. */
  apply({ file, start, end, replacement }: Mutant): () => void {
    const path = join(this.path, file);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.slice(0, start) + replacement + text.slice(end));
    return () => writeFileSync(path, text);
  }

  /** Compiles the kernel from the sources of the copy; false if it does not compile. */
  compileKernel(): boolean {
    return spawnSync(process.execPath, ["build/compile-kernel.ts"], { cwd: this.path }).status === 0;
  }

  /** Runs a test file until it ends, a test of it fails, or the time is over. */
  async run(test: string, seconds: number, environment: Readonly<Record<string, string>> = {}): Promise<TestRun> {
    const temporary = join(this.path, "test/output/temporary");
    mkdirSync(temporary, { recursive: true });
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const [name, value] = this.#mark.split("=") as [string, string];
    const caches = { NODE_COMPILE_CACHE: join(this.path, "test/output/compile-cache"), TMPDIR: temporary };
    const began = performance.now();
    const reporter = join(import.meta.dirname, "stop-at-failure.ts");
    const child = spawn(process.execPath, [`--test-reporter=${reporter}`, test], {
      cwd: this.path,
      env: { ...inherited, ...caches, [name]: value, ...environment },
      stdio: "ignore",
    });
    const outcome = await new Promise<TestRun["outcome"]>((resolve) => {
      const timer = setTimeout(() => {
        resolve("timed out");
        child.kill("SIGKILL");
      }, seconds * 1000);
      child.once("exit", (code) => {
        clearTimeout(timer);
        resolve(code === 0 ? "passed" : "failed");
      });
    });
    this.#endProcesses();
    rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
    return { outcome, seconds: (performance.now() - began) / 1000 };
  }

  /** Ends what a test has started and left running. */
  #endProcesses(): void {
    for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        if (readFileSync(`/proc/${id}/environ`, "latin1").split("\0").includes(this.#mark))
          process.kill(Number(id), "SIGKILL");
      } catch {
        // It has ended, or is another user's.
      }
    }
  }

  remove(): void {
    this.#endProcesses();
    rmSync(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}
