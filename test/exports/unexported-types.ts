import { posix } from "node:path";
import { type Node, type SourceFile, SyntaxKind } from "typescript/unstable/ast";
import { parseSources } from "../layers/parse-sources.ts";

type Loose = Node & {
  readonly moduleSpecifier?: Node & { readonly text: string };
  readonly exportClause?: Node & { readonly elements: readonly Loose[] };
  readonly importClause?: Node & { readonly namedBindings?: Node & { readonly elements?: readonly Loose[] } };
  readonly declarationList?: Node & { readonly declarations: readonly Loose[] };
  readonly propertyName?: Node & { readonly text: string };
  readonly name?: Node & { readonly text: string };
  readonly typeName?: Loose;
  readonly expression?: Loose;
  readonly left?: Loose;
  readonly text?: string;
};

interface Declared {
  readonly path: string;
  readonly node: Loose;
}

/**
 * The types that the signatures of an entry's exports name but the entry does not export, with what names them.
 * `sources` are declaration files (`.d.ts`); exporting the types of packages and of the platform is not this package's
 * job.
 */
export function unexportedTypes(sources: Readonly<Record<string, string>>, entry: string): string[] {
  const files = parseSources(sources);
  const exported = exportsOf(files, entry).flatMap(({ path, name }) => find(files, path, name));
  const known = new Set(exported.map(({ node }) => node));
  const missing = new Set<string>();
  for (const { path, node } of exported) {
    const visit = (part: Loose): void => {
      const named = namedBy(part);
      for (const found of named === undefined ? [] : find(files, path, named))
        if (!known.has(found.node)) missing.add(`${nameOf(node)} names ${named} of ${found.path}`);
      part.forEachChild((child) => visit(child as Loose));
    };
    visit(node);
  }
  return [...missing].sort();
}

/** The type name at this node: of `A.B`, A. */
function namedBy({ kind, typeName, expression }: Loose): string | undefined {
  if (kind === SyntaxKind.TypeReference) return (typeName!.left ?? typeName!).text;
  return kind === SyntaxKind.ExpressionWithTypeArguments ? expression?.text : undefined;
}

function nameOf({ name, declarationList }: Loose): string {
  return name?.text ?? declarationList?.declarations[0]?.name?.text ?? "?";
}

function exportsOf(files: ReadonlyMap<string, SourceFile>, path: string): { path: string; name: string }[] {
  return (files.get(path)!.statements as readonly Loose[]).flatMap((statement) => {
    const { kind, exportClause, moduleSpecifier } = statement;
    if (kind === SyntaxKind.ExportDeclaration && moduleSpecifier !== undefined) {
      const from = fileOf(path, moduleSpecifier.text);
      if (exportClause === undefined) return exportsOf(files, from);
      return exportClause.elements.map(({ propertyName, name }) => ({
        path: from,
        name: (propertyName ?? name)!.text,
      }));
    }
    return isExported(statement) ? [{ path, name: nameOf(statement) }] : [];
  });
}

function isExported({ modifiers }: Loose & { readonly modifiers?: readonly Node[] }): boolean {
  return modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword) ?? false;
}

/** The declarations of a name that a file uses: in the file itself, or where it is imported or re-exported from. */
function find(files: ReadonlyMap<string, SourceFile>, path: string, name: string): Declared[] {
  const statements = (files.get(path)?.statements ?? []) as readonly Loose[];
  const own = statements.filter((statement) => nameOf(statement) === name);
  if (own.length > 0) return own.map((node) => ({ path, node }));
  for (const { moduleSpecifier, importClause, exportClause } of statements) {
    const elements = importClause?.namedBindings?.elements ?? exportClause?.elements ?? [];
    const element = elements.find((each) => each.name?.text === name);
    if (element === undefined || moduleSpecifier?.text.startsWith(".") !== true) continue;
    return find(files, fileOf(path, moduleSpecifier.text), (element.propertyName ?? element.name)!.text);
  }
  return [];
}

function fileOf(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier).replace(/\.(?:js|ts)$/, ".d.ts");
}
