export type Level = "emergency" | "crisis";

/** The paragraphs of the fixed texts by the level of the alert they answer, with their placeholders. */
export type AlertTexts = Record<Level, string[]>;

/** What of `shared/safety/data/fixed-texts.json`, or of a deployment's own, stands above an answer. */
interface FixedTexts {
  emergency: { opening: string; meanwhile: Record<string, string> };
  crisis: { opening: Record<string, string>; offer: string };
  disclosure: string;
}

/** A part of an answer: of a fixed text, or the model's own words. */
export interface AnswerPart {
  level?: Level;
  text: string;
}

const BETWEEN = "\n\n";

/** The paragraphs that tell an alert's fixed text; the API marks none in its answers. */
export function alertTexts({ emergency, crisis, disclosure }: FixedTexts): AlertTexts {
  const paragraphs = (texts: string[]) => texts.flatMap((text) => text.split(BETWEEN));
  return {
    emergency: paragraphs([emergency.opening, ...Object.values(emergency.meanwhile), disclosure]),
    crisis: paragraphs([...Object.values(crisis.opening), crisis.offer]),
  };
}

/** Divides an answer, or as much of it as has come, into fixed texts and the rest, in their order. */
export function answerParts(answer: string, texts: AlertTexts): AnswerPart[] {
  const parts: AnswerPart[] = [];
  for (const paragraph of answer.split(BETWEEN)) {
    const level = levelOf(paragraph, texts);
    const last = parts.at(-1);
    if (last && last.level === level) {
      last.text += BETWEEN + paragraph;
    } else {
      parts.push({ ...(level && { level }), text: paragraph });
    }
  }
  return parts;
}

function levelOf(paragraph: string, texts: AlertTexts): Level | undefined {
  return (["emergency", "crisis"] as const).find((level) =>
    texts[level].some((template) => patternOf(template).test(paragraph)),
  );
}

/** A template as a pattern; a placeholder stands for a telephone number or the like. */
function patternOf(template: string): RegExp {
  const literal = template.split(/\{\w+\}/).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literal.join(".+")}$`, "s");
}
