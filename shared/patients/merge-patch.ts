/** A JSON object. */
type Json = Record<string, unknown>;

/**
 * Applies a JSON merge patch (RFC 7396): a null member is removed, an object is merged into the existing one, and
 * anything else, including lists, replaces the existing value.
 *
 * @returns a new object; the target is unchanged
 */
export function mergePatch(target: unknown, patch: Json): Json {
  // Entries, not assignments: a free-form object may have a member named `__proto__`.
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) {
      merged.delete(name);
    } else {
      merged.set(name, isObject(value) ? mergePatch(merged.get(name), value) : value);
    }
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
