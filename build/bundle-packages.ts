/**
 * `node build/bundle-packages.ts`: copies the packages that `dist/` imports into `dist/packages/`, one module each and
 * chunks of what they share, makes `dist/` import those, and writes their licenses next to them. So the package has no
 * dependencies: users who embed the library do not install the server's.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import { licensesOf } from "./licenses-of.ts";
import { NODE_BUNDLE } from "./node-bundle.ts";
import { BUNDLED_FORMS, isInstalled, PACKAGES_FOLDER, packageModule } from "./package-module.ts";

const ROOT = join(import.meta.dirname, "..");

/** `import a, { b as c } from "package"`, as tsc writes it. */
const STATIC = /^import ([^;]*?) from "([^".][^":]*)";$/gm;
/** `const { a } = await import("package")` */
const DYNAMIC = /const \{([^}]*)\} = await import\("([^".][^":]*)"\)/g;
/** Any module that is neither a file nor one of node:. */
const ANY = /(\bfrom |\bimport\(|^import )"([^".][^":]*)"/gm;

/** What is imported from each package, by its specifier. */
const wanted = new Map<string, Set<string>>();
const importing = globSync("dist/**/*.js", {
  cwd: ROOT,
  exclude: ["dist/dashboard/**", "dist/api-console/**", `${PACKAGES_FOLDER}/**`],
}).filter((path) => readFileSync(join(ROOT, path), "utf8").search(ANY) >= 0);

for (const path of importing) collect(path, readFileSync(join(ROOT, path), "utf8"));

function collect(path: string, code: string): void {
  let named = 0;
  for (const { 1: clause, 2: specifier } of code.matchAll(STATIC)) {
    named++;
    const [, first, names] = /^([\w$]+)?,? ?(?:\{([^}]*)\})?$/.exec(clause!) ?? fail(path, clause!);
    if (first !== undefined) want(specifier!, "default");
    for (const name of namesIn(names ?? "", " as ")) want(specifier!, name);
  }
  for (const { 1: names, 2: specifier } of code.matchAll(DYNAMIC)) {
    named++;
    for (const name of namesIn(names!, ":")) want(specifier!, name);
  }
  if (named !== [...code.matchAll(ANY)].length) fail(path, "an import of a package");
}

function namesIn(list: string, renaming: string): string[] {
  return list.split(",").flatMap((each) => each.trim().split(renaming)[0]!.trim() || []);
}

function want(specifier: string, name: string): void {
  if (isInstalled(specifier)) return;
  wanted.set(specifier, (wanted.get(specifier) ?? new Set()).add(name));
}

function fail(path: string, what: string): never {
  throw new Error(`${path}: ${what}: name what is imported of a package, so that it can be bundled`);
}

/** A module per package that exports what is imported from it: for CommonJS, a bundle would only export `default`. */
const modules: Plugin = {
  name: "modules of packages",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^package:/ }, ({ path }) => ({ path: path.slice("package:".length), namespace: "package" }));
    onLoad({ filter: /.*/, namespace: "package" }, ({ path }) => ({
      contents: `export { ${[...wanted.get(path)!].sort().join(", ")} } from ${JSON.stringify(BUNDLED_FORMS[path] ?? path)};`,
      resolveDir: ROOT,
    }));
  },
};

/** piscina starts its workers from a file next to its own, which is renamed here. */
const PISCINA_WORKER = "piscina-worker.js";
const piscinaWorker: Plugin = {
  name: "worker of piscina",
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]piscina[/\\]dist[/\\]index\.js$/ }, ({ path }) => {
      const code = readFileSync(path, "utf8");
      const place = "(0, node_path_1.resolve)(__dirname, 'worker.js')";
      if (!code.includes(place)) throw new Error(`${path}: no longer names its worker by ${place}`);
      return { contents: code.replace(place, `new URL("./${PISCINA_WORKER}", $here)`), loader: "js" };
    });
  },
};

/** Packages that also run in browsers: they share nothing with those that need Node. */
const WEB = ["jsonc-parser"];

