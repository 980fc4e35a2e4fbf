import { type Element, isTag, type ParentNode } from 'domhandler';
import { textContent } from './node.ts';

/** What a sitemap names: pages, and other sitemaps where it is an index of them. */
export interface Sitemap {
  readonly urls: readonly { readonly loc: string; readonly lastmod?: string }[];
  readonly sitemaps: readonly string[];
}

/** More than the protocol allows in one file are not looked at. */
const maxLinks = 50_000;

/** The addresses of a sitemap as they are written there, in page order; prefixes of names make no difference. */
export function sitemapLinks(root: ParentNode): Sitemap {
  const top = root.children.find((node) => isTag(node) && /^(?:urlset|sitemapindex)$/.test(localName(node)));
  const entries = top !== undefined && isTag(top) ? top.children.filter(isTag).slice(0, maxLinks) : [];
  return {
    urls: entries.flatMap((entry) => {
      const loc = localName(entry) === 'url' ? childText(entry, 'loc') : undefined;
      const lastmod = childText(entry, 'lastmod');
      return loc === undefined ? [] : [{ loc, ...(lastmod !== undefined && { lastmod }) }];
    }),
    sitemaps: entries.flatMap((entry) => (localName(entry) === 'sitemap' ? (childText(entry, 'loc') ?? []) : [])),
  };
}

function childText(entry: Element, name: string): string | undefined {
  const child = entry.children.find((node) => isTag(node) && localName(node) === name);
  const text = child === undefined ? '' : textContent(child).trim();
  return text === '' ? undefined : text;
}

function localName({ name }: Element): string {
  return name.slice(name.indexOf(':') + 1);
}
