const BEYOND_ASCII = /[\u0080-\uffff]/;

/** Whether a text can be read without Unicode properties. Most messages can. */
export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text);
}

/**
 * Compiles a regular expression with Unicode properties (`\p`) on first use. In a literal, V8 would look up their
 * characters while it parses the file, which takes up to a millisecond.
 *
 * @param source of the expression
 * @param flags besides `u`
 */
export function unicode(source: string, flags = ""): () => RegExp {
  let compiled: RegExp | undefined;
  return () => {
    compiled ??= new RegExp(source, `${flags}u`);
    return compiled;
  };
}
