import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Webhook } from "../../shared/events/webhook.ts";
import { TENANT } from "../helpers/caller.ts";
import { setUpStorage } from "../helpers/database/storage.ts";

const storage = setUpStorage();
const FIVE_DAYS_AGO = new Date(Date.now() - 5 * 24 * 3_600_000 - 1).toISOString();
const NOW = new Date().toISOString();
const WEBHOOK: Webhook = { id: "wh_1", url: "https://example.com", events: [], secret: "whsec_", createdAt: NOW };

const repository = () => import("../../shared/events/webhook-repository.ts");
const state = async () => (await repository()).readWebhook(TENANT, WEBHOOK.id);

beforeEach(async () => {
  await storage.clear();
});

describe("a webhook that has failed for days", () => {
  beforeEach(async () => {
    await (await repository()).insertWebhook(TENANT, { ...WEBHOOK, failingSince: FIVE_DAYS_AGO });
  });

  test("is not disabled by a failure if it has accepted another message meanwhile", async () => {
    const { disableAsFailing, noteFailure, noteSuccess } = await repository();
    await noteSuccess(TENANT, WEBHOOK.id);
    expect(await disableAsFailing(TENANT, WEBHOOK.id, "status", FIVE_DAYS_AGO)).toBe(false);
    await noteFailure(TENANT, WEBHOOK.id, "status", NOW);
    expect(await state()).toEqual({ ...WEBHOOK, failingSince: NOW, lastFailure: "status" });
  });

  test("stays disabled after a 410, although another message is accepted afterwards", async () => {
    const { enable, noteFailure, noteSuccess } = await repository();
    await noteFailure(TENANT, WEBHOOK.id, "gone", NOW);
    await noteSuccess(TENANT, WEBHOOK.id);
    expect(await state()).toMatchObject({ disabled: "gone" });
    await enable(TENANT, WEBHOOK.id);
    expect(await state()).toEqual(WEBHOOK);
  });
});
