import { type ChildNode, type Document, type Element, isTag, isText } from 'domhandler';
import { findFirst, findUpTo } from '../extract/tree/nodes.ts';
import { collapsedText } from '../extract/tree/text.ts';
import { type DraftField, guessedType } from './record.ts';

/** The beginning of a text that is a price and says so: `Price: 129,00 €`. */
const labelled = /^(price|preis|prix|precio|prezzo|prijs|preço|pris|cena|hinta)\s?:/i;

/** The most characters of such a text. */
const longest = 50;

/** Signs and codes of currencies, as stand beside an amount. */
const currencies = /[€$£¥]|\b(?:EUR|USD|GBP|JPY|CHF|CAD|AUD|SEK|NOK|DKK|PLN|CZK)\b/g;

const places: ReadonlySet<string> = new Set(['p', 'div', 'span', 'li', 'td', 'dd', 'b', 'strong']);

/** Elements from the amount to the label, at most. */
const mostNested = 4;

/** Drafts the field of the price that stands with its label in the text of a page; undefined unless it is the only amount with a currency there. */
export function labelledPrice(root: Document, base: string): DraftField | undefined {
  const body = findFirst(root, ({ name }) => name === 'body') ?? root;
  const whole = body.children.filter(isTag).map(collapsedText).join(' ');
  if (whole.match(currencies)?.length !== 1) return undefined;
  let found = findFirst(root, ({ children, name }) => places.has(name) && children.some(hasCurrency));
  for (let up = 0; up < mostNested && found !== undefined && !labelled.test(firstText(found)); up += 1)
    found = found.parent !== null && isTag(found.parent) ? found.parent : undefined;
  if (found === undefined || !places.has(found.name)) return undefined;
  const { name } = found;
  const text = collapsedText(found).trim();
  const label = labelled.exec(text)?.[1];
  const type = guessedType('price', [text], base);
  if (label === undefined || text.length > longest || type['type'] !== 'money') return undefined;
  const alike = findUpTo(root, (element) => element.name === name && firstText(element).startsWith(label), 2);
  if (alike.length !== 1) return undefined;
  return { xpath: `//${name}[starts-with(normalize-space(text()), '${label}')]`, ...type };
}

function hasCurrency(node: ChildNode): boolean {
  return isText(node) && node.data.search(currencies) >= 0;
}

/** The first text that an element has of its own. */
function firstText({ children }: Element): string {
  return children.find(isText)?.data.trim() ?? '';
}
