/** What the programs that will read the files in `packaging/` report about them, and about files with mistakes. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { temporaryFolder } from "../cli/run-command.ts";
import { onlyLong } from "../rounds.ts";
import { missingCommand, missingTools, run, type Run, TOOLS } from "../tools.ts";

const PACKAGING = join(import.meta.dirname, "../../packaging");
const TLS = join(import.meta.dirname, "../update/tls");
const HADOLINT = join(TOOLS, ".venv/bin/hadolint");
const KUBERNETES_VALIDATE = join(TOOLS, ".venv/bin/kubernetes-validate");
const DCLINT = join(TOOLS, "node_modules/.bin/dclint");

interface Linted {
  /** Relative to `packaging/`. */
  readonly path: string;
  readonly linter: string;
  readonly missing: string | false;
  /** The linter's output for a text of the file; each gets a folder of its own. */
  lint(text: string, folder: string): Promise<Run>;
  /** Mistakes, each as the text that is replaced and its replacement. */
  readonly mistakes: readonly (readonly [what: string, from: string, to: string])[];
}

/** Writes the file under its own name, since some linters depend on it. */
function written({ path }: { readonly path: string }, text: string, folder: string): string {
  const file = join(folder, basename(path));
  writeFileSync(file, text);
  return file;
}

const HAPROXY: Pick<Linted, "linter" | "missing" | "lint"> = {
  linter: "haproxy -c",
  missing: missingCommand("haproxy", "-v", "haproxy"),
  lint(text, folder) {
    const certificate = join(folder, "server.pem");
    writeFileSync(
      certificate,
      readFileSync(join(TLS, "server.crt"), "utf8") + readFileSync(join(TLS, "server.key"), "utf8"),
    );
    const configuration = text.replace("/etc/haproxy/tls/server.pem", certificate);
    return run("haproxy", ["-c", "-f", written({ path: "haproxy.cfg" }, configuration, folder)]);
  },
};

const LINTED: readonly Linted[] = [
  {
    path: "Dockerfile",
    linter: "hadolint",
    missing: missingTools(HADOLINT),
    lint: (text, folder) => run(HADOLINT, ["--no-color", written({ path: "Dockerfile" }, text, folder)]),
    mistakes: [
      ["an unknown instruction", "USER 10001", "USERS 10001"],
      ["root at the end", "USER 10001:10001", "USER root"],
    ],
  },
  {
    path: "compose/compose.yaml",
    linter: "dclint",
    missing: missingTools(DCLINT),
    lint: (text, folder) =>
      run(process.execPath, [
        DCLINT,
        "--config",
        join(TOOLS, "dclint.yaml"),
        "--max-warnings",
        "0",
        written({ path: "compose.yaml" }, text, folder),
      ]),
    mistakes: [
      ["a misspelled key", "read_only:", "readonly:"],
      ["an image without a version", "postgres:17", "postgres"],
    ],
  },
  {
    path: "compose/haproxy.cfg",
    ...HAPROXY,
    mistakes: [
      ["a misspelled keyword", "balance leastconn", "balance leastcon"],
      ["a backend that is none", "default_backend servers", "default_backend server"],
    ],
  },
  {
    path: "systemd/haproxy.cfg",
    ...HAPROXY,
    mistakes: [
      ["a misspelled keyword", "option dontlognull", "option dontlognul"],
      ["a backend that is none", "default_backend server", "default_backend servers"],
    ],
  },
  {
    path: "systemd/ipsieve.service",
    linter: "systemd-analyze",
    missing: missingCommand("systemd-analyze", "--version", "systemd"),
    async lint(text, folder) {
      // The command is not installed here, and small systems lack kill: another program replaces them.
      const unit = written(
        { path: "ipsieve.service" },
        text.replaceAll(/=(\/usr\/local\/bin\/ipsieve|\/bin\/kill) /g, `=${process.execPath} `),
        folder,
      );
      const verified = await run("systemd-analyze", ["verify", "--man=no", "--recursive-errors=no", unit]);
      // The threshold is out of 100, which means no protection at all.
      const judged = await run("systemd-analyze", ["security", "--no-pager", "--offline=true", "--threshold=20", unit]);
      // Settings that are ignored only cause a warning; other units of this machine do not count.
      const warnings = verified.output.includes("ipsieve.service:") ? 1 : 0;
      return { ...verified, output: verified.output + judged.output, code: verified.code || judged.code || warnings };
    },
    mistakes: [
      ["a misspelled setting", "NoNewPrivileges=", "NoNewPrivilege="],
      ["all capabilities", "CapabilityBoundingSet=", "CapabilityBoundingSet=~"],
    ],
  },
  {
    path: "kubernetes/ipsieve.yaml",
    linter: "kubernetes-validate",
    missing: missingTools(KUBERNETES_VALIDATE),
    lint: (text, folder) =>
      run(KUBERNETES_VALIDATE, [
        "--strict",
        "--kubernetes-version",
        "1.34",
        written({ path: "ipsieve.yaml" }, text, folder),
      ]),
    mistakes: [
      ["a misspelled property", "readOnlyRootFilesystem:", "readOnlyRootFileSystem:"],
      ["a number that is none", "periodSeconds: 10", "periodSeconds: ten"],
    ],
  },
  {
    path: "prometheus/alerts.yaml",
    linter: "promtool",
    missing: missingCommand("promtool", "--version", "prometheus"),
    lint(text, folder) {
      written({ path: "alerts.yaml" }, text, folder);
      const tests = readFileSync(join(PACKAGING, "prometheus/alerts.test.yaml"), "utf8");
      return run("promtool", ["test", "rules", written({ path: "alerts.test.yaml" }, tests, folder)]);
    },
    mistakes: [
      ["an expression that is none", "ipsieve_database_up == 0", "ipsieve_database_up === 0"],
      ["a limit that is too low", "> 14 * 86400", "> 12 * 86400"],
      ["an alert that is late", "for: 30s", "for: 30m"],
    ],
  },
];

