import { type CautionTables, conditionId, drugsOf } from "./caution-tables.ts";
import { type Clause, clausesOf } from "./clauses.ts";
import { type Found, plainWords } from "./drug-names.ts";
import { drugsIn, isNotTaken, isTakenByRelative, type Mention, says, textAfter, textBefore } from "./mentions.ts";

/** What a record says that matters for drugs. */
export interface Recorded {
  /** Names in the texts about allergies. */
  allergies: Mention[];
  medications: Mention[];
  /** Ids of conditions. */
  conditions: Set<string>;
  /** In years. */
  age: number | undefined;
}

/** A status of an object, and a value of it, that say that the rest is not, or no longer, true. */
const STATUS = /status|reaction|active|current|severity|verification/i;
const NOT_CURRENT =
  /^(?:resolved|inactive|none|no|false|nil|refuted|entered.in.error|ruled out|outgrown|cured|past|never|stopped|discontinued|completed|on.hold)$/i;

/** An age that is the patient's own: at the beginning of a sentence, after "aged", or before a word for a person. */
const UNIT = "(yo|y o|(?:year|yr|month|week|day)s?(?: olds?)?)";
const PERSON = "(?:man|woman|male|female|boy|girl|patient|lady|gentleman|infant|baby|toddler)";
const AGES = [
  new RegExp(`^ (\\d{1,3}) ?${UNIT}(?<=o|olds?) `),
  new RegExp(`\\baged? (?:is )?(\\d{1,3}) ${UNIT}?`),
  new RegExp(`\\b(\\d{1,3}) ?${UNIT} (?:\\w+ )?${PERSON}\\b`),
];
const PARTS_OF_A_YEAR: Record<string, number> = { m: 12, w: 52, d: 365 };

/**
 * Reads a patient's record.
 *
 * @param record the patient's facts, as the model receives them
 */
export function readRecord(tables: CautionTables, record: Record<string, unknown>): Recorded {
  const allergies = textsOf(record.allergies).flatMap((text) => allergiesIn(tables, text));
  const medications = Array.isArray(record.medications) ? record.medications : [];
  const recorded: Recorded = {
    allergies,
    medications: medications.flatMap((medication) => medicationIn(tables, medication)),
    conditions: new Set(),
    age: typeof record.age === "number" ? record.age : undefined,
  };
  const indications = medications.map((medication) => medication?.condition);
  for (const text of textsOf([record.conditions, record.notes, record.category_note, indications])) {
    readText(tables, text, recorded);
  }
  return recorded;
}

/** Adds what a text of any kind says about conditions, allergies, medicines and the age. */
function readText(tables: CautionTables, text: string, recorded: Recorded): void {
  const clauses = clausesOf(text);
  let isDenied = false;
  for (const [index, clause] of clauses.entries()) {
    // "No asthma, ulcers or glaucoma" denies all three.
    isDenied &&= !clause.startsSentence && !says("own-statement", clause.text);
    const isResolved = says("resolved", `${clause.text}${onlyResolution(tables, clauses[index + 1])}`);
    for (const found of tables.finder.find(clause.words)) {
      const before = textBefore(clause, found);
      isDenied ||= says("denied", before);
      if (drugsOf(found.ids).length > 0) {
        const isNegated =
          isDenied ||
          isResolved ||
          isNotTaken(clause, found, clauses[index + 1]) ||
          isTakenByRelative(clause, found) ||
          says("family", clause.text);
        if (says("allergy", clause.text)) {
          recorded.allergies.push(...(isNegated ? [] : [{ ...found, isTopical: false }]));
        } else if (!isNegated && says("takes", clause.text)) {
          recorded.medications.push({ ...found, isTopical: says("topical", clause.text) });
        }
      } else if (!isDenied && !isResolved && !isOthers(clause, found) && !says("denied-in-word", before)) {
        if (!says("denied-behind", textAfter(clause, found))) {
          addConditions(tables, clause, clauses[index + 1], found, recorded);
        }
      }
    }
    for (const { condition, pattern, below } of tables.measures) {
      if ([...clause.text.matchAll(pattern)].some(([, value]) => Number(value) < below)) {
        recorded.conditions.add(conditionId(condition));
      }
    }
    recorded.age ??= ageIn(clause);
  }
}

