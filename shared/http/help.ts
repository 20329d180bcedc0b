import { config } from "../config.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { HelpLines } from "../help-lines.ts";

/** The header of an error that says whom the user may call, for apps that know nothing else of the service. */
export const HELP_LINES = "x-help-lines";

/** The number of a line, without the name behind it: "988 (Suicide & Crisis Lifeline)". */
const numberOf = (line: string) => line.replace(/\s*\(.*$/, "");

/**
 * Returns the value of {@link HELP_LINES}: a dictionary (RFC 9651) of the numbers that the country has, such as
 * `emergency="911", crisis="988"`.
 */
export function helpLinesValue({ emergencyNumber, crisisLine, poisonControl, abuseLine }: HelpLines): string {
  const lines = { emergency: emergencyNumber, crisis: crisisLine, poison: poisonControl, abuse: abuseLine };
  return Object.entries(lines)
    .filter(([, line]) => line !== "")
    .map(([name, line]) => `${name}="${numberOf(line).replaceAll(/[^ -~]|["\\]/g, "")}"`)
    .join(", ");
}

/**
 * The header of an error of an endpoint that answers users; none if the numbers cannot be read.
 *
 * @param lines those of the caller's clinic; undefined for the deployment's
 */
export function helpHeader({ model }: Endpoint, lines: HelpLines | undefined): Record<string, string> {
  try {
    return model ? { [HELP_LINES]: helpLinesValue(lines ?? config.helpLines) } : {};
  } catch {
    return {}; // an error is answered in any case
  }
}
