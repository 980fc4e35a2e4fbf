/** A saying, as all sites of sayings show it in their own way. */
export interface Saying {
  readonly text: string;
  readonly author: string;
  readonly tags: readonly string[];
}

const authors = ['Ada Brook', 'Bo & Co', 'Iñes Fjord', "Sean O'Dell"] as const;
const subjects = ['Rain', 'Bread', 'A map', 'The ferry', 'Patience', 'A good rope'] as const;
const ends = [
  'forgets who waited',
  'is half the way',
  'never asks twice',
  'costs < nothing',
  'keeps the time',
] as const;
const tags = ['weather', 'work', 'travel', 'slow days'] as const;

/** Twenty-six sayings, no two of which are one. */
export const sayings: readonly Saying[] = Array.from({ length: 26 }, (_, at) => ({
  text: `${pick(subjects, at)} ${pick(ends, at)} (${at + 1}).`,
  author: pick(authors, at * 3 + Math.floor(at / 4)),
  tags: tags.filter((_, index) => (at + index) % 3 === 0),
}));

function pick<T>(from: readonly T[], at: number): T {
  const found = from[at % from.length];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

/** A text in a page. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** A saying as a block of its own. */
export function sayingBlock({ text, author, tags: given }: Saying): string {
  const links = given.map((tag) => `<a class="tag" href="/tag/${encodeURIComponent(tag)}/">${tag}</a>`);
  return `<div class="saying"><p class="words">“${escaped(text)}”</p>
  <span>by <small class="by">${escaped(author)}</small> <a href="/about">(about)</a></span>
  <div class="tags">Tags: ${links.join(' ')}</div></div>`;
}

/** The pages of a list, `size` on each. */
export function slicesOf<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, page) => all.slice(page * size, (page + 1) * size));
}

/** Sayings in the order of their texts. */
export function sorted(all: readonly Saying[]): Saying[] {
  return all.toSorted((one, other) => one.text.localeCompare(other.text));
}
