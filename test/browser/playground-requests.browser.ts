import { expect, test } from "@jest/globals";
import { API_KEY } from "../helpers/service/service.ts";
import { converse, enter, setUpPlayground } from "./playground.ts";
import { expectShown, expectText } from "./visitor.ts";

setUpPlayground();

test("a conversation is shown as it goes over the wire, and copied as curl, without the key", async () => {
  const { page } = await enter({ permissions: ["clipboard-read", "clipboard-write"] });
  await converse(page, "hello");
  const entry = page.locator("#traffic > li", { has: page.locator("summary", { hasText: "POST /chat" }) });
  await expectText(entry.locator("summary"), /POST \/chat 200, \d+ ms$/);
  await entry.locator("summary").click();
  await expectShown(entry.getByText(/^POST \/chat\nx-api-key: \$API_KEY\n.*"message": "hello"/s));
  await expectShown(entry.getByText("event: done"));
  await entry.getByRole("button").click();
  await expectText(entry.getByRole("button"), /^Copied$/);
  const command = String(await page.evaluate("navigator.clipboard.readText()"));
  expect(command).toMatch(
    /^curl -N "\$BASE_URL"\/chat \\\n {2}-H "X-API-Key: \$API_KEY" .* -H 'idempotency-key: \w.* -d '.*"message":"hello".*'$/s,
  );
  expect(command + (await page.content())).not.toContain(API_KEY);
});

test("the requests can be closed and opened", async () => {
  const { page } = await enter();
  const wire = page.getByRole("complementary", { name: "Requests and responses" });
  await expectShown(wire);
  await wire.getByRole("button", { name: "Close" }).click();
  await wire.waitFor({ state: "hidden" });
  expect(await page.locator(":focus").getAttribute("id")).toBe("wire-toggle");
  await converse(page, "hello");
  await page.getByRole("button", { name: "Requests 3", expanded: false }).click();
  await expectShown(wire);
  await expectShown(wire.getByText("POST /chat", { exact: true }));
  await page.keyboard.press("Escape");
  await wire.waitFor({ state: "hidden" });
  expect(await page.locator(":focus").getAttribute("id")).toBe("wire-toggle");
});
