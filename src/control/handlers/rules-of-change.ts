import { pulseRuleText, ruleText } from '../../definition/rule-text.ts';
import type { Source } from '../../definition/source.ts';
import type { Store } from '../../store/store.ts';
import type { HistoryView } from '../../view/record.ts';

/** Returns the rules by which the values of a change were read, by field: those of its version of the definition, which the store keeps. */
export function rulesOf(
  { definitions }: Pick<Store, 'definitions'>,
  { version, type, scrape, recheck, fields }: HistoryView,
): Readonly<Record<string, string>> {
  const source = definitions.normalForm(version) as Source | undefined;
  if (source === undefined) return {};
  const textOf = scrape === 0 && recheck === undefined ? pulseRuleText : ruleText;
  return Object.fromEntries(
    Object.keys(fields).flatMap((field): [string, string][] => {
      const rule = textOf(source, type, field);
      return rule === undefined ? [] : [[field, rule]];
    }),
  );
}
