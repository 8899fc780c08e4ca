import ts from "typescript-5";

/** A small fault in a source file. */
export interface Mutant {
  readonly file: string;
  readonly line: number;
  /** Where the source is replaced, in characters. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** What is changed, without the line, which changes with every edit: the key of the list of equivalent mutants. */
  readonly key: string;
}

type Replacement = readonly [node: ts.Node, replacement: string];

const S = ts.SyntaxKind;

/** What each operator is replaced by: the nearest fault, which the fewest tests notice. */
const OPERATORS = new Map<ts.SyntaxKind, string>([
  [S.LessThanToken, "<="],
  [S.LessThanEqualsToken, "<"],
  [S.GreaterThanToken, ">="],
  [S.GreaterThanEqualsToken, ">"],
  [S.EqualsEqualsToken, "!="],
  [S.ExclamationEqualsToken, "=="],
  [S.EqualsEqualsEqualsToken, "!=="],
  [S.ExclamationEqualsEqualsToken, "==="],
  [S.PlusToken, "-"],
  [S.MinusToken, "+"],
  [S.AsteriskToken, "/"],
  [S.SlashToken, "*"],
  [S.PercentToken, "*"],
  [S.AmpersandToken, "|"],
  [S.BarToken, "&"],
  [S.CaretToken, "&"],
  [S.LessThanLessThanToken, ">>>"],
  [S.GreaterThanGreaterThanToken, "<<"],
  [S.GreaterThanGreaterThanGreaterThanToken, "<<"],
  [S.AmpersandAmpersandToken, "||"],
  [S.BarBarToken, "&&"],
  [S.QuestionQuestionToken, "&&"],
  [S.PlusEqualsToken, "-="],
  [S.MinusEqualsToken, "+="],
  [S.BarEqualsToken, "&="],
  [S.AmpersandEqualsToken, "|="],
  [S.QuestionQuestionEqualsToken, "="],
]);

const METHODS = new Map([
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
  ["startsWith", "endsWith"],
  ["endsWith", "startsWith"],
  ["allSettled", "race"],
]);

/** Methods that change order or drop items: the call is left out. */
const LEFT_OUT = new Set(["filter", "sort", "toSorted", "reverse", "toReversed", "trim", "toLowerCase", "flat"]);

/** All mutants of a source file, in its order. */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const seen = new Map<string, number>();
  const mutants: Mutant[] = [];
  const visit = (node: ts.Node, within: string) => {
    if (isLeftAlone(node)) return;
    const inside = nameOf(node) ?? within;
    for (const [changed, replacement] of replacementsOf(node)) mutants.push(mutantOf(changed, replacement, inside));
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  const mutantOf = (node: ts.Node, replacement: string, within: string): Mutant => {
    const [start, end] = [node.getStart(source), node.getEnd()];
    const [context, changed] = [shown(contextOf(node).getText(source)), shown(text.slice(start, end))];
    const what = `${within}: ${context === changed ? "" : `${context}: `}${changed} -> ${shown(replacement)}`;
    const times = (seen.get(what) ?? 0) + 1;
    seen.set(what, times);
    const key = times === 1 ? what : `${what} (${times})`;
    return { file, line: source.getLineAndCharacterOfPosition(start).line + 1, start, end, replacement, key };
  };
  visit(source, "");
  return mutants;
}

function shown(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 100 ? `${line.slice(0, 70)}...${line.slice(-20)}` : line;
}

/** What has no effect when it runs, and the words of errors, which few tests compare. */
function isLeftAlone(node: ts.Node): boolean {
  if (
    (ts.isIfStatement(node) && isPause(node)) ||
    /^\w+_AT_ONCE = /.test(ts.isVariableDeclaration(node) ? node.getText() : "")
  )
    return true;
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return true;
  if (ts.isExportDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isDecorator(node)) return true;
  if (ts.isModuleDeclaration(node)) return true; // types that are added to a package's
  const parent = node.parent as ts.Node | undefined;
  if (!ts.isStringLiteral(node)) return false;
  return (
    (parent !== undefined && ts.isPropertyAssignment(parent) && parent.name === node) ||
    ts.findAncestor(node, isError) !== undefined
  );
}

/** `if (++count % ITEMS_AT_ONCE === 0) yield;`: how often a loop pauses changes no result. */
function isPause({ expression, thenStatement, elseStatement }: ts.IfStatement): boolean {
  return (
    elseStatement === undefined &&
    /^(yield( undefined)?|await .*pause\(\));$/.test(thenStatement.getText()) &&
    expression.getText().includes(" % ")
  );
}

function isError(node: ts.Node): boolean {
  return ts.isThrowStatement(node) || (ts.isNewExpression(node) && /Error$/.test(node.expression.getText()));
}

