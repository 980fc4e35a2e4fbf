import type { Mutation, Opened } from './mutation.ts';

/** Parts of the page are gone, or stand empty. */
export const losses: readonly Mutation[] = [
  {
    name: 'field removed',
    causes: ['field_removed'],
    keepsAll: false,
    apply({ found }) {
      if (found.length === 0) return false;
      found.remove();
      return undefined;
    },
  },
  {
    name: 'field removed from half of the records',
    causes: ['field_removed'],
    keepsAll: false,
    apply({ $, found }) {
      if (found.length < 16) return false;
      found.each((at, node) => void (at % 2 === 0 && $(node).remove()));
      return undefined;
    },
  },
  {
    name: 'field left empty',
    causes: ['field_removed', 'placeholder'],
    keepsAll: false,
    apply: (opened) => setTexts(opened, () => ''),
  },
  {
    name: '"Loading…" in place of the field',
    causes: ['placeholder'],
    keepsAll: false,
    apply: (opened) => setTexts(opened, () => 'Loading…'),
  },
  {
    name: 'a dash in place of the field',
    causes: ['placeholder'],
    keepsAll: false,
    apply: (opened) => setTexts(opened, () => '—'),
  },
  {
    name: 'half of the records gone',
    causes: ['items_cut'],
    keepsAll: false,
    apply({ items }) {
      if (items.length < 10) return false;
      items.slice(Math.ceil(items.length / 2)).remove();
      return undefined;
    },
  },
  {
    name: 'only the first five records left',
    causes: ['items_cut'],
    keepsAll: false,
    apply({ items }) {
      if (items.length < 12) return false;
      items.slice(5).remove();
      return undefined;
    },
  },
  {
    name: 'no record left in the list',
    causes: ['items_cut', 'soft_404'],
    keepsAll: false,
    apply({ items }) {
      if (items.length < 2) return false;
      items.remove();
      return undefined;
    },
  },
  {
    name: 'page cut off in the middle',
    causes: ['items_cut', 'field_removed', 'layout_moved', 'rule_lost'],
    keepsAll: false,
    apply: ({ page, items }) =>
      items.length < 2 ? false : { ...page, html: page.html.slice(0, Math.floor(page.html.length / 2)) },
  },
];

/** Gives all elements of the field another text, or another value of its attribute. */
export function setTexts(
  { $, found, field: { attr } }: Opened,
  textOf: (text: string, at: number) => string | undefined,
): void | false {
  let changed = 0;
  found.each((at, node) => {
    const element = $(node);
    const before = attr === undefined ? element.text() : (element.attr(attr) ?? '');
    const after = textOf(before, at);
    if (after === undefined || after === before) return;
    if (attr === undefined) element.text(after);
    else element.attr(attr, after);
    changed += 1;
  });
  return changed > 0 ? undefined : false;
}
