import type { Properties } from "./template.ts";

/** The value of a metric or an expression in a period; undefined if it has none. */
type Value = number | undefined;

/** A metric's value in each period. */
type Series = readonly Value[];

/**
 * Evaluates an alarm's metric math for periods of hand-written values, with what its expressions use of the syntax
 * ("Using math expressions with CloudWatch metrics"): an operation with a missing value has none; `SUM` and `MAX` of an
 * array leave missing values out; `FILL` replaces them.
 *
 * @param alarm the properties of an `AWS::CloudWatch::Alarm`
 * @param series the values of each metric by its id
 * @returns the value that the threshold is compared with, in each period
 */
export function evaluate({ Metrics }: Properties, series: Record<string, Series>): Value[] {
  const expressions = new Map<string, string>(
    Metrics.flatMap(({ Id, Expression }: Properties) => (Expression ? [[Id, Expression]] : [])),
  );
  const ids = Metrics.flatMap(({ Id, MetricStat }: Properties) => (MetricStat ? [Id] : []));
  if (ids.toSorted().join() !== Object.keys(series).sort().join()) {
    throw new Error(`the alarm's metrics are ${ids}`);
  }
  const result = Metrics.find(({ ReturnData = true }: Properties) => ReturnData).Id;
  const periods = Object.values(series)[0]?.length ?? 0;
  return Array.from({ length: periods }, (_, period) => {
    const read = (id: string): Value => {
      const expression = expressions.get(id);
      return expression === undefined ? series[id]?.[period] : new Expression(expression, read).value();
    };
    return read(result);
  });
}

/** Whether an alarm is on in each period: `DatapointsToAlarm` of the last `EvaluationPeriods` breach its threshold. */
export function isOn(alarm: Properties, series: Record<string, Series>): boolean[] {
  const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, Threshold, TreatMissingData } = alarm;
  const breaches = evaluate(alarm, series).map((value) =>
    value === undefined ? TreatMissingData === "breaching" : value >= Threshold,
  );
  return breaches.map((_, index) => {
    const last = breaches.slice(Math.max(0, index + 1 - EvaluationPeriods), index + 1);
    return last.filter(Boolean).length >= DatapointsToAlarm;
  });
}

const OPERATORS: Record<string, (left: number, right: number) => number> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "<": (left, right) => Number(left < right),
  ">": (left, right) => Number(left > right),
  "<=": (left, right) => Number(left <= right),
  ">=": (left, right) => Number(left >= right),
  AND: (left, right) => Number(left !== 0 && right !== 0),
  OR: (left, right) => Number(left !== 0 || right !== 0),
};

/** From what binds least to what binds most. */
const PRECEDENCE = [["OR"], ["AND"], ["<", ">", "<=", ">="], ["+", "-"], ["*", "/"]];

/** One expression, read from left to right. */
class Expression {
  private readonly tokens: string[];
  private readonly read: (id: string) => Value;

  constructor(text: string, read: (id: string) => Value) {
    this.tokens = text.match(/\d+(\.\d+)?|\w+|[<>]=|\S/g) ?? [];
    this.read = read;
  }

  value(): Value {
    const value = this.operation(0);
    if (this.tokens.length > 0) {
      throw new Error(`not understood: ${this.tokens.join(" ")}`);
    }
    return value;
  }

  private operation(level: number): Value {
    const operators = PRECEDENCE[level];
    if (!operators) {
      return this.operand();
    }
    let left = this.operation(level + 1);
    while (operators.includes(this.tokens[0] ?? "")) {
      const operator = OPERATORS[this.tokens.shift() ?? ""];
      const right = this.operation(level + 1);
      left = left === undefined || right === undefined ? undefined : operator?.(left, right);
    }
    return left;
  }

  private operand(): Value {
    const token = this.tokens.shift() ?? "";
    if (/^\d/.test(token)) {
      return Number(token);
    }
    if (token === "(") {
      const value = this.operation(0);
      this.expect(")");
      return value;
    }
    return this.tokens[0] === "(" ? this.call(token) : this.read(token);
  }

  private call(name: string): Value {
    this.expect("(");
    const isArray = this.tokens[0] === "[";
    const [first, ...others] = this.list(isArray ? "[" : "", isArray ? "]" : "");
    if (isArray) {
      this.expect(")");
    }
    const present = [first, ...others].filter((value) => value !== undefined);
    switch (name) {
      case "IF":
        return first === undefined ? undefined : others[first === 0 ? 1 : 0];
      case "FILL":
        return first ?? others[0];
      case "SUM":
        return present.length > 0 ? present.reduce((sum, value) => sum + value, 0) : undefined;
      case "MAX":
        return present.length > 0 ? Math.max(...present) : undefined;
      default:
        throw new Error(`unknown function ${name}`);
    }
  }

  /** What is between two brackets, or until the closing parenthesis. */
  private list(open: string, close: string): Value[] {
    if (open) {
      this.expect(open);
    }
    const values = [this.operation(0)];
    while (this.tokens[0] === ",") {
      this.tokens.shift();
      values.push(this.operation(0));
    }
    this.expect(close || ")");
    return values;
  }

  private expect(token: string): void {
    const found = this.tokens.shift();
    if (found !== token) {
      throw new Error(`expected ${token}, found ${found}`);
    }
  }
}
