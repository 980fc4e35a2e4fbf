import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { noBrowser } from '../support/browser.ts';
import { openSite } from '../support/site.ts';
import { blocksOf } from './blocks.ts';
import { exampleFolder, readQuotes } from './example.ts';

/** Shows a quote for each of a search, two more for each click, and one more whenever its end is seen, twice. */
const page = `<!doctype html><style>.quote { height: 300px }</style><button class="accept-cookies">Yes</button><input id="search"><main></main>
<button class="more" hidden>More</button><script>
  const more = document.querySelector('.more');
  const show = (text) => {
    const quote = Object.assign(document.createElement('p'), { className: 'quote' });
    quote.innerHTML = '<i class="text">' + text + '</i> <b class="author">Ada</b>';
    document.querySelector('main').append(quote);
  };
  document.querySelector('.accept-cookies').addEventListener('click', () => {
    search.addEventListener('keydown', ({ key }) => {
      if (key !== 'Enter') return;
      for (const n of [1, 2, 3]) show(search.value + ' ' + n);
      more.hidden = false;
    });
  });
  let [clicks, scrolls] = [0, 0];
  more.addEventListener('click', () => {
    clicks += 1;
    show('clicked ' + clicks);
    if (clicks === 2) more.remove();
  });
  addEventListener('scroll', () => {
    if (scrolls === 2 || innerHeight + scrollY < document.body.scrollHeight - 50) return;
    scrolls += 1;
    show('scrolled ' + scrolls);
  });
</script>`;

test(
  'docs/fetching.md shows a page that is clicked, typed into, waited for and scrolled, and it is read after that',
  { skip: noBrowser, timeout: 120_000 },
  async (t) => {
    const from = blocksOf(await readFile(join(exampleFolder, '..', 'fetching.md'), 'utf8'));
    const site = await openSite(t, { '/search': page });
    const { texts } = await readQuotes(t, { from, id: 'finder', site, params: { query: 'owls' } });
    assert.deepEqual(texts, ['clicked 1', 'clicked 2', 'owls 1', 'owls 2', 'owls 3', 'scrolled 1', 'scrolled 2']);
  },
);