/** What CommonJS modules use to load modules of node:, and the location of the bundle. */
const REQUIRE = `import{createRequire as $createRequire}from"node:module";const $here=import.meta.url,require=$createRequire($here);`;

async function bundle(specifiers: readonly string[], banner: string): Promise<Metafile> {
  const { metafile } = await build({
    ...NODE_BUNDLE,
    entryPoints: specifiers.map((specifier) => ({
      in: `package:${specifier}`,
      out: packageModule(specifier).replace(/\.js$/, ""),
    })),
    outdir: PACKAGES_FOLDER,
    chunkNames: "shared-[hash]",
    splitting: true,
    legalComments: "none", // they are in the licenses file
    metafile: true,
    external: ["pg-native"], // optional: pg uses it if it is installed
    banner: { js: banner },
    plugins: [modules, piscinaWorker],
  });
  return metafile;
}

/** Bundles the code of piscina's workers into a file of its own. */
async function bundlePiscinaWorker(): Promise<void> {
  await build({
    ...NODE_BUNDLE,
    entryPoints: ["node_modules/piscina/dist/worker.js"],
    outfile: join(PACKAGES_FOLDER, PISCINA_WORKER),
    legalComments: "none",
    external: ["@napi-rs/nice"], // never loaded: it would change priorities
    banner: { js: REQUIRE },
  });
}

rmSync(join(ROOT, PACKAGES_FOLDER), { recursive: true, force: true });
const files = [
  await bundle(WEB, ""),
  await bundle(
    [...wanted.keys()].filter((specifier) => !WEB.includes(specifier)),
    REQUIRE,
  ),
];
await bundlePiscinaWorker();
const inputs = files.flatMap((file) => Object.keys(file.inputs));
/** Packages whose types occur in the types of this package: they are copied, too. */
const TYPES: Readonly<Record<string, string>> = {
  "openapi-fetch": "node_modules/openapi-fetch/dist/index.d.mts",
  "openapi-typescript-helpers": "node_modules/openapi-typescript-helpers/dist/index.d.mts",
};
for (const [specifier, types] of Object.entries(TYPES))
  copyTypes(join(ROOT, types), join(PACKAGES_FOLDER, packageModule(specifier).replace(/\.js$/, ".d.ts")));
copyTypes(join(ROOT, "dist/client/exchange.d.ts"), "dist/client/exchange.d.ts");
writeFileSync(join(ROOT, PACKAGES_FOLDER, "LICENSES.txt"), licensesOf(ROOT, [...inputs, ...Object.values(TYPES)]));

/** Copies a file of types; imports from packages whose types are copied are redirected to the copies. */
function copyTypes(from: string, to: string): void {
  const text = readFileSync(from, "utf8").replaceAll(/(\bfrom ?)["']([^"'.][^"']*)["']/g, (all, before, specifier) =>
    specifier in TYPES ? `${before}${JSON.stringify(pathTo(specifier, dirname(to)))}` : all,
  );
  writeFileSync(join(ROOT, to), text.replaceAll(/^\/\/# sourceMappingURL=.*$/gm, ""));
}

/** The module of a package, as a module in `folder` imports it. */
function pathTo(specifier: string, folder: string): string {
  const path = relative(folder, join(PACKAGES_FOLDER, packageModule(specifier)));
  return path.startsWith(".") ? path : `./${path}`;
}

for (const path of importing) {
  const code = readFileSync(join(ROOT, path), "utf8").replaceAll(ANY, (all, before: string, specifier: string) => {
    if (isInstalled(specifier)) return all;
    return `${before}${JSON.stringify(pathTo(specifier, dirname(path)))}`;
  });
  writeFileSync(join(ROOT, path), code);
}
const outputs = files.flatMap((file) => Object.values(file.outputs));
const bytes = outputs.reduce((sum, output) => sum + output.bytes, 0);
console.log(`${PACKAGES_FOLDER}: ${wanted.size} packages, ${(bytes / 1e6).toFixed(1)} MB`);
