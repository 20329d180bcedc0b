/** `get-thread` → `GetThread`: a construct's id of an operation's name. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
