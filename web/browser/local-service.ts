const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** What `npm start` tells the pages of its own machine (`local/root-page.ts`). */
export interface LocalService {
  apiKey: string;
  /** Whether the answers come from the offline model. */
  offlineModel: boolean;
}

/**
 * When `npm start` serves the page, fills in the key unless one has been typed, and dispatches `change`.
 *
 * @returns undefined for a page that is served by anything else
 */
export async function fillInLocalKey(field: HTMLInputElement): Promise<LocalService | undefined> {
  if (!LOOPBACK.includes(location.hostname)) {
    return undefined;
  }
  const response = await fetch("/local-service.json", { cache: "no-store" }).catch(() => undefined);
  if (!response?.ok) {
    return undefined;
  }
  const service: LocalService = await response.json();
  if (field.value === "") {
    field.value = service.apiKey;
    field.dispatchEvent(new Event("change"));
  }
  return service;
}
