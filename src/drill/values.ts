import type { Mutation, Opened } from './mutation.ts';
import { setTexts } from './losses.ts';

/** A number within a text, with or without groups. */
const number = /\d[\d.,\s]*\d|\d/;

/** A text that is a number, with a few letters or signs beside it. */
const amount = /^\D{0,8}\d[\d.,\s]*\D{0,8}$/;

/** A sign or code of a currency. */
const currency = /[€$£¥]|\b(?:EUR|USD|GBP|CHF)\b/;

/** The page is as it was, and what it says is another thing. */
export const values: readonly Mutation[] = [
  {
    name: 'zero in place of every number',
    causes: ['placeholder'],
    keepsAll: false,
    apply: (opened) =>
      setTexts(opened, (text) =>
        amount.test(text.trim()) ? text.replace(number, text.includes('.') ? '0.00' : '0') : undefined,
      ),
  },
  {
    name: 'one value in all records',
    causes: ['placeholder', 'wrong_page'],
    keepsAll: false,
    apply(opened) {
      if (opened.found.length < 8) return false;
      const [first = ''] = opened.found.toArray().map((node) => opened.$(node).text());
      return setTexts(opened, () => first);
    },
  },
  {
    name: 'another currency',
    causes: ['currency_changed'],
    keepsAll: false,
    apply: (opened) =>
      setTexts(opened, (text) => {
        if (!currency.test(text) || !number.test(text)) return undefined;
        const sign = /[$]|USD/.test(text) ? '£' : 'USD ';
        const other = Number(number.exec(text)?.[0].replaceAll(/[,\s]/g, '')) * 1.17;
        return Number.isNaN(other) ? undefined : `${sign}${other.toFixed(2)}`;
      }),
  },
  {
    name: 'cents in place of whole amounts',
    causes: ['unit_changed'],
    keepsAll: false,
    apply: (opened) =>
      setTexts(opened, (text) => {
        const found = amount.test(text.trim()) ? number.exec(text)?.[0] : undefined;
        const cents = found === undefined ? Number.NaN : Number(found.replaceAll(/[,\s]/g, '')) * 100;
        return found === undefined || Number.isNaN(cents) ? undefined : text.replace(found, String(Math.round(cents)));
      }),
  },
  {
    name: 'letters beyond ASCII lost',
    causes: ['encoding'],
    keepsAll: false,
    apply(opened) {
      const { page } = opened;
      if (!hasOther(opened)) return false;
      return { ...page, html: page.html.replaceAll(/[^\0-\x7f]/g, '\u{fffd}') };
    },
  },
  {
    name: 'UTF-8 read as Latin-1',
    causes: ['encoding'],
    keepsAll: false,
    apply(opened) {
      const { page } = opened;
      if (!hasOther(opened)) return false;
      return { ...page, html: Buffer.from(page.html, 'utf8').toString('latin1') };
    },
  },
];

/** Whether the texts of the field have a character beyond ASCII. */
function hasOther({ $, found }: Opened): boolean {
  return found.toArray().some((node) => /[^\0-\x7f]/.test($(node).text()));
}
