/** The usual start value of {@link fnv1a}. */
const FNV_OFFSET = 0x811c9dc5;

export const FNV_PRIME = 0x01000193;

/** FNV-1a (Fowler, Noll, Vo), 32 bits, of a part of a text. */
export function fnv1a(text: string, seed: number, start: number, end: number): number {
  let hash = seed;
  for (let index = start; index < end; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  }
  return hash;
}

/** The FNV-1a hash of a text. */
export function hashOf(text: string): number {
  return fnv1a(text, FNV_OFFSET, 0, text.length);
}

/** The finalizer of MurmurHash3 (Appleby), which makes the low bits depend on all others. */
export function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
