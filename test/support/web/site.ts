import type { World } from '../../../src/demo/facts/world.ts';
import type { Markup } from '../../../src/demo/html.ts';

/** One request to a site, as far as an answer may depend on it. */
export interface Visit {
  readonly world: World;
  /** The web's time. */
  readonly at: number;
  /** Scheme and authority that the client used. */
  readonly origin: string;
  /** The decoded parts of the path below the site's prefix. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** The fields of a form sent with POST. */
  readonly form?: URLSearchParams;
  /** The token that stands for a log-in at present, and whether the request carries it. */
  readonly session: { readonly token: string; readonly open: boolean };
}

/** The answer of a site; the web turns it into HTTP. */
export type Answer =
  | {
      readonly kind: 'page';
      readonly title: string;
      readonly main: Markup;
      readonly head?: Markup;
      readonly modifiedAt: number;
    }
  | { readonly kind: 'fragment'; readonly main: Markup; readonly modifiedAt: number }
  | {
      readonly kind: 'json';
      readonly value: unknown;
      readonly modifiedAt: number;
      /** The path of the next slice, told in a `Link` header. */
      readonly next?: string;
    }
  /** Any other text, such as a feed or a table; `type` is its media type. */
  | { readonly kind: 'text'; readonly type: string; readonly body: string; readonly modifiedAt: number }
  | { readonly kind: 'redirect'; readonly location: string; readonly cookie?: string }
  | { readonly kind: 'unauthorized'; readonly logIn: string };

/** A part of the web under a path prefix of its own. */
export interface Site {
  /** One word, as in `crowd` for `/crowd/…`. */
  readonly prefix: string;
  /** The paths below the prefix that robots.txt disallows. */
  readonly disallow: readonly string[];
  /** Nothing where the site has no page. */
  answer(visit: Visit): Answer | undefined;
  /** The pages that its sitemap lists, as paths below the prefix. */
  paths(world: World, at: number): Iterable<string>;
}

/** One slice of a list, by page number from 1; nothing for a page beyond the last. */
export function sliceOf<T>(
  items: readonly T[],
  page: number,
  size: number,
): { readonly items: readonly T[]; readonly next?: number } | undefined {
  const last = Math.max(1, Math.ceil(items.length / size));
  if (!(page >= 1 && page <= last)) return undefined;
  return { items: items.slice((page - 1) * size, page * size), ...(page < last ? { next: page + 1 } : {}) };
}

/** A page number from a query: 1 when there is none, `NaN` when it is no whole number. */
export function pageNumber(query: URLSearchParams): number {
  const text = query.get('page') ?? '1';
  return /^\d{1,6}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
}
