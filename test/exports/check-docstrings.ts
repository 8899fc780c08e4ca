import { posix } from "node:path";
import { type Node, type SourceFile, SyntaxKind } from "typescript/unstable/ast";
import { parseSources } from "../layers/parse-sources.ts";

type Loose = Node & {
  readonly moduleSpecifier?: Node & { readonly text: string };
  readonly exportClause?: Node & { readonly elements: readonly Loose[] };
  readonly importClause?: Node & { readonly namedBindings?: Node & { readonly elements?: readonly Loose[] } };
  readonly declarationList?: Node & { readonly declarations: readonly Loose[] };
  readonly modifiers?: readonly Node[];
  readonly members?: readonly Loose[];
  readonly expression?: Loose;
  readonly propertyName?: Node & { readonly text: string };
  readonly name?: Node & { readonly text: string };
  readonly text?: string;
};

/**
 * What the exports of the entries lack, one line each: a JSDoc of at least one sentence at the declaration, and a word
 * on errors ("Throws", "Rejects") if a function or a method of a class throws, directly or through a function in its
 * own file.
 */
export function checkDocstrings(sources: Readonly<Record<string, string>>, ...entries: readonly string[]): string[] {
  const files = parseSources(sources);
  return entries.flatMap((entry) =>
    exportsOf(files, entry).flatMap(({ name, specifier }) => {
      const path = posix.join(posix.dirname(entry), specifier);
      const found = find(files, path, name);
      if (found === undefined) return [`${path}: ${name} is not declared there`];
      return checkDeclaration(found.file, found.declaration, name).map((line) => `${found.path}: ${line}`);
    }),
  );
}

interface Found {
  readonly path: string;
  readonly file: SourceFile;
  readonly declaration: Loose;
}

/**
 * Where a name that a file exports is declared: in the file itself, or in the file that it re-exports the name from.
 */
function find(files: ReadonlyMap<string, SourceFile>, path: string, name: string): Found | undefined {
  const file = files.get(path);
  const declaration = file && declarationOf(file, name);
  if (file === undefined || declaration !== undefined) return declaration && { path, file: file!, declaration };
  for (const { moduleSpecifier, importClause, exportClause } of file.statements as readonly Loose[]) {
    const names = importClause?.namedBindings?.elements ?? exportClause?.elements ?? [];
    if (moduleSpecifier === undefined || !names.some((element) => element.name?.text === name)) continue;
    return find(files, posix.join(posix.dirname(path), moduleSpecifier.text), name);
  }
  return undefined;
}

/** What a file outside the rooms re-exports, including through `export * from` another such file. */
function exportsOf(files: ReadonlyMap<string, SourceFile>, path: string): { name: string; specifier: string }[] {
  return files.get(path)!.statements.flatMap((statement) => {
    const { exportClause, moduleSpecifier } = statement as Loose;
    if (statement.kind !== SyntaxKind.ExportDeclaration || !moduleSpecifier) return [];
    const specifier = moduleSpecifier.text;
    if (!exportClause) return exportsOf(files, posix.join(posix.dirname(path), specifier));
    return exportClause.elements.map(({ propertyName, name }) => ({ name: (propertyName ?? name)!.text, specifier }));
  });
}

/** The exported statement that declares the name; of a function with overloads, the first. */
function declarationOf(file: SourceFile, name: string): Loose | undefined {
  return (file.statements as readonly Loose[]).find(
    (statement) =>
      statement.modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword) &&
      (statement.name?.text === name ||
        statement.declarationList?.declarations.some((declaration) => declaration.name?.text === name)),
  );
}

function checkDeclaration(file: SourceFile, declaration: Loose, name: string): string[] {
  const doc = docOf(file, declaration);
  if (!hasSentence(doc)) return [`${name} has no docstring of a sentence`];
  const throwing = throwingFunctions(file, declaration);
  const saysNothing = (node: Loose) => throws(node, throwing) && !/throws|rejects/i.test(docOf(file, node));
  if (declaration.kind === SyntaxKind.FunctionDeclaration) {
    return saysNothing(declaration) ? [`${name} throws, and its docstring does not say so`] : [];
  }
  if (declaration.kind !== SyntaxKind.ClassDeclaration) return [];
  return declaration
    .members!.filter((member) => isPublic(member) && saysNothing(member) && !/throws|rejects/i.test(doc))
    .map((member) => `${name}.${member.name?.text ?? "constructor"} throws, and its docstring does not say so`);
}

/** The last documentation comment before a declaration, without its delimiters. */
function docOf(file: SourceFile, node: Node): string {
  const before = file.text.slice(node.pos, node.getStart(file));
  const doc = /\/\*\*((?:(?!\*\/)[^])*)\*\/[^/]*$/.exec(before.trimEnd() + "\n")?.[1] ?? "";
  return doc.replaceAll(/^\s*\* ?/gm, "").trim();
}

/** Several words with a full stop: "the id." does not count. */
function hasSentence(doc: string): boolean {
  return /^[A-Z0-9`"].*\s\S+.*[.:;?!)`]/s.test(doc);
}

function isPublic({ name, modifiers }: Loose): boolean {
  const isPrivate = modifiers?.some(({ kind }) => kind === SyntaxKind.PrivateKeyword) ?? false;
  return !isPrivate && name?.kind !== SyntaxKind.PrivateIdentifier;
}

/** The functions of a file and private methods of a class that throw, directly or by calling another of them. */
function throwingFunctions(file: SourceFile, { members = [] }: Loose): Set<string> {
  const functions = [
    ...(file.statements as readonly Loose[]).filter(({ kind }) => kind === SyntaxKind.FunctionDeclaration),
    ...members.filter(({ name }) => name?.kind === SyntaxKind.PrivateIdentifier),
  ];
  const throwing = new Set<string>();
  for (let size = -1; size !== throwing.size;) {
    size = throwing.size;
    for (const node of functions) if (throws(node, throwing)) throwing.add(node.name!.text);
  }
  return throwing;
}

/** Whether the node contains a `throw`, or a call of one of the functions, outside a `try`. */
function throws(node: Loose, throwing: ReadonlySet<string>): boolean {
  if (node.kind === SyntaxKind.ThrowStatement) return true;
  const called = node.kind === SyntaxKind.CallExpression ? node.expression : undefined;
  if (throwing.has(called?.text ?? called?.name?.text ?? "")) return true;
  let found = false;
  node.forEachChild((child) => {
    if (child.kind !== SyntaxKind.TryStatement) found ||= throws(child as Loose, throwing);
  });
  return found;
}
