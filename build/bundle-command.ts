/**
 * `node build/bundle-command.ts`: bundles all commands into one script, `identify` and `lookup` into one more each, what
 * their threads load into modules, and the server into a folder. A process that counts the lines of a log ends in less
 * time than it takes to find and load some sixty modules one after the other; a server would load some four hundred.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { build, type Plugin } from "esbuild";
import { NODE_BUNDLE } from "./node-bundle.ts";
import { BUNDLED_FORMS, isInstalled, PACKAGES_FOLDER, packageModule } from "./package-module.ts";

const ROOT = join(import.meta.dirname, "..");
/** What is bundled as a module, by output file. */
const BUNDLES = {
  "dist/cli/main.js": "src/cli/main.ts",
  "dist/datasets/_catalogue-renderer.js": "src/datasets/catalogue-renderer.ts",
  "dist/datasets/_column-renderer.js": "src/datasets/column-renderer.ts",
  "dist/batch/pool/pool-worker.js": "src/batch/pool/pool-worker.ts",
};

/** What the command's first file runs, as scripts, since only their compiled code can be kept: see `runScript`. */
const SCRIPTS = ["src/cli/start-identify.ts", "src/cli/start-lookup.ts", "src/cli/command-line.ts"];

function scriptFile(entry: string): string {
  return entry.replace(/^src/, "dist").replace(/\.ts$/, ".cjs");
}

/**
 * What stays in separate files, with everything that it loads: databases, the server, and their packages, which most
 * commands do not need.
 */
const APART = [
  "src/service/store/loading-store.ts",
  "src/api/serve.ts",
  "src/api/processes/supervise.ts",
  "src/store/open-store.ts",
  "src/store/sqlite/restore.ts",
];

/** The folder of the server: what stays separate, what the store's thread loads, and chunks of what they share. */
const SERVER = "dist/server";
const STORE_WORKER = "src/store/sqlite/worker.ts";
/** Finds the file of the store's thread relative to itself. */
const STORE_THREAD = "src/store/sqlite/_thread.ts";

function serverFile(file: string): string {
  return `${SERVER}/${basename(file, ".ts")}.js`;
}

/** The modules that the command's threads load instead of those that the library names. */
const RENDERER = "src/datasets/catalogue-renderer.ts";
const COLUMN_RENDERER = "src/datasets/column-renderer.ts";

/** Modules whose bundles have other neighbouring files than their sources do. */
const OTHER_ADDRESSES: Readonly<Record<string, string>> = {
  [RENDERER]: "dist/datasets/_catalogue-renderer.js",
  [COLUMN_RENDERER]: "dist/datasets/_column-renderer.js",
  [STORE_THREAD]: serverFile(STORE_THREAD),
};

/**
 * Gets modules of node: from the process: an `import` would run all their lazy parts, several milliseconds each. And
 * `import.meta.url` stays what it is for the module outside a bundle, since files are found relative to it.
 */
function inPlace(outfile: string, { isCommand = false } = {}): Plugin {
  return {
    name: "in place",
    setup({ onLoad }) {
      onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) => {
        const file = relative(ROOT, path);
        const own = OTHER_ADDRESSES[file] ?? file.replace(/^src/, "dist").replace(/\.ts$/, ".js");
        const address = `new URL(${JSON.stringify(`./${relative(dirname(outfile), own)}`)}, import.meta.url).href`;
        const text = readFileSync(path, "utf8");
        const source = withoutImports(isCommand ? callingLater(text) : text, file);
        const contents = source.replaceAll("import.meta.url", address);
        return { contents: isCommand ? requiringPackages(contents, outfile) : contents, loader: "ts" };
      });
    },
  };
}

/**
 * Modules of node: that take milliseconds to load, and that most commands import but never call: `identify -c` of one
 * line took 84 ms of processor time with them, and 79 without. Only functions, and classes for `new`, are imported from
 * them; a module that uses one of the classes with `instanceof` loads the module at once.
 */
const LATE = /^import \{([^}]*)\} from "(node:(?:crypto|fs\/promises|net|timers\/promises))";$/gm;

/** Loads those modules at the first call of one of their functions. */
function callingLater(source: string): string {
  return source.replaceAll(LATE, (whole, names: string, module: string) => {
    const values = valuesOf(names);
    if (values.some((value) => source.includes(`instanceof ${value.split(" as ").at(-1)}`))) return whole;
    return values
      .map((value) => {
        const [name, local = name] = value.split(" as ");
        const called = `process.getBuiltinModule("${module}").${name}`;
        return `function ${local}(...all) { return new.target ? new ${called}(...all) : ${called}(...all); }`;
      })
      .join(" ");
  });
}

function withoutImports(source: string, file: string): string {
  const taken = source.replaceAll(/^import \{([^}]*)\} from "(node:[^"]+)";$/gm, (_, names: string, module: string) => {
    return `const { ${valuesOf(names).join(", ").replaceAll(" as ", ": ")} } = process.getBuiltinModule("${module}");`;
  });
  const left = /^import (?!type\b).*"node:.*$/m.exec(taken);
  if (left !== null)
    throw new Error(`${file}: ${left[0]}: name what is imported, in one line, so that it can be packed`);
  return taken;
}

