import { parseSync } from "@swc/core";
import { childrenOf, type Node, type Span, spanOf } from "./mutants.ts";

/** A piece of a file that is executed as a whole, such as the body of a function. In bytes. */
export interface Region extends Span {
  /** Its probe. */
  id: number;
}

/**
 * Inserts probes, which append a line to a file when their region is executed for the first time in a process:
 * `<process id> <probe>`. They work in Jest and in bundled functions alike.
 *
 * @param source TypeScript
 * @param log the file to which probes append
 * @param firstId the first probe's number
 * @returns the regions, the first of which is the whole file, and the source with probes
 */
export function insertProbes(source: string, log: string, firstId: number): { regions: Region[]; source: string } {
  const bytes = Buffer.from(source);
  const tree = parseSync(`;${source}`, { syntax: "typescript", target: "es2024" });
  const [first, ...statements] = tree.body as unknown as Node[];
  const base = first?.span.end ?? 0;
  const regions: Region[] = [{ id: firstId, start: 0, end: bytes.length }];
  const insertions: { at: number; text: string }[] = [];
  const addRegion = (node: Node): Region => {
    const { start, end } = spanOf(node);
    const region = { id: firstId + regions.length, start: start - base, end: end - base };
    regions.push(region);
    return region;
  };
  const visit = (node: Node) => {
    const body = node.body as Node | undefined;
    if (isBlock(node)) {
      const { id, start } = addRegion(node);
      insertions.push({ at: start + 1, text: ` __reached(${id});` });
    } else if (node.type === "ArrowFunctionExpression" && body && !isBlock(body)) {
      const { id, start, end } = addRegion(body);
      insertions.push({ at: start, text: `(__reached(${id}), ` }, { at: end, text: ")" });
    }
    childrenOf(node).forEach(visit);
  };
  statements.forEach(visit);
  let probed = `${helper(log)} __reached(${firstId});\n`;
  let done = 0;
  for (const { at, text } of insertions.sort((a, b) => a.at - b.at)) {
    probed += bytes.subarray(done, at).toString() + text;
    done = at;
  }
  return { regions, source: probed + bytes.subarray(done).toString() };
}

function isBlock({ type }: Node): boolean {
  return type === "BlockStatement" || type === "FunctionBody";
}

/** @returns the probe of the smallest region around a place */
export function probeAt(regions: Region[], { start, end }: Span): number {
  const around = regions.filter((region) => region.start <= start && region.end >= end);
  return around.reduce((best, one) => (one.end - one.start < best.end - best.start ? one : best)).id;
}

/** A function declaration is hoisted, so it can be called while modules that import each other are still loading. */
function helper(log: string): string {
  return `function __reached(probe) {
  const reached = (globalThis.__reachedProbes ??= new Set());
  if (!reached.has(probe)) {
    reached.add(probe);
    process.getBuiltinModule("fs").appendFileSync(${JSON.stringify(log)}, process.pid + " " + probe + "\\n");
  }
}`.replaceAll(/\n\s*/g, " ");
}
