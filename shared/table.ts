/**
 * Returns a table that is looked up by any text, such as one of a caller: unlike a plain object, it has only its own
 * rows, and no "constructor" or "toString".
 */
export function table<Row>(rows: Record<string, Row>): Record<string, Row> {
  return Object.assign(Object.create(null), rows);
}
