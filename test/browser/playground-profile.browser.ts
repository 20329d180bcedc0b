import { afterEach, expect, test } from "@jest/globals";
import {
  answers,
  CARDIAC,
  converse,
  dialog,
  enter,
  press,
  pressInMenu,
  service,
  setUpPlayground,
} from "./playground.ts";
import { expectText, failedLoad } from "./visitor.ts";

setUpPlayground();

afterEach(() => service.call("PUT", "/profile", { body: {} }));

test("the clinic's profile is read, changed and told, and counts for the next answer", async () => {
  await service.call("PUT", "/profile", { body: { name: "Riverside Surgery", consentRequired: "2026-03" } });
  const { page } = await enter();
  await pressInMenu(page, "thread", "The clinic's profile");
  const form = dialog(page, "The clinic's profile");
  await expectText(form, /Patients are told to call 911/);
  expect(await form.getByLabel("Name of the clinic").inputValue()).toBe("Riverside Surgery");
  await form.getByLabel(/^Country/).selectOption("GB");
  await form.getByLabel(/^Time zone/).fill("Europe/London");
  await form.getByLabel(/^Opening hours/).fill("mon tue wed thu fri sat sun 00:00-24:00");
  await press(page, "Save the profile");
  await expectText(form, /Patients are told to call 999, .* The clinic is open\./);
  const { profile } = (await service.call("GET", "/profile")).body;
  expect(profile).toMatchObject({ country: "GB", consentRequired: "2026-03", openingHours: [{ opens: "00:00" }] });
  await form.getByRole("button", { name: "Close" }).click();
  await converse(page, CARDIAC);
  await expectText(answers(page), /999/);
});

test("what the service refuses is said, and the field is marked", async () => {
  const { page } = await enter({ expectedErrors: [failedLoad(400, "Bad Request")] });
  await pressInMenu(page, "thread", "The clinic's profile");
  const form = dialog(page, "The clinic's profile");
  await expectText(form, /Patients are told/);
  await form.getByLabel(/^Opening hours/).fill("whenever we like");
  await press(page, "Save the profile");
  await expectText(form.getByRole("alert"), /time/i);
  expect(await form.getByLabel(/^Opening hours/).getAttribute("aria-invalid")).toBe("true");
});
