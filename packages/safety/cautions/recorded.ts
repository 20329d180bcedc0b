import { type CautionTables, conditionId, substancesOf } from "./caution-tables.ts";
import { type Clause, clausesOf } from "./clauses.ts";
import { type FoundName, plainWords } from "./drug-names.ts";
import { distinct, drugsIn, isNotTaken, isOthers, type Mention, says, textAfter, textBefore } from "./mentions.ts";

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
const PARTS_OF_A_YEAR = new Map([
  ["m", 12],
  ["w", 52],
  ["d", 365],
]);

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
  // What is repeated says nothing more.
  for (const text of new Set(textsOf([record.conditions, record.notes, record.category_note, indications]))) {
    readClauses(tables, clausesOf(text), recorded);
  }
  return { ...recorded, allergies: distinct(recorded.allergies), medications: distinct(recorded.medications) };
}

/** Decides which statements of a text count, beyond what is denied, over, or somebody else's. */
export interface Reader {
  allergy(clause: Clause, found: FoundName): boolean;
  medication(clause: Clause, found: FoundName): boolean;
  condition(clause: Clause, found: FoundName): boolean;
}

/** In a record, everything is about the patient. */
const RECORD: Reader = {
  allergy: () => true,
  medication: (clause) => says("takes", clause.text),
  condition: () => true,
};

/** Adds what the clauses of a text of any kind say about conditions, allergies, medicines and the age. */
export function readClauses(tables: CautionTables, clauses: Clause[], recorded: Recorded, reader = RECORD): void {
  for (const clause of clauses.filter(({ text }) => /\d/.test(text))) {
    readNumbers(tables, clause, recorded);
  }
  if (clauses.some(({ words }) => tables.finder.find(words).length > 0)) {
    readNames(tables, clauses, recorded, reader);
  }
}

function readNumbers({ measures }: CautionTables, clause: Clause, recorded: Recorded): void {
  for (const { condition, pattern, below } of measures) {
    if ([...clause.text.matchAll(pattern)].some(([, value]) => Number(value) < below)) {
      recorded.conditions.add(conditionId(condition));
    }
  }
  recorded.age ??= ageIn(clause);
}

function readNames(tables: CautionTables, clauses: Clause[], recorded: Recorded, reader: Reader): void {
  let isDenied = false;
  let isElse = false;
  for (const [index, clause] of clauses.entries()) {
    // "No asthma, ulcers or glaucoma" denies all three, and "mother: asthma, glaucoma" speaks of her alone.
    const goesOn = !clause.startsSentence && !says("own-statement", clause.text);
    isDenied &&= goesOn;
    isElse = (isElse && goesOn) || says("alone", clause.text) || says("family", clause.text);
    const isResolved = says("resolved", `${clause.text}${onlyResolution(tables, clauses[index + 1])}`);
    let endsElse = false;
    for (const found of tables.finder.find(clause.words)) {
      const before = textBefore(clause, found);
      isDenied ||= says("denied", before);
      const isOut = isDenied || isResolved || isElse || isOthers(clause, found);
      if (substancesOf(found.ids).length > 0) {
        addSubstance(clause, clauses[index + 1], found, { isOut, reader }, recorded);
      } else if (!isOut && !says("denied-in-word", before) && reader.condition(clause, found)) {
        if (!says("denied-behind", textAfter(clause, found))) {
          addConditions(tables, clause, clauses[index + 1], found, recorded);
        }
      }
      endsElse = says("others-before", before);
    }
    isElse ||= endsElse;
  }
}

function addSubstance(
  clause: Clause,
  next: Clause | undefined,
  found: FoundName,
  { isOut, reader }: { isOut: boolean; reader: Reader },
  { allergies, medications }: Recorded,
): void {
  const { name, ids } = found;
  if (says("allergy", clause.text)) {
    // "Stopped penicillin after an allergic reaction" is an allergy.
    if (!isOut && reader.allergy(clause, found)) {
      allergies.push({ name, ids, isTopical: false });
    }
  } else if (!isOut && !isNotTaken(clause, found, next) && reader.medication(clause, found)) {
    medications.push({ name, ids, isTopical: says("topical", clause.text) });
  }
}

