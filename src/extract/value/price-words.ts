import { unitNamed } from './unit.ts';

/** Words that stand before a price and say that others are higher. */
const from = String.raw`from|starting (?:at|from)|as low as|ab|à partir de|a partir de|a partire da|dès|desde|da|vanaf|från|fra|alkaen|od|już od|от|від|από`;

/** Words that say nothing but that a price follows. */
const label = String.raw`(?:(?:our|your|naše|naša|cena) )?(?:price|cena)|preis|prix|precio|preço|prezzo|prijs|pris|hinta|цена|ціна|fiyat|τιμή`;

/** Words that say that the tax is in the price, as it is where nothing is said. */
const taxes = String.raw`VAT|tax(?:es)?|GST|(?:ges\. )?MwSt|USt|moms|mva|btw|IVA|TVA|DPH`;
const taxed = String.raw`(?:incl?\.?|including|inkl?\.?) (?:(?:of )?(?:all )?|\d{1,2} ?% )(?:${taxes})\.?|(?:tax|VAT|IVA|TVA|btw|iva) (?:incl(?:\.|uded|usa|uido|uído)|inclus[ao])|TTC|s DPH|brutto|z VAT`;

const end = String.raw`(?![\p{L}\d])`;

/** The words that may stand beside a price, each found at a place of a text: from, a label, tax that is in it, to. */
export const priceWords: readonly { readonly kind: 'F' | 'L' | 'X' | 'T'; readonly form: RegExp }[] = [
  { kind: 'F', form: sticky(`(?:${from})${end}:?`) },
  { kind: 'L', form: sticky(`(?:${label})${end} ?:?`) },
  { kind: 'X', form: sticky(String.raw`\((?:${taxed})\)|(?:${taxed})${end}`) },
  { kind: 'T', form: sticky(`(?:to|bis|tot|till|до)${end}`) },
];

/** Words for a price of nothing. */
const free: ReadonlySet<string> = new Set(
  'free|free of charge|for free|gratis|gratuit|gratuito|gratuita|grátis|kostenlos|kostenfrei|zdarma|zadarmo|ingyenes|bezpłatnie|za darmo|ilmainen|ücretsiz|бесплатно|безкоштовно|безплатно|δωρεάν|無料|免费|免費|무료'.split(
    '|',
  ),
);

/** Whether a whole text says that something costs nothing. */
export function isFree(text: string, also: readonly string[] = []): boolean {
  const word = text.replace(/ ?[!.]$/, '').toLowerCase();
  return free.has(word) || also.some((each) => each.toLowerCase() === word);
}

const perForm = sticky(String.raw`(?:\/ ?|(?:per|pro|par|por|al|je|za|a|an|в) )(?:(\d+(?:[.,]\d+)?) ?)?(?=\p{L})`);

const aloneForm = sticky(`(?:each|apiece|ea|monthly|yearly|annually|weekly|daily)${end}`);

const unitForm = sticky(String.raw`[\p{L}²³]+(?:[ .]\p{L}+)?`);

/** What a price may be for besides a unit. Letters that are other units elsewhere are these behind a price. */
const others: Readonly<Record<string, string>> = {
  ...wordsFor('piece', 'each apiece ea unit item stück stk st pièce pz szt ks db шт'),
  ...wordsFor('person', 'persons pers pp p.p pax personne persona'),
  ...wordsFor('night', 'nights nacht nuit noche notte'),
  ...wordsFor('month', 'mo monthly'),
  ...wordsFor('year', 'yr y yearly annually annum'),
  ...wordsFor('week', 'wk weekly'),
  ...wordsFor('day', 'd daily'),
  m: '',
};

function wordsFor(unit: string, words: string): Readonly<Record<string, string>> {
  return Object.fromEntries([unit, ...words.split(' ')].map((word) => [word, unit]));
}

/** What a price is for, where a text says that at a place: `month`, `kg`, `100 g`; with the place where that ends. */
export function perAt(
  text: string,
  at: number,
  locale: string | undefined,
): { readonly text: string; readonly end: number } | undefined {
  const alone = matchAt(aloneForm, text, at);
  if (alone !== undefined) return { text: others[alone[0].toLowerCase()] ?? alone[0], end: at + alone[0].length };
  const found = matchAt(perForm, text, at);
  if (found === undefined) return undefined;
  const start = at + found[0].length;
  const [words = ''] = matchAt(unitForm, text, start) ?? [];
  // Of two words the second may be what follows.
  for (const word of [words, words.replace(/[ .].*/, '')]) {
    const unit = others[word.toLowerCase()] ?? unitNamed(word, locale)?.symbol;
    if (unit === undefined || unit === '') continue;
    const count = found[1]?.replace(',', '.') ?? '1';
    const close = start + word.length;
    return { text: count === '1' ? unit : `${count} ${unit}`, end: text[close] === '.' ? close + 1 : close };
  }
  return undefined;
}

/** Returns what a sticky form finds at a place. */
export function matchAt(form: RegExp, text: string, at: number): RegExpExecArray | undefined {
  form.lastIndex = at;
  return form.exec(text) ?? undefined;
}

function sticky(source: string): RegExp {
  return new RegExp(source, 'iuy');
}
