const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** When `npm start` serves this page, it also provides the key and a playground (`local/root-page.ts`). */
export async function fillInLocalKey(keyInput: HTMLInputElement | null): Promise<void> {
  if (!LOOPBACK.includes(location.hostname)) {
    return;
  }
  const response = await fetch("/local-service.json", { cache: "no-store" }).catch(() => undefined);
  if (!response?.ok || !keyInput) {
    return;
  }
  const { apiKey } = await response.json();
  keyInput.value ||= apiKey;
  const playground = document.querySelector<HTMLElement>("#playground");
  const link = playground?.querySelector("a");
  if (playground && link) {
    link.setAttribute("href", "/");
    playground.hidden = false;
  }
}
