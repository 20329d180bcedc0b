/** A request to the service; the path is relative to the base URL. */
export interface ApiRequest {
  method: string;
  path: string;
  /** Whether the key is sent, which the command has as a variable: what is copied is often shown to others. */
  withKey: boolean;
  headers?: Record<string, string>;
  body?: string | undefined;
}

/** A request as a command for a POSIX shell, with the base URL in `$BASE_URL` and the key in `$API_KEY`. */
export function toCurl({ method, path, withKey, headers = {}, body }: ApiRequest): string {
  const streams = /text\/event-stream/.test(headers.accept ?? "");
  return [
    `curl ${streams ? "-N " : ""}${method === "GET" || (method === "POST" && body !== undefined) ? "" : `-X ${method} `}"$BASE_URL"${quote(path)}`,
    ...(withKey ? ['-H "X-API-Key: $API_KEY"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
  ].join(" \\\n  ");
}

/** A word for the shell; what is plain needs no quotation marks. */
function quote(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
