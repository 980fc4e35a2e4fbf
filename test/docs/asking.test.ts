import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSite } from '../support/site.ts';
import { blocks, blocksOf } from './blocks.ts';
import { exampleFolder, readQuotes } from './example.ts';

const fetching = blocksOf(await readFile(join(exampleFolder, '..', 'fetching.md'), 'utf8'));

const quote = (text: string): string => `<p class="quote"><i class="text">${text}</i> <b class="author">Ada</b></p>`;

test('docs/definitions.md shows a list whose later pages have an address of another form, and they are asked for there', async (t) => {
  const site = await openSite(t, { '/tag/rain': quote('one') + quote('two'), '/tag/rain/page/2': quote('three') });
  for (const page of [3, 4]) site.answer(`/tag/rain/page/${page}`, '<p>no more</p>');
  const { texts, asked } = await readQuotes(t, { from: blocks, id: 'quotes', site, params: { tag: 'rain' } });
  assert.deepEqual(texts, ['one', 'three', 'two']);
  assert.deepEqual(
    asked,
    ['', '/page/2', '/page/3', '/page/4'].map((path) => `GET /tag/rain${path}`),
  );
});

test('docs/fetching.md shows a page behind two forms, which are filled in and submitted one after the other', async (t) => {
  const form = (state: string, tags: readonly string[]): string => `<meta name="token" content="t-${state}">
    <form id="filterform" method="post" action="/filter.aspx"><input type="hidden" name="state" value="${state}"><input type="hidden" name="token">
    <select name="author"><option>…<option>Ada</select><select name="tag"><option>…${tags.map((tag) => `<option>${tag}`).join('')}</select>
    <input type="submit" name="go" value="Search"></form>`;
  const sent: string[] = [];
  const filter = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const bytes of request) body += String(bytes);
    sent.push(body);
    const page = new URLSearchParams(body).get('state') === 's1' ? form('s2', ['rain']) : quote('found');
    response.setHeader('content-type', 'text/html').end(page);
  };
  const site = await openSite(t, {
    '/search.aspx': form('s1', []),
    '/filter.aspx': (request, response) => void filter(request, response),
  });
  const { texts } = await readQuotes(t, { from: fetching, id: 'search', site, params: { author: 'Ada', tag: 'rain' } });
  assert.deepEqual(texts, ['found']);
  assert.deepEqual(sent, [
    'state=s1&token=&author=Ada&tag=%E2%80%A6',
    'state=s2&token=t-s2&author=%E2%80%A6&tag=rain&go=Search',
  ]);
});
