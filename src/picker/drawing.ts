import { hiddenCharacters } from '../view/text.ts';

/** What is drawn of a page. */
export interface Drawing {
  readonly html: string;
  /** Whether the page has more. */
  readonly isCut: boolean;
}

/** The most characters that are drawn. */
const mostUnits = 3_000_000;

/** The most characters that are drawn of one text, and those of a word behind which it may be broken: browsers take very long to lay out longer ones. */
const [mostOfText, mostUnbroken] = [2_000, 100];

/** A part of a word that is as long as one may be. */
const unbroken = new RegExp(String.raw`(\S{${mostUnbroken}})`, 'u');

/** A text as HTML has it within an element or a quoted attribute, without characters that hide. */
export function escaped(text: string): string {
  return text
    .replaceAll(hiddenCharacters, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** The start of a text as HTML, in which long words can be broken. */
export function textStart(text: string): string {
  const start = text.length > mostOfText ? `${text.slice(0, mostOfText)}…` : text;
  return start.split(unbroken).map(escaped).join('<wbr>');
}

/** Collects HTML up to a bound; ends of elements are added beyond it, so that what is open is closed. */
export function limited() {
  const parts: string[] = [];
  let units = 0;
  const put = (part: string): void => {
    units += part.length;
    parts.push(part);
  };
  return {
    isFull: () => units > mostUnits,
    add(part: string): void {
      if (units + part.length <= mostUnits) put(part);
      else units = Math.max(units, mostUnits + 1);
    },
    open: put,
    close: put,
    text: () => parts.join(''),
  };
}
