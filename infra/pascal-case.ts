/** Converts an operation's name to a construct ID: `get-thread` → `GetThread`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
