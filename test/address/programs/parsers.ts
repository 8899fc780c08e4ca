import { spawnSync } from "node:child_process";
import { join } from "node:path";

/**
 * The result of a parser: `32 hexadecimal digits` as an address, `32 digits/length of 128` as a prefix, "-" for
 * neither, "?" if it has no such parser.
 */
export interface Answers {
  readonly address: string;
  readonly prefix: string;
}

/** The parsers of another library, as a small program in its language. */
export interface Parser {
  readonly name: string;
  /** Why it cannot run here; false if it can. */
  readonly missing: string | false;
  answers(texts: readonly string[], folder: string): Answers[];
}

/** A program of this folder, and how it is run: after `compile`, if it must be compiled. */
function parser(
  name: string,
  command: string,
  option: string,
  debianPackage: string,
  run: (path: string) => string[],
  compile?: (path: string) => string[],
): Parser {
  const missing =
    spawnSync(command, [option]).error === undefined
      ? false
      : `${command} is not installed; Debian's package is ${debianPackage}`;
  return {
    name,
    missing,
    answers: (texts, folder) => {
      const program = join(folder, `${command}-program`);
      if (compile !== undefined) execute(compile(program), "");
      const input = texts.map((text) => `${Buffer.from(text).toString("hex")}\n`).join("");
      return answersIn(execute(run(program), input), texts.length, name);
    },
  };
}

function execute([command, ...args]: string[], input: string): string {
  const env = { ...process.env, GOTOOLCHAIN: "local", GO111MODULE: "off" };
  const { stdout, stderr, status, error } = spawnSync(command!, args, {
    input,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${error?.message ?? stderr}`);
  return stdout;
}

function answersIn(output: string, count: number, name: string): Answers[] {
  const lines = output.trimEnd().split("\n");
  if (lines.length !== count) throw new Error(`${name} gave ${lines.length} answers to ${count} texts`);
  return lines.map((line) => {
    const [address, prefix] = line.split(" ") as [string, string];
    return { address, prefix };
  });
}

const source = (name: string): string => join(import.meta.dirname, name);

export const PARSERS: readonly Parser[] = [
  parser(
    "glibc inet_pton",
    "cc",
    "--version",
    "gcc",
    (program) => [program],
    (program) => ["cc", "-O1", "-o", program, source("inet_pton.c")],
  ),
  parser("CPython ipaddress", "python3", "--version", "python3", () => ["python3", source("ip_address.py")]),
  parser(
    "Rust std::net",
    "rustc",
    "--version",
    "rustc",
    (program) => [program],
    (program) => ["rustc", "-O", "-o", program, source("std_net.rs")],
  ),
  parser(
    "Go net/netip",
    "go",
    "version",
    "golang-go",
    (program) => [program],
    (program) => ["go", "build", "-o", program, source("netip.go")],
  ),
];
