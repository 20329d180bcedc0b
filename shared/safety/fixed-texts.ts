import { config } from "../config.ts";
import type { SafetyAlert } from "./alert.ts";
import type { Caution } from "./cautions.ts";
import { readDataFile } from "./data-file.ts";

/** The form of `data/fixed-texts.json`, and of a deployment's own (context value `safetyTexts`). */
interface FixedTexts {
  emergency: { opening: string; meanwhile: Record<string, string> };
  crisis: { opening: Record<string, string>; offer: string };
  disclosure: string;
  cut: string;
  caution: { allergy: string; interaction: string };
}

const texts: FixedTexts = JSON.parse(readDataFile("fixed-texts.json").toString());

/** What a reply to an alert begins with: whom to call now, and what to do while waiting; or the crisis line and an offer to go on. */
export function openingText({ level, category }: SafetyAlert): string {
  const parts =
    level === "emergency"
      ? [texts.emergency.opening, texts.emergency.meanwhile[category], texts.disclosure]
      : [texts.crisis.opening[category], texts.crisis.offer];
  return fill(parts.join("\n\n"), config.helpLines);
}

/** What stands below an answer to an alert that the model did not end. */
export function cutText(): string {
  return texts.cut;
}

/** What stands below an answer that names a drug which may not go with the patient's record. */
export function cautionText({ kind, ...values }: Caution): string {
  return fill(texts.caution[kind], values);
}

function fill(text: string, values: object): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name as keyof typeof values] ?? whole));
}
