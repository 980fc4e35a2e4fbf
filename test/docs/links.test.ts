import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { pages, top } from './fences.ts';

/** The text of a page without its blocks, whose brackets are no links. */
function proseOf(file: string): string {
  return readFileSync(file, 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
}

/** The anchors of a page's headings, as GitHub and others make them. */
function anchorsOf(file: string): ReadonlySet<string> {
  const headings = Array.from(proseOf(file).matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** What is wrong with the links of a page within the repository. */
function brokenLinks(page: string): string[] {
  const links = proseOf(join(top, page)).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g);
  return Array.from(links, ([, path = '', anchor]) => {
    const file = path === '' ? join(top, page) : join(top, dirname(page), path);
    if (!existsSync(file)) return `${path} is not there`;
    if (anchor === undefined || statSync(file).isDirectory()) return '';
    return anchorsOf(file).has(anchor) ? '' : `${path}#${anchor} is no heading`;
  }).filter((fault) => fault !== '');
}

describe('every link of a page within the repository leads to a file, and to a heading of it', () => {
  for (const page of pages) test(page, () => assert.deepEqual(brokenLinks(page), []));
});
