import type { Book } from '../book.ts';
import { anyOf, wordOrPattern } from '../pattern.ts';
import { watchedType } from '../source-file.ts';
import { quoted } from './text-rule.ts';
import type { Watch } from './schema.ts';

type Condition = NonNullable<Watch['conditions']>[number];

/**
 * Translates what must be, or not be, in a page for its change to be told: a rule of the project, which tells when a page begins to meet it.
 * Empty where there is no such text.
 */
export function ruleKeys(
  book: Book,
  label: string,
  watch: Watch,
  { triggers, forbidden }: { readonly triggers: readonly string[]; readonly forbidden: readonly string[] },
): { readonly rules?: object } {
  const parts = [
    ...texts('text that triggers', triggers).map((pattern) => likeText(pattern)),
    ...texts('text that must not be there', forbidden).map((pattern) => `!${likeText(pattern)}`),
    ...conditions(),
  ];
  if (parts.length === 0) return {};
  return { rules: { wanted: { of: watchedType, when: parts.join(' && ') } } };

  function texts(what: string, given: readonly string[]): string[] {
    const patterns = given.flatMap((each) => {
      if (each.trim() === '') return [];
      const pattern = wordOrPattern(each);
      if (pattern.ok) return [pattern.pattern];
      book.leave(label, `the ${what} ${quoted(each)}`, pattern.why);
      return [];
    });
    return patterns.length === 0 ? [] : [anyOf(patterns)];
  }

  function conditions(): string[] {
    const found = (watch.conditions ?? []).flatMap((each) => {
      const condition = conditionOf(each);
      if (condition === undefined && each.field !== '' && each.operator !== '' && each.field !== null)
        book.leave(label, `the condition on ${quoted(each.field)}`, 'rules have no counterpart of it');
      return condition ?? [];
    });
    if (found.length === 0) return [];
    return [
      found.length === 1
        ? (found[0] ?? '')
        : `(${found.join(watch.conditions_match_logic === 'ANY' ? ' || ' : ' && ')})`,
    ];
  }
}

function likeText(pattern: string): string {
  return `like(text, ${JSON.stringify(pattern)})`;
}

function conditionOf({ operator, field, value }: Condition): string | undefined {
  if (field !== 'page_filtered_text' || value === '' || operator === null) return undefined;
  const word = wordOrPattern(value);
  const exact = wordOrPattern(`/${value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)}/s`);
  const pattern = wordOrPattern(`/${value}/i`);
  const like = (found: ReturnType<typeof wordOrPattern>, before = '', after = '') =>
    found.ok ? likeText(`${before}${found.pattern}${after}`) : undefined;
  const not = (found: string | undefined) => found && `!${found}`;
  switch (operator) {
    case 'in':
      return like(exact);
    case '!in':
      return not(like(exact));
    case 'contains_regex':
      return like(pattern);
    case '!contains_regex':
      return not(like(pattern));
    case 'starts_with':
      return like(word, String.raw`\A\s*`);
    case 'ends_with':
      return like(word, '', String.raw`\s*\z`);
    case 'length_min':
      return /^\d+$/.test(value) ? `size(text) >= ${value}` : undefined;
    case 'length_max':
      return /^\d+$/.test(value) ? `size(text) <= ${value}` : undefined;
    default:
      return undefined;
  }
}
