import type { SafetyAlert } from "../alerts.ts";
import type { FoundPhrase } from "../words/phrases.ts";

/** An alert for a text that has a phrase of each group, in one sentence or two consecutive ones. */
export interface GroupRule {
  alert: SafetyAlert;
  groups: string[];
}

/**
 * Returns the rules that a message matches, in the order of its sentences.
 *
 * @param sentences the phrases that count in each
 */
export function rulesMetBy<Rule extends GroupRule>(sentences: FoundPhrase[][], rules: Rule[]): Rule[] {
  const met = new Set<Rule>();
  let before = new Set<string>();
  for (const found of sentences) {
    const groups = new Set(found.map(({ name }) => name));
    for (const rule of groups.size > 0 ? rules : []) {
      if (rule.groups.every((name) => groups.has(name) || before.has(name))) {
        met.add(rule);
      }
    }
    before = groups;
  }
  return [...met];
}
