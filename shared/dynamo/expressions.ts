/** The placeholders of one command: names, some of which are reserved words, and values. */
class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, unknown> = {};
  private readonly byName = new Map<string, string>();

  name(attribute: string): string {
    const placeholder = this.byName.get(attribute) ?? `#${this.byName.size}`;
    this.byName.set(attribute, placeholder);
    this.names[placeholder] = attribute;
    return placeholder;
  }

  value(value: unknown): string {
    const placeholder = `:${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    return placeholder;
  }
}

/** A condition on an item's attributes, for a write, the keys of a query, or a filter. */
export type Condition = (placeholders: Placeholders) => string;

function comparison(operator: string) {
  return (attribute: string, value: unknown): Condition =>
    (placeholders) =>
      `${placeholders.name(attribute)} ${operator} ${placeholders.value(value)}`;
}

export const equals = comparison("=");
export const differs = comparison("<>");
export const isBelow = comparison("<");
export const isAtMost = comparison("<=");
export const isAbove = comparison(">");

export function isBetween(attribute: string, from: unknown, to: unknown): Condition {
  return (placeholders) => {
    const [first, last] = [from, to].map((value) => placeholders.value(value));
    return `${placeholders.name(attribute)} BETWEEN ${first} AND ${last}`;
  };
}

/** @param values at most 100 ("Comparison operator and function reference") */
export function isOneOf(attribute: string, values: readonly unknown[]): Condition {
  return (placeholders) =>
    `${placeholders.name(attribute)} IN (${values.map((value) => placeholders.value(value)).join(", ")})`;
}

export function beginsWith(attribute: string, prefix: string): Condition {
  return (placeholders) => `begins_with(${placeholders.name(attribute)}, ${placeholders.value(prefix)})`;
}

export function exists(attribute: string): Condition {
  return (placeholders) => `attribute_exists(${placeholders.name(attribute)})`;
}

export function isMissing(attribute: string): Condition {
  return (placeholders) => `attribute_not_exists(${placeholders.name(attribute)})`;
}

/** The attribute still has the value that was read, or is still missing. */
export function isAsRead(attribute: string, read: unknown): Condition {
  return read === undefined ? isMissing(attribute) : equals(attribute, read);
}

/** @param conditions those that are undefined are left out */
export function allOf(...conditions: (Condition | undefined)[]): Condition {
  return joined(conditions, " AND ");
}

export function anyOf(...conditions: Condition[]): Condition {
  return joined(conditions, " OR ");
}

function joined(conditions: (Condition | undefined)[], operator: string): Condition {
  const [only, ...others] = conditions.filter((condition) => condition !== undefined);
  if (only && others.length === 0) {
    return only; // DynamoDB rejects redundant parentheses
  }
  return (placeholders) =>
    conditions.flatMap((condition) => (condition ? `(${condition(placeholders)})` : [])).join(operator);
}

/** The item with the key exists. */
export const isPresent = exists("pk");

/** There is no item with the key. */
export const isAbsent = isMissing("pk");

/** A change of an item's attributes. */
export interface Change {
  /** What is undefined is left out. */
  set?: Record<string, unknown>;
  /** Only where the attribute is missing. */
  setOnce?: Record<string, unknown>;
  /** The attributes whose values they get, as stored before the change. */
  copy?: Record<string, string>;
  /** Amounts; a missing attribute counts as 0. */
  add?: Record<string, number>;
  remove?: readonly string[];
}

function update(
  placeholders: Placeholders,
  { set = {}, setOnce = {}, copy = {}, add = {}, remove = [] }: Change,
): string {
  const assigned = Object.entries(set).filter(([, value]) => value !== undefined);
  const once = (name: string, value: unknown) =>
    `if_not_exists(${placeholders.name(name)}, ${placeholders.value(value)})`;
  const clauses = {
    SET: [
      ...assigned.map(([name, value]) => `${placeholders.name(name)} = ${placeholders.value(value)}`),
      ...Object.entries(setOnce).map(([name, value]) => `${placeholders.name(name)} = ${once(name, value)}`),
      ...Object.entries(copy).map(([name, from]) => `${placeholders.name(name)} = ${placeholders.name(from)}`),
    ],
    ADD: Object.entries(add).map(([name, amount]) => `${placeholders.name(name)} ${placeholders.value(amount)}`),
    REMOVE: remove.map((name) => placeholders.name(name)),
  };
  return Object.entries(clauses)
    .filter(([, parts]) => parts.length > 0)
    .map(([clause, parts]) => `${clause} ${parts.join(", ")}`)
    .join(" ");
}

/**
 * Builds the expressions of one command ("Using expressions in DynamoDB"), with the placeholders they share.
 *
 * @param command `change`, of an update; `condition`, on which anything is written; `keys`, which a query selects, and
 *   `filter`, which it applies to them; `attributes`, which are read
 */
export function expressions(command: {
  change?: Change;
  condition?: Condition | undefined;
  keys?: Condition;
  filter?: Condition;
  attributes?: readonly string[];
}) {
  const placeholders = new Placeholders();
  const built = {
    UpdateExpression: command.change && update(placeholders, command.change),
    ConditionExpression: command.condition?.(placeholders),
    KeyConditionExpression: command.keys?.(placeholders),
    FilterExpression: command.filter?.(placeholders),
    ProjectionExpression: command.attributes?.map((attribute) => placeholders.name(attribute)).join(", "),
  };
  return {
    ...built,
    ExpressionAttributeNames: filled(placeholders.names),
    ExpressionAttributeValues: filled(placeholders.values),
  };
}

/** DynamoDB rejects empty maps. */
function filled<T extends object>(map: T): T | undefined {
  return Object.keys(map).length > 0 ? map : undefined;
}
