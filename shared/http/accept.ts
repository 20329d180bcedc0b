import { MIMEType } from "node:util";

const JSON_TYPE = "application/json";
const EVENT_STREAM = "text/event-stream";

/**
 * Whether a caller prefers server-sent events to JSON (RFC 9110, section 12.5.1). The higher quality wins, then the
 * type that is named more exactly, then JSON, whatever the order. A header that accepts neither does not count, because
 * the service has nothing else to offer.
 *
 * @param accept the header's value; malformed media ranges in it are ignored
 */
export function prefersEventStream(accept: string | undefined): boolean {
  if (accept === undefined) {
    return false;
  }
  const qualities = new Map(accept.split(",").flatMap(parseRange));
  const json = preference(qualities, JSON_TYPE);
  const stream = preference(qualities, EVENT_STREAM);
  return stream.quality > json.quality || (stream.quality === json.quality && stream.exactness > json.exactness);
}

/** @returns the media range with its quality; nothing if it is malformed */
function parseRange(text: string): [range: string, quality: number][] {
  try {
    const { essence, params } = new MIMEType(text.trim());
    const quality = Number(params.get("q") ?? 1);
    return quality >= 0 && quality <= 1 ? [[essence, quality]] : [];
  } catch {
    return [];
  }
}

/** The quality of a type is that of the most exact range that it belongs to. */
function preference(qualities: Map<string, number>, type: string): { quality: number; exactness: number } {
  const ranges = ["*/*", type.replace(/\/.*/, "/*"), type];
  const exactness = ranges.findLastIndex((range) => qualities.has(range));
  const quality = qualities.get(ranges[exactness] ?? "") ?? 0;
  return { quality, exactness: quality && exactness };
}