/**
 * Loads packages when the module that imports them is first run. A bundle would load all of them when it starts, for
 * every command: the schemas of the service and its client took 10 of the 50 ms that `lookup` takes on top of Node
 * itself.
 */
function requiringPackages(source: string, outfile: string): string {
  return source.replaceAll(
    /^import (?!type\b)([^;"]*?) from "([@a-z][^":]*)";$/gm,
    (whole, names: string, name: string) => {
      if (PACKED.includes(name)) return whole;
      const [, fallback = "", listed = ""] = /^([\w$]*),? ?(?:\{([^}]*)\})?$/s.exec(names)!;
      const values = valuesOf(listed).map((value) => value.replace(" as ", ": "));
      if (fallback !== "") values.unshift(`default: ${fallback}`);
      if (values.length === 0) return "";
      const require = 'process.getBuiltinModule("node:module").createRequire(import.meta.url)';
      return `const { ${values.join(", ")} } = ${require}(${JSON.stringify(packagePath(name, outfile))});`;
    },
  );
}

/** The names of an import that are not types. */
function valuesOf(names: string): string[] {
  return names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "));
}

/** How a bundle refers to a package. */
function packagePath(name: string, outfile: string): string {
  if (isInstalled(name)) return name;
  return relative(dirname(outfile), join(PACKAGES_FOLDER, packageModule(name))).replaceAll("\\", "/");
}

function apart(outfile: string): Plugin {
  return {
    name: "apart",
    setup({ onResolve }) {
      onResolve({ filter: /^\.\.?[/\\].*\.ts$/ }, ({ path, resolveDir }) => {
        const file = relative(ROOT, join(resolveDir, path)).replaceAll("\\", "/");
        if (!APART.includes(file)) return null;
        return { path: relative(dirname(outfile), serverFile(file)).replaceAll("\\", "/"), external: true };
      });
    },
  };
}

/** In the command's first file: runs scripts instead of importing them. */
const scripts: Plugin = {
  name: "scripts",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.[/\\].*\.ts$/ }, ({ path, resolveDir, kind }) => {
      if (kind !== "dynamic-import") return null;
      const file = relative(ROOT, join(resolveDir, path)).replaceAll("\\", "/");
      return SCRIPTS.includes(file) ? { path: file, namespace: "script" } : null;
    });
    onLoad({ filter: /./, namespace: "script" }, ({ path }) => ({
      contents: `
        import { runScript } from "./build/compiled-script.ts";
        export const { run, runCommandLine } = runScript(new URL("./${basename(scriptFile(path))}", import.meta.url).href);`,
      resolveDir: ROOT,
    }));
  },
};

/** A script has no `import()` of its own without a warning by Node: it calls that of the module that runs it. */
function importingThroughModule(script: string, entry: string): string {
  const left = /(?:return|=>|[=(,:?&|[])\s*import\(.{0,50}/.exec(script);
  if (left !== null) throw new Error(`${entry}: ${left[0]}: write "await import(...)", so that it can be packed`);
  return script.replaceAll("await import(", "await importModule(");
}

/** Small packages of commands that read lists are bundled. The others stay in separate files (`bundle-packages.ts`). */
const PACKED = ["csv-parse/sync", "jsonc-parser"];

function packages(outfile: string): Plugin {
  return {
    name: "packages",
    setup({ onResolve }) {
      onResolve({ filter: /^[@a-z]/ }, ({ path, kind }) => {
        if (kind === "entry-point" || path.startsWith("node:")) return null;
        if (PACKED.includes(path)) return { path: join(ROOT, BUNDLED_FORMS[path]!) };
        return { path: packagePath(path, outfile), external: true };
      });
    },
  };
}

for (const [outfile, entry] of Object.entries(BUNDLES)) {
  await build({
    ...NODE_BUNDLE,
    entryPoints: [entry],
    outfile,
    minifyIdentifiers: true,
    plugins: [
      ...(entry === "src/cli/main.ts" ? [scripts] : []),
      inPlace(outfile, { isCommand: true }),
      apart(outfile),
      packages(outfile),
    ],
  });
}

for (const entry of SCRIPTS) {
  const outfile = scriptFile(entry);
  const { outputFiles } = await build({
    ...NODE_BUNDLE,
    format: "cjs",
    define: { "import.meta.url": "address" },
    banner: { js: "(function (module, address, importModule) {" },
    footer: { js: "})" },
    entryPoints: [entry],
    outfile,
    write: false,
    minifyIdentifiers: true,
    plugins: [inPlace(outfile, { isCommand: true }), apart(outfile), packages(outfile)],
  });
  writeFileSync(join(ROOT, outfile), importingThroughModule(outputFiles[0]!.text, entry));
}

rmSync(join(ROOT, SERVER), { recursive: true, force: true });
await build({
  ...NODE_BUNDLE,
  entryPoints: [...APART, STORE_WORKER],
  outdir: SERVER,
  entryNames: "[name]",
  chunkNames: "shared-[hash]",
  splitting: true,
  plugins: [inPlace(serverFile("serve.ts")), packages(serverFile("serve.ts"))],
});
