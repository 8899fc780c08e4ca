/**
 * `npm run docs`: the API reference, from the docstrings of the built package, and the guides, as one site with a
 * search, in site/. Build the package first: `npm run build`. Fails on a link without a target and on an export without
 * documentation.
 */
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { registerHooks } from "node:module";
import { dirname, join, relative } from "node:path";
import type { Context, DeclarationReflection, PageEvent as Page } from "typedoc";
import { SyntaxKind, type TypeAliasDeclaration } from "typescript-5";

// TypeDoc uses the compiler's API, which TypeScript 7 does not have.
registerHooks({
  resolve: (specifier, context, next) => next(specifier === "typescript" ? "typescript-5" : specifier, context),
});
const { Application, Comment, CommentTag, Converter, Logger, LogLevel, PageEvent, ReflectionKind } =
  await import("typedoc");

const ROOT = join(import.meta.dirname, "..");
const SITE = join(ROOT, "site");

/** In the order of the README. */
const GUIDES = [
  "command",
  "library",
  "engines",
  "scale",
  "service",
  "lists",
  "deciding",
  "choosing-lists",
  "operating",
];

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
/** The name under which a program imports an entry, by the entry's declaration file. */
const ENTRIES = new Map(
  Object.entries<{ readonly types?: string }>(manifest.exports).flatMap(([name, { types }]) =>
    types === undefined ? [] : [[join(ROOT, types), join(manifest.name, name)] as const],
  ),
);

/** Types of which signatures say enough. */
const INTERNAL = ["Call", "Exchanges", "SearchTables"];
/** Aliases that say less than what they compute, such as `(typeof CODES)[number]`. */
const COMPUTED: ReadonlySet<unknown> = new Set([
  SyntaxKind.IndexedAccessType,
  SyntaxKind.TypeOperator,
  SyntaxKind.TypeReference,
  SyntaxKind.UnionType,
]);

/** The comment in src/index.ts or src/core.ts under which a name is exported, as a heading. */
function headings(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const entry of ["src/index.ts", "src/core.ts"]) {
    let heading = "";
    const parts = readFileSync(join(ROOT, entry), "utf8").matchAll(/^\/\/ ([^:\n]*)|^export (?:type )?\{([^}]*)\}/gm);
    for (const [, title, names] of parts)
      if (names === undefined) heading = title!.charAt(0).toUpperCase() + title!.slice(1);
      else for (const [name] of names.matchAll(/\w+(?=,|\s*$)/g)) found.set(name, heading);
  }
  return found;
}

/** Links of the pages in a folder to a page, picture or heading that is not there. */
export function brokenLinks(folder: string): readonly string[] {
  const pages = new Map(
    globSync("**/*.html", { cwd: folder }).map((page) => [page, readFileSync(join(folder, page), "utf8")]),
  );
  return [...pages].flatMap(([page, html]) =>
    Array.from(html.matchAll(/<(?:a|img|link|script)\b[^>]*? (?:href|src)="([^"]*)"/g), ([, link]) => link!)
      .filter((link) => {
        if (/^(?:[a-z]+:|#$)/.test(link)) return false;
        const [path = "", heading] = link.replaceAll("&amp;", "&").split("#", 2);
        const target = path === "" ? page : join(dirname(page), decodeURIComponent(path));
        if (heading === undefined || !target.endsWith(".html")) return !existsSync(join(folder, target));
        return !pages.get(target)?.includes(` id="${decodeURIComponent(heading)}"`);
      })
      .map((link) => `${page}: ${link}`),
  );
}

/** Links to what only the repository has, such as its folders, and pictures, by their words alone. */
function withoutOutside(html: string): string {
  return html
    .replaceAll(/<a href="(?![a-z]+:|#)(?![^"]*\.html(?:["#]))[^"]*"[^>]*>(.*?)<\/a>/g, "$1")
    .replaceAll(/<img [^>]*?alt="([^"]*)"[^>]*>/g, "<em>$1</em>");
}

/** Whether TypeDoc misses what guides link to and only the repository has, such as a folder of examples. */
function isOutside(message: string): boolean {
  return message.includes("is not a file and will not be copied");
}

/** Writes the site; returns what is wrong with it, one line each. */
export async function buildDocs(site: string): Promise<readonly string[]> {
  rmSync(site, { recursive: true, force: true });
  const app = await Application.bootstrap({
    name: manifest.name,
    entryPoints: [...ENTRIES.keys()],
    tsconfig: join(ROOT, "build/docs.tsconfig.json"),
    basePath: ROOT,
    projectDocuments: GUIDES.map((name) => join(ROOT, `docs/${name}.md`)),
    readme: join(ROOT, "README.md"),
    disableSources: true,
    disableGit: true,
    excludePrivate: true,
    excludeInternal: true,
    includeVersion: true,
    includeHierarchySummary: false,
    hideGenerator: true,
    githubPages: false,
    searchInDocuments: true,
    searchInComments: true,
    sort: ["source-order"],
    sortEntryPoints: false,
    categoryOrder: ["*", "Types that signatures above name"],
    navigation: { includeFolders: false, includeCategories: true },
    // docstrings.test.ts asks for more than TypeDoc would.
    validation: { notDocumented: false, invalidLink: true, notExported: true },
    intentionallyNotExported: INTERNAL,
  });
  const problems: string[] = [];
  app.logger = new (class extends Logger {
    override log(message: string, level: number): void {
      if (level >= LogLevel.Warn && !isOutside(message)) problems.push(message);
    }
  })();
  const byName = headings();
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context: Context, alias: DeclarationReflection) => {
    if (!alias.kindOf(ReflectionKind.TypeAlias)) return;
    const declared = context.getSymbolFromReflection(alias)?.declarations?.[0] as TypeAliasDeclaration | undefined;
    if (!COMPUTED.has(declared?.type.kind)) return;
    alias.comment ??= new Comment();
    alias.comment.modifierTags.add("@useDeclaredType");
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
    for (const guide of project.documents ?? [])
      guide.name = guide.content.map(({ text }) => /^# (.*)/m.exec(text)?.[1]).find(Boolean) ?? guide.name;
    for (const entry of project.children ?? []) {
      entry.name = ENTRIES.get(project.getSymbolIdFromReflection(entry)?.fileName ?? "") ?? entry.name;
      for (const each of entry.children ?? []) {
        const text = byName.get(each.name);
        if (text !== undefined) {
          (each.comment ??= new Comment()).blockTags.push(new CommentTag("@category", [{ kind: "text", text }]));
        }
      }
    }
  });
  app.renderer.on(PageEvent.END, (page: Page) => {
    page.contents = withoutOutside(page.contents ?? "");
  });
  const project = await app.convert();
  if (project === undefined) throw new Error("the declarations in dist/ cannot be read: run npm run build");
  app.validate(project);
  await app.generateDocs(project, site);
  rmSync(join(site, "media"), { recursive: true, force: true });
  return [...problems, ...brokenLinks(site)];
}

if (import.meta.main) {
  const problems = await buildDocs(SITE);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${relative(process.cwd(), join(SITE, "index.html"))} is written.`);
}