let folder: ReturnType<typeof temporaryFolder>;
let folders = 0;
before(() => {
  folder = temporaryFolder();
});
after(() => folder.remove());

/** The linter's output for the text, once it is certain that the linter has run. */
async function said({ lint }: Linted, text: string): Promise<Run> {
  const own = join(folder.path, String(++folders));
  mkdirSync(own);
  const result = await lint(text, own);
  assert.notEqual(result.code, null, result.output);
  return result;
}

for (const linted of LINTED) {
  describe(`${linted.linter} on packaging/${linted.path}`, { skip: linted.missing }, () => {
    const text = readFileSync(join(PACKAGING, linted.path), "utf8");

    test("no findings", async () => {
      const { code, output } = await said(linted, text);
      assert.equal(code, 0, output);
    });

    for (const [what, from, to] of linted.mistakes) {
      test(`negative control: ${what}`, { skip: onlyLong() }, async () => {
        assert.ok(text.includes(from), from);
        assert.notEqual((await said(linted, text.replace(from, to))).code, 0);
      });
    }
  });
}

test("every alert has a test in which it fires", () => {
  const alerts = readFileSync(join(PACKAGING, "prometheus/alerts.yaml"), "utf8").matchAll(/- alert: (\w+)/g);
  const tests = readFileSync(join(PACKAGING, "prometheus/alerts.test.yaml"), "utf8");
  const names = Array.from(alerts, ([, name]) => name!);
  assert.ok(names.length > 10);
  for (const name of names)
    assert.match(tests, new RegExp(`alertname="${name}", alertstate="firing"}\\)\n +exp_samples: \\[\\{`), name);
});

test("all of them give a server enough time to shut down, and name existing files and settings", () => {
  const read = (path: string): string => readFileSync(join(PACKAGING, path), "utf8");
  assert.match(read("systemd/ipsieve.service"), /^TimeoutStopSec=40$/m);
  assert.match(read("compose/compose.yaml"), /^ {4}stop_grace_period: 40s$/m);
  assert.match(read("kubernetes/ipsieve.yaml"), /^ {6}terminationGracePeriodSeconds: 40$/m);
  const { version, devDependencies } = JSON.parse(readFileSync(join(PACKAGING, "../package.json"), "utf8"));
  for (const path of ["compose/compose.yaml", "kubernetes/ipsieve.yaml"])
    assert.match(read(path), new RegExp(` image: ipsieve:${version}$`, "m"), path);
  assert.ok(read("Dockerfile").includes(`/node:${devDependencies.node}-`));
  const settings = readFileSync(join(PACKAGING, "../docs/operating.md"), "utf8");
  for (const path of ["Dockerfile", "compose/compose.yaml", "systemd/ipsieve.service", "kubernetes/ipsieve.yaml"])
    for (const [name] of read(path).matchAll(/\bIPSIEVE_[A-Z_]+/g))
      assert.ok(name === "IPSIEVE_HOME" || settings.includes(`\`${name}\``), `${path}: ${name}`);
});