function nameOf(node: ts.Node): string | undefined {
  if (ts.isConstructorDeclaration(node)) return "constructor";
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isAccessor(node))
    return node.name?.getText();
  return ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent) ? node.name.getText() : undefined;
}

/** The expression around a change, which tells two changes of the same function apart. */
function contextOf(node: ts.Node): ts.Node {
  return ts.isStatement(node) || ts.isStatement(node.parent) || ts.isSourceFile(node.parent) ? node : node.parent;
}

function replacementsOf(node: ts.Node): readonly Replacement[] {
  if (ts.isBinaryExpression(node)) return ofBinary(node);
  if (ts.isIfStatement(node)) return ofCondition(node.expression);
  if (ts.isConditionalExpression(node)) return ofCondition(node.condition);
  if (ts.isWhileStatement(node) || ts.isDoStatement(node)) return [[node.expression, "false"]];
  if (ts.isForStatement(node)) return node.condition === undefined ? [] : [[node.condition, "false"]];
  if (ts.isForOfStatement(node)) return [[node.expression, "[]"]];
  if (ts.isExpressionStatement(node)) return isEffect(node.expression) ? [[node, ";"]] : [];
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) return ofUnary(node);
  if (ts.isNumericLiteral(node) || ts.isBigIntLiteral(node)) return ofNumber(node);
  if (ts.isStringLiteral(node)) return node.text === "" ? [] : [[node, '""']];
  if (node.kind === S.TrueKeyword) return [[node, "false"]];
  if (node.kind === S.FalseKeyword) return [[node, "true"]];
  if (ts.isCallExpression(node)) return ofCall(node);
  if (ts.isPropertyAccessExpression(node) && node.questionDotToken !== undefined) return [[node.questionDotToken, "."]];
  return [];
}

function ofBinary(node: ts.BinaryExpression): readonly Replacement[] {
  const operator = OPERATORS.get(node.operatorToken.kind);
  if (operator === undefined) return [];
  const [left, right] = [node.left.getText(), node.right.getText()];
  // What is logical is put in parentheses: `a ?? b && c` is a syntax error.
  return [/^(\|\||&&)$/.test(operator) ? [node, `(${left} ${operator} ${right})`] : [node.operatorToken, operator]];
}

/** Always and never; what is no comparison also the other way round. */
function ofCondition(condition: ts.Expression): readonly Replacement[] {
  const isNegated = ts.isBinaryExpression(condition) || ts.isPrefixUnaryExpression(condition);
  const constant: readonly Replacement[] = [
    [condition, "true"],
    [condition, "false"],
  ];
  return isNegated ? constant : [...constant, [condition, `!(${condition.getText()})`]];
}

function isEffect(expression: ts.Expression): boolean {
  if (ts.isAwaitExpression(expression) || ts.isDeleteExpression(expression)) return true;
  if (ts.isBinaryExpression(expression)) return expression.operatorToken.kind === S.EqualsToken;
  return ts.isCallExpression(expression) && expression.expression.kind !== S.SuperKeyword;
}

function ofUnary(node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression): readonly Replacement[] {
  const operand = node.operand.getText();
  if (node.operator === S.PlusPlusToken || node.operator === S.MinusMinusToken) {
    const other = node.operator === S.PlusPlusToken ? "--" : "++";
    return [[node, ts.isPrefixUnaryExpression(node) ? `${other}${operand}` : `${operand}${other}`]];
  }
  return node.operator === S.PlusToken || ts.isNumericLiteral(node.operand) ? [] : [[node, operand]];
}

function ofNumber(node: ts.NumericLiteral | ts.BigIntLiteral): readonly Replacement[] {
  const suffix = ts.isBigIntLiteral(node) ? "n" : "";
  const text = node.getText().replaceAll("_", "").replace(/n$/, "");
  if (suffix === "" && !Number.isSafeInteger(Number(text))) return [];
  // Nearly always an address family.
  if (text === "4" || text === "6") return [[node, text === "4" ? "6" : "4"]];
  const value = suffix === "" ? BigInt(Number(text)) : BigInt(text);
  const less: readonly Replacement[] = value === 0n ? [] : [[node, `${value - 1n}${suffix}`]];
  return [[node, `${value + 1n}${suffix}`], ...less];
}

function ofCall({ expression }: ts.CallExpression): readonly Replacement[] {
  if (!ts.isPropertyAccessExpression(expression)) return [];
  const other = METHODS.get(expression.name.text);
  if (other !== undefined) return [[expression.name, other]];
  return LEFT_OUT.has(expression.name.text) ? [[expression.parent, expression.expression.getText()]] : [];
}