function addConditions(
  tables: CautionTables,
  clause: Clause,
  next: Clause | undefined,
  { ids }: Found,
  { conditions }: Recorded,
): void {
  const { finder, facts } = tables;
  const goesOn = next !== undefined && !next.startsSentence && finder.find(next.words).length === 0;
  for (const id of ids) {
    const text = goesOn ? clause.text + next.text : clause.text;
    const { notWith, ended } = facts.get(id) ?? {};
    const isOver = ended?.by.test(text) && !ended.notWith.test(text);
    if (!notWith?.test(clause.text) && !isOver) {
      conditions.add(id);
    }
  }
}

/** Returns a clause if it only says that what was named before it is over: "asthma as a child, outgrown". */
function onlyResolution({ finder }: CautionTables, clause: Clause | undefined): string {
  return clause !== undefined && says("resolved", clause.text) && finder.find(clause.words).length === 0
    ? clause.text
    : "";
}

/** Whether an allergy, rather than a reaction to the drug, is over. */
function isOver(text: string): boolean {
  return says("resolved", says("reaction", text) ? text.replaceAll("resolved", "") : text);
}

function isOthers(clause: Clause, found: Found): boolean {
  return (
    says("family", clause.text) ||
    says("of-relative", textBefore(clause, found)) ||
    says("before-relative", textAfter(clause, found))
  );
}

function ageIn({ text, startsSentence }: Clause): number | undefined {
  const match = AGES.map((pattern, index) => (index > 0 || startsSentence ? pattern.exec(text) : null)).find(Boolean);
  return match ? Number(match[1]) / (PARTS_OF_A_YEAR[match[2]?.[0] ?? "y"] ?? 1) : undefined;
}

function allergiesIn(tables: CautionTables, text: string): Mention[] {
  const clauses = clausesOf(text);
  return clauses.flatMap((clause, index) => {
    const { text: words } = clause;
    const isDenied =
      (says("none", words) ||
        says("tolerated", words) ||
        says("denied-after", words) ||
        (says("negation", words) && says("negated", words))) &&
      !says("exception", words);
    if (isDenied || isOver(words) || isOver(onlyResolution(tables, clauses[index + 1]))) {
      return [];
    }
    return tables.finder.find(clause.words).map(({ name, ids }) => ({ name, ids, isTopical: false }));
  });
}

function medicationIn({ finder }: CautionTables, medication: unknown): Mention[] {
  const { name, dosage, frequency } = (medication ?? {}) as Record<string, unknown>;
  const [given, ...rest] = [name, dosage, frequency].map((field) => (typeof field === "string" ? field : ""));
  const isTopical = says("topical", plainWords([given, ...rest].join(" ")));
  const clauses = clausesOf(given ?? "");
  const use = plainWords(rest.join(" "));
  const isOld = says("ended", ` ${use} `) || /^(?:stopped|discontinued|on hold|past|never)\b/.test(use);
  if (isOld || isNotCurrent(Object(medication))) {
    return [];
  }
  return clauses.flatMap((clause, index) =>
    drugsIn(finder, clause)
      .filter(
        (found) =>
          !isNotTaken(clause, found, clauses[index + 1]) &&
          !/^ (?:stopped|discontinued)/.test(clauses[index + 1]?.text ?? ""),
      )
      .map(({ name, ids }) => ({ name, ids, isTopical })),
  );
}

/**
 * Collects the texts in a value of any shape; an object's own texts are one. Objects that state that they are not
 * current are left out. Iterative, because objects may be nested deeper than the stack allows.
 */
function textsOf(value: unknown): string[] {
  const texts: string[] = [];
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === "string") {
      texts.push(next);
    } else if (Array.isArray(next)) {
      pending.push(...next.toReversed());
    } else if (typeof next === "object" && next !== null && !isNotCurrent(next)) {
      const values = Object.values(next);
      texts.push(values.filter((child) => typeof child === "string").join("; "));
      pending.push(...values.filter((child) => typeof child !== "string").toReversed());
    }
  }
  return texts.filter((text) => text !== "");
}

function isNotCurrent(object: object): boolean {
  return Object.entries(object).some(([field, value]) => STATUS.test(field) && NOT_CURRENT.test(String(value)));
}
