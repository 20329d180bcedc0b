/** A place in a JSON text: the keys and indices that lead there. */
type JsonPath = (string | number)[];

/** What a JSON text says that its parsed value does not. */
export interface JsonScan {
  /** Numbers that the parsed value does not have: with more digits than a double, or beyond its range. */
  inexactNumbers: JsonPath[];
  /** Keys that occur once more in their object, of which the parsed value has only the last; at most {@link MOST}. */
  repeatedKeys: JsonPath[];
}

/** Enough to correct a request. */
const MOST = 100;

/** Deeper than what is accepted of a free-form object. A path is cut there, so that the time is linear. */
const DEEPEST = 200;

/**
 * Whether a JSON text may have numbers that a double cannot hold. One of at most 15 digits without an exponent always
 * can (IEEE 754, binary64), so almost every text is done with one cheap look.
 */
export function mayHaveInexactNumbers(text: string): boolean {
  return /[\d.]{16}|\d[eE][+-]?\d/.test(text);
}

interface Container {
  /** The keys so far; undefined in an array. */
  keys: Set<string> | undefined;
  /** The key or index of the value that is being read. */
  at: string | number;
}

/**
 * Reads a JSON text once, without recursion, because a body has room for more levels than the call stack allows.
 *
 * @param text valid JSON
 */
export function scanJson(text: string): JsonScan {
  const scan: JsonScan = { inexactNumbers: [], repeatedKeys: [] };
  const containers: Container[] = [];
  const path = () => containers.slice(0, DEEPEST).map(({ at }) => at);
  for (let index = 0, isKey = false; index < text.length; index++) {
    const character = text.charAt(index);
    const inner = containers.at(-1);
    if (character === '"') {
      const end = endOfString(text, index);
      if (isKey && inner?.keys) {
        inner.at = unescaped(text.slice(index, end + 1));
        if (inner.keys.has(inner.at) && scan.repeatedKeys.length < MOST) {
          scan.repeatedKeys.push(path());
        }
        inner.keys.add(inner.at);
        isKey = false;
      }
      index = end;
    } else if (character === "{" || character === "[") {
      isKey = character === "{";
      containers.push(isKey ? { keys: new Set(), at: "" } : { keys: undefined, at: 0 });
    } else if (character === "}" || character === "]") {
      containers.pop();
    } else if (character === ",") {
      isKey = inner?.keys !== undefined;
      if (typeof inner?.at === "number" && !isKey) {
        inner.at++;
      }
    } else if (character === "-" || (character >= "0" && character <= "9")) {
      const end = endOfNumber(text, index);
      if (!isExact(text.slice(index, end))) {
        scan.inexactNumbers.push(path());
      }
      index = end - 1;
    }
  }
  return scan;
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (text[index] !== '"') {
    index += text[index] === "\\" ? 2 : 1;
  }
  return index;
}

function endOfNumber(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && /[\d.eE+-]/.test(text.charAt(index))) {
    index++;
  }
  return index;
}

function unescaped(string: string): string {
  return string.includes("\\") ? JSON.parse(string) : string.slice(1, -1);
}

/** Whether the nearest double, written in the shortest way that identifies it, is the same decimal number. */
function isExact(number: string): boolean {
  if (number.length < 16 && !/e/i.test(number)) {
    return true;
  }
  const value = Number(number);
  return Number.isFinite(value) && decimal(String(value)) === decimal(number);
}

/** A decimal number as its digits without zeros at the ends, and the power of ten of the last one. */
function decimal(number: string): string {
  const [mantissa = "", exponent = "0"] = number.replace(/^-/, "").toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = trimZeros(digits);
  return significant === ""
    ? "0"
    : `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** By hand, because the pattern `0+$` takes quadratic time. */
function trimZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") {
    end--;
  }
  return digits.slice(0, end);
}