function addConditions(
  tables: CautionTables,
  clause: Clause,
  next: Clause | undefined,
  { ids }: FoundName,
  { conditions }: Recorded,
): void {
  const { finder, facts } = tables;
  const goesOn = next !== undefined && !next.startsSentence && finder.find(next.words).length === 0;
  for (const id of [...ids].filter((each) => facts.has(each))) {
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

function ageIn({ text, startsSentence }: Clause): number | undefined {
  const match = AGES.map((pattern, index) => (index > 0 || startsSentence ? pattern.exec(text) : null)).find(Boolean);
  return match ? Number(match[1]) / (PARTS_OF_A_YEAR.get(match[2]?.[0] ?? "y") ?? 1) : undefined;
}

function allergiesIn(tables: CautionTables, text: string): Mention[] {
  const clauses = clausesOf(text);
  return clauses.flatMap((clause, index) =>
    isNoAllergy(clause.text) || isOver(onlyResolution(tables, clauses[index + 1]))
      ? []
      : tables.finder
          .find(clause.words)
          .filter((found) => !isOthers(clause, found))
          .map(({ name, ids }) => ({ name, ids, isTopical: false })),
  );
}

/** Whether a clause of a text about allergies denies one, or says that it is over. */
export function isNoAllergy(words: string): boolean {
  const isDenied =
    says("none", words) ||
    says("tolerated", words) ||
    says("denied-after", words) ||
    (says("negation", words) && says("negated", words));
  return (isDenied && !says("exception", words)) || isOver(words);
}

function medicationIn({ finder }: CautionTables, medication: unknown): Mention[] {
  const { name, dosage, frequency } = (medication ?? {}) as Record<string, unknown>;
  const fields = [name, dosage, frequency].map((field) => (typeof field === "string" ? field : ""));
  const [given = "", ...rest] = fields.map(plainWords);
  const uses = rest.filter((words) => words !== "");
  const isTopical = says("topical", [given, ...uses].join(" ").trim());
  const clauses = clausesOf(fields[0] ?? "");
  const isOld = says("ended", ` ${uses.join(" ")} `) || uses.some((use) => says("use-ended", ` ${use} `));
  if (isOld || isNotCurrent(Object(medication))) {
    return [];
  }
  return clauses.flatMap((clause, index) =>
    drugsIn(finder, clause)
      .filter(
        (found) => !isNotTaken(clause, found, clauses[index + 1]) && !says("use-ended", clauses[index + 1]?.text ?? ""),
      )
      .map(({ name, ids }) => ({ name, ids, isTopical })),
  );
}

/**
 * Collects the texts in a value of any shape; an object's own texts are one. Objects that state that they are not
 * current are left out. Iterative, because objects may be nested deeper than the stack allows.
 */
export function textsOf(value: unknown): string[] {
  const texts: string[] = [];
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === "string") {
      texts.push(next);
    } else if (Array.isArray(next)) {
      addReversed(pending, next);
    } else if (typeof next === "object" && next !== null && !isNotCurrent(next)) {
      const values = Object.values(next);
      texts.push(values.filter((child) => typeof child === "string").join("; "));
      addReversed(
        pending,
        values.filter((child) => typeof child !== "string"),
      );
    }
  }
  return texts.filter((text) => text !== "");
}

/** One by one: as the arguments of one call, the elements of a long list would exceed the call stack. */
function addReversed(pending: unknown[], values: readonly unknown[]): void {
  for (let index = values.length - 1; index >= 0; index--) {
    pending.push(values[index]);
  }
}

function isNotCurrent(object: object): boolean {
  return Object.entries(object).some(([field, value]) => STATUS.test(field) && NOT_CURRENT.test(statusOf(value)));
}

/** A status as a text. A list of one counts as its element; an object has none, whatever its `toString` is. */
function statusOf(value: unknown): string {
  const status = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof status === "object" ? "" : String(status);
}
