import { parseSync } from "@swc/core";

/** A small change to a source file, which some test should notice. */
export interface Mutant {
  /** Relative to the project. */
  file: string;
  line: number;
  /** Offsets in bytes of UTF-8, as the parser counts. */
  start: number;
  end: number;
  before: string;
  after: string;
}

type Span = { start: number; end: number };

interface Node {
  type: string;
  span: Span;
  [field: string]: unknown;
}

type Change = Pick<Mutant, "start" | "end" | "after">;

/** Operators and methods, and what replaces each. */
const OTHERS = new Map([
  ["===", "!=="],
  ["!==", "==="],
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["&&", "||"],
  ["||", "&&"],
  ["??", "&&"],
  ["+", "-"],
  ["-", "+"],
  ["*", "/"],
  ["/", "*"],
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
]);

/** Types that wrap an expression. Everything else whose type begins with "Ts" is a type. */
const TYPED_EXPRESSIONS = /^Ts(As|Const|NonNull|Satisfies)/;

/** Longer strings are prose, which tests need not repeat. */
const LONGEST_STRING = 40;

/**
 * Lists the mutants of a file: another operator, condition, number or short text, a removed statement or negation,
 * `some` for `every`, `min` for `max`.
 *
 * @param file the name it has in the result, relative to the project
 * @param source TypeScript
 * @throws the parser's error
 */
export function mutantsOf(file: string, source: string): Mutant[] {
  // The parser counts bytes from the first token of all files so far. An empty statement makes that the file's beginning.
  const bytes = Buffer.from(source);
  const [first, ...statements] = parseSync(`;${source}`, { syntax: "typescript", target: "es2024" })
    .body as unknown as Node[];
  const base = first?.span.end ?? 0;
  const textOf = ({ start, end }: Span) => bytes.subarray(start - base, end - base).toString();
  return statements
    .flatMap((statement) => changesIn(statement, textOf))
    .map(({ start, end, after }) => {
      const [from, to] = [start - base, end - base];
      const before = bytes.subarray(from, to).toString();
      const line = bytes.subarray(0, from).toString().split("\n").length;
      return { file, line, start: from, end: to, before, after };
    })
    .filter(({ before, after }) => before !== after);
}

/** @returns the source with the change made */
export function mutate(source: string, { start, end, after }: Mutant): string {
  const bytes = Buffer.from(source);
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(after), bytes.subarray(end)]).toString();
}

function changesIn(node: Node, textOf: (span: Span) => string): Change[] {
  if (node.type === "ImportDeclaration" || (node.type.startsWith("Ts") && !TYPED_EXPRESSIONS.test(node.type))) {
    return [];
  }
  return [...ownChanges(node, textOf), ...childrenOf(node).flatMap((child) => changesIn(child, textOf))];
}

function ownChanges(node: Node, textOf: (span: Span) => string): Change[] {
  const insteadOf = ({ span }: Node, after: string): Change => ({ ...span, after });
  switch (node.type) {
    case "BinaryExpression": {
      const operator = String(node.operator);
      const gap = { start: (node.left as Node).span.end, end: (node.right as Node).span.start };
      return [{ ...gap, after: textOf(gap).replace(operator, () => OTHERS.get(operator) ?? operator) }];
    }
    case "UnaryExpression":
      return node.operator === "!" ? [insteadOf(node, textOf((node.argument as Node).span))] : [];
    case "BooleanLiteral":
      return [insteadOf(node, String(!node.value))];
    case "NumericLiteral":
      return [insteadOf(node, String(Number(node.value) + 1))];
    case "StringLiteral":
      return textOf(node.span).length > LONGEST_STRING ? [] : [insteadOf(node, '""')];
    case "IfStatement":
    case "ConditionalExpression":
      return ["true", "false"].map((after) => insteadOf(node.test as Node, after));
    case "ExpressionStatement":
    case "ThrowStatement":
      return [insteadOf(node, ";")];
    case "CallExpression": {
      const { property } = node.callee as { property?: Node };
      const other = /^(some|every|min|max)$/.test(String(property?.value)) && OTHERS.get(String(property?.value));
      return property && other ? [insteadOf(property, other)] : [];
    }
    default:
      return [];
  }
}

/** The direct children, except keys, which are names. Containers without a type only hold nodes. */
function childrenOf(node: object): Node[] {
  return Object.entries(node)
    .filter(([field]) => field !== "key" && field !== "span")
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter((value) => typeof value === "object" && value !== null)
    .flatMap((value) => ("type" in value && "span" in value ? [value as Node] : childrenOf(value)));
}
