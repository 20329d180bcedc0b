import file from "./help-lines.json" with { type: "json" };

/** How the crisis line is reached. */
export const CRISIS_LINE_BY = ["call", "text", "both"] as const;

/** Whom a person in danger is told to call, as displayed; a part that does not exist is "". */
export interface HelpLines {
  emergencyNumber: string;
  crisisLine: string;
  crisisLineBy: (typeof CRISIS_LINE_BY)[number];
  poisonControl: string;
  abuseLine: string;
}

/** The settings of {@link chooseHelpLines}; "" and undefined for those that are not given. */
export type HelpLineSettings = Partial<Record<keyof HelpLines | "country", string | undefined>>;

/** The format of `help-lines.json`, which explains its parts. */
interface CountryFile {
  countries: Record<
    string,
    Record<Exclude<keyof HelpLines, "crisisLineBy">, { value: string; by?: HelpLines["crisisLineBy"] } | null>
  >;
}

/** The numbers of a set that belong together. */
const NUMBERS = ["emergencyNumber", "crisisLine", "poisonControl", "abuseLine"] as const;

/** The country whose numbers are used if nothing is set. */
const DEFAULT_COUNTRY = "US";

/** In a setting: there is no such line. */
const NONE = "none";

const { countries } = file as CountryFile;

export const COUNTRIES = Object.keys(countries);

/**
 * Chooses a complete set of help lines: that of a country, or one whose four numbers are all given, so that nobody is
 * told the emergency number of one country and the crisis line of another.
 *
 * @param called what a setting is called where it was given
 * @returns the set, or one sentence that says what is wrong with the settings
 */
export function chooseHelpLines(
  settings: HelpLineSettings,
  called: (name: keyof HelpLineSettings) => string = (name) => name,
): HelpLines | string {
  const { country } = settings;
  const given = NUMBERS.filter((name) => settings[name]);
  const missing = NUMBERS.filter((name) => !settings[name]);
  if (country && !COUNTRIES.includes(country)) {
    return `${called("country")} is "${country}"; it must be one of ${COUNTRIES.join(", ")}.`;
  }
  if (country || given.length === 0) {
    const ofCountry = helpLinesOf(country || DEFAULT_COUNTRY);
    const wrong = [...given, "crisisLineBy" as const].find(
      (name) => settings[name] && settings[name] !== (ofCountry[name] || NONE),
    );
    return wrong === undefined
      ? ofCountry
      : `${called(wrong)} is "${settings[wrong]}", but ${called("country")} ${country || DEFAULT_COUNTRY} has "${ofCountry[wrong] || NONE}"; set either the country or all numbers.`;
  }
  if (missing.length > 0) {
    return `${called(given[0] as "crisisLine")} is set without ${missing.map(called).join(", ")}; set ${called("country")} or all of these, to none for a line that does not exist.`;
  }
  const [emergencyNumber = "", crisisLine = "", poisonControl = "", abuseLine = ""] = NUMBERS.map((name) =>
    settings[name] === NONE ? "" : settings[name],
  );
  const crisisLineBy = CRISIS_LINE_BY.find((by) => by === (settings.crisisLineBy || "both"));
  if (crisisLineBy === undefined) {
    return `${called("crisisLineBy")} must be one of ${CRISIS_LINE_BY.join(", ")}.`;
  }
  return emergencyNumber === "" || crisisLine === ""
    ? `${called("emergencyNumber")} and ${called("crisisLine")} must not be none.`
    : { emergencyNumber, crisisLine, crisisLineBy, poisonControl, abuseLine };
}

/** @param country one of {@link COUNTRIES} */
export function helpLinesOf(country: string): HelpLines {
  const { emergencyNumber, crisisLine, poisonControl, abuseLine } = countries[country] ?? {};
  return {
    emergencyNumber: emergencyNumber?.value ?? "",
    crisisLine: crisisLine?.value ?? "",
    crisisLineBy: crisisLine?.by ?? "call",
    poisonControl: poisonControl?.value ?? "",
    abuseLine: abuseLine?.value ?? "",
  };
}
