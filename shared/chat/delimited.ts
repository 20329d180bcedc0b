/** Escapes `<`, so that no text in a record or message can close its delimiter or open another one. */
export function delimited(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
