/** In place of Node's `performance`, of which only `now` is used: reading that global takes 1.3 ms of a cold start. */
export const performance = { now: () => Number(process.hrtime.bigint()) / 1e6 };

/** Data of an upload, in place of Node's `FormData`, which loads `fetch` too. A request's body is never one. */
export class FormData {}

/**
 * The headers of a request to the model, or of its response, in place of Node's `Headers`: reading that global loads Node's
 * `fetch`, which takes tens of milliseconds of a cold start. The model's client passes names in lower case.
 */
export class Headers {
  readonly #values = new Map<string, string>();

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), String(value).trim());
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, value);
    if (before !== null) {
      this.#values.set(name.toLowerCase(), `${before}, ${this.get(name)}`);
    }
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries();
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.#values.entries();
  }
}
