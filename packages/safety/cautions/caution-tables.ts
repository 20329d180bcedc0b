import { parseDataFile, preparedDataFile } from "../data-file.ts";
import { NameFinder, prepareNames } from "./drug-names.ts";

/**
 * The format of `data/drugs.json`. A line has all names of one drug, separated by commas; rows refer to it by its first
 * name, or to its group.
 */
export interface DrugFile {
  groups: Record<string, string[]>;
  /** The names of products with several drugs, and the first names of these or, for any drug of a group, the group. */
  products: Record<string, string>;
  /** Groups and drugs that rows name together. */
  unions: Record<string, string>;
  /** Other drugs and phrases that must not be taken for one of these. No row names them; an allergy may. */
  others: string[];
  /** The other names of some of those, by the first one. */
  brands: Record<string, string>;
  /** Words, separated by spaces, that look like a misspelled name. */
  ordinaryWords: string;
}

/** The format of `data/cautions.json`. Each row names its source. Lists are texts with commas. */
export interface CautionFile {
  /** Drugs that someone allergic to one of them, or to one of `also`, should not take without asking. */
  allergies: { group: string; names?: string; also?: string; drugs: string }[];
  /**
   * Pairs that are dangerous together, whichever of the two is in the record. `topical`: also if one of the two is
   * applied to the skin or eye. `sameDrug`: also if both contain the same.
   */
  interactions: { first: string; second: string; effect: string; topical?: true; sameDrug?: true }[];
  /** `evenIfTaken`: also about a drug that the record lists, because the condition may be newer. */
  conditions: ({ drugs: string; effect: string; topical?: true; evenIfTaken?: true } & (
    | { conditions: string }
    | { ages: Ages }
  ))[];
  /**
   * Conditions. `notWith`: words beside which a condition's name means something else. `ended`: what says that it has
   * ended, and words beside which it does not.
   */
  facts: Record<
    string,
    { names: string; notWith?: string; ended?: { by: string; notWith: string }; below?: Record<string, number> }
  >;
}

/** In years; `below` is not included. */
interface Ages {
  from: number;
  below: number;
}

/** Whether something with these ids is meant. */
type Selector = (ids: Set<string>) => boolean;

/** The tables, with each name resolved to the rows that it is in. */
export type CautionTables = ReturnType<typeof readTables>;

/** The id of a drug, as opposed to those of groups and conditions; and of what no row names. */
const DRUG = "=";
const OTHER = "~";

let tables: CautionTables | undefined;

/** The tables, read on first use. */
export function cautionTables(): CautionTables {
  tables ??= readTables();
  return tables;
}

/** The id of a condition. */
export function conditionId(name: string): string {
  return `condition ${name}`;
}

/** Those of a name's ids that are drugs. */
export function drugsOf(ids: Set<string>): string[] {
  return [...ids].filter((id) => id.startsWith(DRUG));
}

/** Those that are drugs or anything else that someone may be allergic to, so that equal ids mean the same. */
export function substancesOf(ids: Set<string>): string[] {
  return [...ids].filter((id) => id.startsWith(DRUG) || id.startsWith(OTHER));
}

/** Prepares the names of both files. */
export function prepareCautions({ allergies, interactions, conditions, facts }: CautionFile) {
  const { groups, products, unions, others, brands, ordinaryWords } = parseDataFile<DrugFile>("drugs.json");
  const drugs = Object.entries(groups).flatMap(([group, lines]) =>
    lines.map((names) => ({ names, ids: [group, DRUG + names.split(", ", 1)] })),
  );
  const idsOf = (name: string) => drugs.find(({ ids }) => ids.includes(name) || ids.includes(DRUG + name))?.ids ?? [];
  const generic = new Map(
    Object.entries(brands).flatMap(([name, names]) => names.split(", ").map((brand) => [brand, name])),
  );
  const names = prepareNames([
    ...drugs,
    ...Object.entries(products).map(([names, parts]) => ({ names, ids: parts.split(", ").flatMap(idsOf) })),
    ...others
      .flatMap((names) => names.split(", "))
      .map((name) => ({ names: name, ids: [OTHER + (generic.get(name) ?? name)] })),
    ...Object.entries(brands).map(([name, names]) => ({ names: `${name}, ${names}`, ids: [OTHER + name] })),
    { names: ordinaryWords.replaceAll(" ", ", "), ids: [] },
    ...Object.entries(facts).map(([name, { names }]) => ({ names, ids: [conditionId(name)] })),
    ...allergies.flatMap(({ names }, index) => (names ? [{ names, ids: [allergyId(index)] }] : [])),
  ]);
  return { names, groups: Object.keys(groups), unions, allergies, interactions, conditions, facts };
}

function allergyId(row: number): string {
  return `allergy ${row}`;
}

function readTables() {
  const file = preparedDataFile("cautions.json", prepareCautions);
  const { names, groups, unions, allergies, interactions, conditions, facts } = file;
  const idsOf = (list: string): string[] =>
    list.split(", ").flatMap((name) => {
      const union = unions[name];
      return union ? idsOf(union) : [groups.includes(name) ? name : DRUG + name];
    });
  const selector = (list: string): Selector => {
    const wanted = idsOf(list);
    return (ids) => wanted.some((id) => ids.has(id));
  };
  const anyOf = (words: string) => new RegExp(`\\b(?:${words.replaceAll(", ", "|")})\\b`);
  return {
    finder: new NameFinder(names),
    allergies: allergies.map(({ group, also, drugs }, index) => {
      const id = allergyId(index);
      const related = selector(also ? `${also}, ${drugs}` : drugs);
      return { group, allergy: (ids: Set<string>) => ids.has(id) || related(ids), drugs: selector(drugs) };
    }),
    interactions: interactions.map((row) => ({ ...row, first: selector(row.first), second: selector(row.second) })),
    conditions: conditions.map((row) => ({
      ...row,
      conditions: "conditions" in row ? row.conditions.split(", ") : [],
      ages: "ages" in row ? row.ages : undefined,
      drugs: selector(row.drugs),
    })),
    /** By the id of a condition. */
    facts: new Map(
      Object.entries(facts).map(([name, { notWith, ended }]) => [
        conditionId(name),
        {
          notWith: notWith === undefined ? undefined : anyOf(notWith),
          ended: ended && { by: anyOf(ended.by), notWith: anyOf(ended.notWith) },
        },
      ]),
    ),
    /** Conditions that a measured value implies. */
    measures: Object.entries(facts).flatMap(([condition, { below = {} }]) =>
      Object.entries(below).map(([measure, limit]) => ({
        condition,
        pattern: new RegExp(`\\b${measure}\\b\\D{0,12}(\\d+)`, "g"),
        below: limit,
      })),
    ),
  };
}
