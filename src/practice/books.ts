import { escaped } from './sayings.ts';

/** A book of the shop. */
export interface Book {
  readonly slug: string;
  readonly title: string;
  readonly shelf: string;
  /** In pounds. */
  readonly price: string;
  /** From 1 to 5. */
  readonly stars: number;
  readonly stock: number;
  readonly code: string;
  /** What it is about; some books do not say. */
  readonly about?: string;
}

/** The shelves of the shop. */
export const shelves = ['gardens', 'boats', 'tales'] as const;

const titles = [
  ...['A Garden of Gravel', 'The Third Oar', 'Knots & Other Answers', 'Why Moss', 'The Last "Perhaps"', 'Salt'],
  ...['Under the Plum Tree', 'A Ferry Called Tuesday', 'Nine Small Storms', 'The Bee Ledger', 'Hulls', 'Two Winters'],
] as const;

/** The books of the shop. */
export const books: readonly Book[] = titles.map((title, at) => ({
  slug: `${title
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
    .replace(/-$/, '')}_${at + 1}`,
  title,
  shelf: shelves[at % shelves.length] ?? 'tales',
  price: (12.5 + ((at * 731) % 4_000) / 100).toFixed(2),
  stars: (at % 5) + 1,
  stock: at % 4 === 3 ? 0 : 3 + at,
  code: `c0de${String(at * 7_919).padStart(6, '0')}`,
  ...(at % 6 !== 5 && { about: `About ${title.toLowerCase()}: it rains, and someone stays in.` }),
}));

const numbers = ['Zero', 'One', 'Two', 'Three', 'Four', 'Five'] as const;

function stars({ stars: count }: Book): string {
  return `<p class="star-rating ${numbers[count]}"><i></i><i></i><i></i><i></i><i></i></p>`;
}

interface ShelfOptions {
  readonly page: number;
  readonly pages: number;
  /** Whether the class of the price has another name. Default: false. */
  readonly isRedesigned?: boolean;
}

/** A page of a list, whose titles are cut where they are long. */
export function shelfPage(
  name: string,
  shown: readonly Book[],
  { page, pages, isRedesigned = false }: ShelfOptions,
): string {
  const price = isRedesigned ? 'cost' : 'price';
  const items = shown.map(
    (book) => `<li><article class="book">${stars(book)}
  <h3><a href="/books/${book.slug}/" title="${escaped(book.title)}">${escaped(book.title.slice(0, 12))}${book.title.length > 12 ? '…' : ''}</a></h3>
  <p class="${price}">£${book.price}</p><p class="stock">${book.stock > 0 ? 'In stock' : 'Sold out'}</p></article>`,
  );
  const next = page < pages ? `<li class="next"><a href="/books/page-${page + 1}.html">next</a>` : '';
  const links = shelves.map((shelf) => `<li><a href="/books/shelf/${shelf}/">${shelf}</a>`);
  return `<aside><ul class="shelves">${links.join('')}</ul></aside><h1>${name}</h1>
<ol>${items.join('')}</ol><ul class="pager"><li>Page ${page} of ${pages}${next}</ul>`;
}

/** The page of a book. */
export function bookPage(book: Book): string {
  const about = book.about === undefined ? '' : `<div id="about"><h2>About</h2></div><p>${escaped(book.about)}</p>`;
  return `<ul class="crumbs"><li><a href="/books/">Books</a><li><a href="/books/shelf/${book.shelf}/">${book.shelf}</a><li>${escaped(book.title)}</ul>
<article><h1>${escaped(book.title)}</h1><p class="price">£${book.price}</p>
<p class="stock">${book.stock > 0 ? `In stock (${book.stock} available)` : 'Sold out'}</p>${stars(book)}${about}
<table><tr><th>Code<td>${book.code}<tr><th>Price without tax<td>£${book.price}<tr><th>Reviews<td>0</table></article>`;
}
