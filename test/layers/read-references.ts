import { type Node, type SourceFile, SyntaxKind } from "typescript/unstable/ast";
import { parseSources } from "./parse-sources.ts";

export type ReferenceKind =
  | "import"
  | "dynamic import"
  | "import type"
  | "re-export"
  | "require"
  | "url"
  | "reference comment";

/** A reference to another module or file in a source file. `specifier` is null if it is computed. */
export interface Reference {
  readonly kind: ReferenceKind;
  readonly specifier: string | null;
  readonly line: number;
}

export interface SourceReferences {
  readonly references: readonly Reference[];
  /** Global names in the file that give access to the outside world, with their lines. */
  readonly worldGlobals: readonly { name: string; line: number }[];
  /** True for a file that contains only re-exports. */
  readonly isBarrel: boolean;
}

const WORLD_GLOBALS = new Set([
  "process",
  "console",
  "fetch",
  "require",
  "Buffer",
  "WebAssembly",
  "Worker",
  "WebSocket",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
  "performance",
]);

/**
 * Parses TypeScript sources (path → text) with the compiler's own parser and collects the references in each. A regular
 * expression would miss imports over several lines, and find those in comments and templates.
 */
export function readReferences(sources: Readonly<Record<string, string>>): Map<string, SourceReferences> {
  return new Map([...parseSources(sources)].map(([path, file]) => [path, collect(file)]));
}

function collect(file: SourceFile): SourceReferences {
  const references: Reference[] = [];
  const worldGlobals: { name: string; line: number }[] = [];
  const lineOf = (position: number) => file.text.slice(0, position).split("\n").length;
  const visit = (node: Node): void => {
    const reference = referenceOf(node);
    if (reference !== undefined) references.push({ ...reference, line: lineOf(node.getStart(file)) });
    if (isWorldGlobal(node)) worldGlobals.push({ name: node.getText(file), line: lineOf(node.getStart(file)) });
    node.forEachChild(visit);
  };
  visit(file);
  for (const comment of [...file.referencedFiles, ...file.typeReferenceDirectives]) {
    references.push({ kind: "reference comment", specifier: comment.fileName, line: lineOf(comment.pos) });
  }
  const isBarrel =
    file.statements.length > 0 && file.statements.every((statement) => referenceOf(statement)?.kind === "re-export");
  return { references, worldGlobals, isBarrel };
}

// The parser's types do not distinguish node classes by `kind`, so the members that are read here are declared once.
type Loose = Node & {
  readonly moduleSpecifier?: Node;
  readonly expression?: Node;
  readonly arguments?: readonly Node[];
  readonly argument?: Node & { readonly literal?: Node };
  readonly moduleReference?: Node & { readonly expression?: Node };
  readonly name?: Node;
  readonly text?: string;
  readonly head?: { readonly text: string };
};

function referenceOf(node: Node): Omit<Reference, "line"> | undefined {
  const loose = node as Loose;
  switch (node.kind) {
    case SyntaxKind.ImportDeclaration:
      return { kind: "import", specifier: textOf(loose.moduleSpecifier) };
    case SyntaxKind.ExportDeclaration:
      return loose.moduleSpecifier && { kind: "re-export", specifier: textOf(loose.moduleSpecifier) };
    case SyntaxKind.ImportType:
      return { kind: "import type", specifier: textOf(loose.argument?.literal) };
    case SyntaxKind.ImportEqualsDeclaration:
      return loose.moduleReference?.kind === SyntaxKind.ExternalModuleReference
        ? { kind: "require", specifier: textOf(loose.moduleReference.expression) }
        : undefined;
    case SyntaxKind.CallExpression:
      return callReference(loose);
    case SyntaxKind.NewExpression:
      return urlReference(loose);
    default:
      return undefined;
  }
}

function callReference(call: Loose): Omit<Reference, "line"> | undefined {
  const callee = call.expression as Loose | undefined;
  const specifier = textOf(call.arguments?.[0]);
  if (callee?.kind === SyntaxKind.ImportKeyword) return { kind: "dynamic import", specifier };
  if (callee?.kind === SyntaxKind.Identifier && callee.text === "require") return { kind: "require", specifier };
  const member = callee?.kind === SyntaxKind.PropertyAccessExpression ? (callee.name as Loose).text : undefined;
  if (member === "getBuiltinModule") return { kind: "require", specifier };
  if (member === "resolve" && callee?.expression?.kind === SyntaxKind.MetaProperty) return { kind: "url", specifier };
  return undefined;
}

/** `new URL(specifier, import.meta.url)`: how a worker file or a data file is referenced. */
function urlReference(creation: Loose): Omit<Reference, "line"> | undefined {
  if ((creation.expression as Loose | undefined)?.text !== "URL") return undefined;
  const base = creation.arguments?.[1] as Loose | undefined;
  if (base?.kind !== SyntaxKind.PropertyAccessExpression || base.expression?.kind !== SyntaxKind.MetaProperty)
    return undefined;
  return { kind: "url", specifier: textOf(creation.arguments?.[0]) };
}

/**
 * The text of a specifier. For a template with holes, as in `./worker${extension}`, the text before the first hole if
 * it names a file.
 */
function textOf(node: Node | undefined): string | null {
  if (node?.kind === SyntaxKind.TemplateExpression) {
    const head = (node as Loose).head?.text ?? "";
    return /\/[\w-]+$/.test(head) ? head : null;
  }
  const isText = node?.kind === SyntaxKind.StringLiteral || node?.kind === SyntaxKind.NoSubstitutionTemplateLiteral;
  return isText ? ((node as Loose).text ?? null) : null;
}

/** An identifier that denotes the global: not the `process` of `shard.process`, nor that of `{ process: 1 }`. */
function isWorldGlobal(node: Node): boolean {
  const name = (node as Loose).text;
  if (node.kind !== SyntaxKind.Identifier || name === undefined || !WORLD_GLOBALS.has(name)) return false;
  const parent = node.parent as Loose;
  const isMember = parent.name === node && parent.kind !== SyntaxKind.ShorthandPropertyAssignment;
  return !isMember || bare(parent.expression)?.text === "globalThis";
}

/** The expression without parentheses and without "as". */
function bare(expression: Node | undefined): Loose | undefined {
  let node = expression as Loose | undefined;
  while (node?.kind === SyntaxKind.ParenthesizedExpression || node?.kind === SyntaxKind.AsExpression)
    node = node.expression as Loose | undefined;
  return node;
}
