import { parseSync } from "@swc/core";

/** A small change to a source file, which some test should notice. */
export interface Mutant {
  /** Relative to the project. */
  file: string;
  line: number;
  /** The rule that made it, such as `remove statement`. */
  rule: string;
  /** Offsets in bytes of UTF-8, as the parser counts. */
  start: number;
  end: number;
  before: string;
  after: string;
}

export type Span = { start: number; end: number };
export type Node = { type: string; span: Span; [field: string]: unknown };
type Change = Pick<Mutant, "rule" | "start" | "end" | "after">;

/** Operators and their replacements. */
const OPERATORS: Record<string, string> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
};

/** Longer strings are prose, which tests need not repeat; they are not emptied. */
const LONGEST_STRING = 40;

/** Properties that only document a schema. */
const PROSE_KEYS = new Set(["description", "examples"]);

/** TypeScript nodes that wrap an expression. All other TypeScript nodes are types. */
const TYPED_EXPRESSIONS = new Set([
  "TsAsExpression",
  "TsConstAssertion",
  "TsNonNullExpression",
  "TsSatisfiesExpression",
]);

/**
 * Lists every mutant of a file.
 *
 * @param file the name it has in the result
 * @param source TypeScript
 * @returns in the order of their positions
 * @throws the parser's error
 */
export function mutantsOf(file: string, source: string): Mutant[] {
  // The parser counts bytes from the first token. An empty statement makes that the beginning of the file.
  const bytes = Buffer.from(source);
  const tree = parseSync(`;${source}`, { syntax: "typescript", target: "es2024" });
  const [first, ...statements] = tree.body as unknown as Node[];
  const base = first?.span.end ?? 0;
  const changes = statements.flatMap((statement) => changesIn(statement, bytes, base));
  return changes
    .map(({ rule, start, end, after }) => {
      const [from, to] = [start - base, end - base];
      const before = bytes.subarray(from, to).toString();
      const line = bytes.subarray(0, from).toString().split("\n").length;
      return { file, line, rule, start: from, end: to, before, after };
    })
    .filter(({ before, after }) => before !== after)
    .sort((a, b) => a.start - b.start || a.end - b.end);
}

/** @returns the file with the change made */
export function mutate(source: string, { start, end, after }: Mutant): string {
  const bytes = Buffer.from(source);
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(after), bytes.subarray(end)]).toString();
}

function changesIn(node: Node, bytes: Buffer, base: number): Change[] {
  if (node.type === "ImportDeclaration" || (node.type.startsWith("Ts") && !TYPED_EXPRESSIONS.has(node.type))) {
    return [];
  }
  if (isProse(node)) {
    return [];
  }
  const textAt = ({ start, end }: Span) => bytes.subarray(start - base, end - base).toString();
  return [...ownChanges(node, textAt), ...childrenOf(node).flatMap((child) => changesIn(child, bytes, base))];
}

/** The direct children, except keys, which are names. Containers without a type only hold nodes. */
export function childrenOf(node: object): Node[] {
  return Object.entries(node)
    .filter(([field]) => field !== "key" && field !== "span")
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter((value) => typeof value === "object" && value !== null)
    .flatMap((value) => (isNode(value) ? [value] : childrenOf(value)));
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

function ownChanges(node: Node, textAt: (span: Span) => string): Change[] {
  const replace = (rule: string, after: string): Change => ({ rule, ...spanOf(node), after });
  const text = (field: unknown) => textAt(spanOf(field as Node));
  switch (node.type) {
    case "BinaryExpression": {
      const operator = node.operator as string;
      const other = OPERATORS[operator];
      const gap = { start: spanOf(node.left as Node).end, end: spanOf(node.right as Node).start };
      const after = other === undefined ? textAt(gap) : textAt(gap).replace(operator, () => other);
      return [{ rule: "operator", ...gap, after }];
    }
    case "UnaryExpression":
      return node.operator === "!" ? [replace("remove negation", text(node.argument))] : [];
    case "BooleanLiteral":
      return [replace("boolean", String(!node.value))];
    case "NumericLiteral":
      return [replace("number", String(Number(node.value) + 1))];
    case "StringLiteral":
    case "TemplateLiteral":
      return stringChanges(text(node)).map((after) => replace("string", after));
    case "IfStatement":
    case "ConditionalExpression": {
      return ["true", "false"].map((after) => ({ rule: "condition", ...spanOf(node.test as Node), after }));
    }
    case "ThrowStatement":
      return [replace("remove statement", ";")];
    case "ExpressionStatement": {
      const { type, argument } = node.expression as Node;
      const changes = [replace("remove statement", ";")];
      return type === "AwaitExpression" ? [...changes, replace("remove await", `${text(argument)};`)] : changes;
    }
    case "CallExpression":
      return swapCall(text(node)).map((after) => replace("call", after));
    case "ObjectExpression": {
      const properties = node.properties as Node[];
      return properties.length === 1
        ? []
        : properties.flatMap((property, index) =>
            isProse(property) ? [] : [removal(property, properties[index + 1])],
          );
    }
    default:
      return [];
  }
}

function isProse({ type, key }: Node): boolean {
  return type === "KeyValueProperty" && PROSE_KEYS.has(String((key as Node).value));
}

/** Removes a property and the comma after it. */
function removal(property: Node, next: Node | undefined): Change {
  const { start, end } = spanOf(property);
  return { rule: "remove property", start, end: next ? spanOf(next).start : end, after: "" };
}

/** A node's span. The parser gives properties none; theirs is from the key, or the dots of a spread, to the value. */
export function spanOf(node: Node): Span {
  if (node.span) {
    return node.span;
  }
  const parts = [node.key, node.value, node.arguments].filter(isNode).map(spanOf);
  const spread = node.spread as Span | undefined;
  return {
    start: Math.min(...(spread ? [spread.start] : []), ...parts.map(({ start }) => start)),
    end: Math.max(...parts.map(({ end }) => end)),
  };
}

/** Removes a clause of a database expression, or empties a short string. */
function stringChanges(literal: string): string[] {
  const clauses = /^(["'`])(.*)\1$/s.exec(literal);
  const [, quote = '"', content = ""] = clauses ?? [];
  for (const separator of [" AND ", " OR "]) {
    const parts = content.split(separator);
    if (parts.length > 1 && !/[()]/.test(content.replaceAll(/\w+\([^()]*\)/g, ""))) {
      return parts.map((_, index) => `${quote}${parts.filter((_, other) => other !== index).join(separator)}${quote}`);
    }
  }
  const removal = / REMOVE .*$/.exec(content);
  if (removal) {
    return [`${quote}${content.slice(0, removal.index)}${quote}`];
  }
  return content === "" || content.length > LONGEST_STRING ? [] : [`${quote}${quote}`];
}

function swapCall(call: string): string[] {
  const [, name, rest] = /^(Math\.min|Math\.max|[\w.]+\.(?:some|every))\((.*)$/s.exec(call) ?? [];
  const other = name
    ?.replace(/min$|max$/, (end) => (end === "min" ? "max" : "min"))
    .replace(/some$|every$/, (end) => (end === "some" ? "every" : "some"));
  return other === undefined ? [] : [`${other}(${rest}`];
}
