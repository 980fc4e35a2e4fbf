import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../cli/terminal.ts';
import { noBrowser } from '../support/browser.ts';
import { productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { nth, soon } from './tracking.ts';

/** A page whose scripts show two prices. */
const shownPage = (price: string): string => `<h1>Lamp</h1><p class="state">live</p><div id="prices"></div><script>
  for (const [name, amount] of [['price', '99.00'], ['now', '${price}']])
    document.querySelector('#prices').append(Object.assign(document.createElement('b'), { className: name, textContent: 'EUR ' + amount }));
</script>`;

test(
  'a rendered page is kept as scripts left it, and read again without a browser',
  { skip: noBrowser, timeout: 60_000 },
  async (t) => {
    const site = await openSite(t, { '/lamp': shownPage('12.00') });
    const definition = productSource('shop', 'render: browser');
    const daemon = await startDaemon(t, {
      sources: { shop: definition },
      vault: { keep: 86_400_000, maxBytes: 1024 ** 3 },
    });
    const cli = (...words: string[]) => run([...words, '--socket', daemon.socket]);
    await daemon.client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: site.url('/lamp') }] });
    await cli('rescrape', 'lamp', '--wait');
    const { changes } = await daemon.client.call('project.history', { id: 'lamp', limit: 10 });
    const { out } = await cli('page', changes[0]?.page ?? '');
    assert.match(out, /<b class="now">EUR 12\.00<\/b>/);

    await daemon.define('shop', definition.replace('css: .price', 'css: .now'));
    await daemon.client.call('source.reload', {});
    const asked = site.asked.length;
    const shown = await cli('reextract', 'shop');
    assert.match(shown.out, /^job 1 of shop is ready: 1 page read, 1 correction of 1 record/, shown.err);
    assert.match(shown.out, /product \S+\tprice\t99\.00 EUR → 12\.00 EUR\t/);
    assert.match((await cli('reextract', '--apply', '1')).out, /^job 1 of shop is applied: /);
    assert.equal(site.asked.length, asked);
    const { records } = await daemon.client.call('project.records', { id: 'lamp' });
    assert.deepEqual(records[0]?.fields['price']?.value, { amount: '12.00', currency: 'EUR' });
  },
);

/** The size of a JPEG, in bytes; fails for anything else. */
async function jpegSize(file: string): Promise<number> {
  const bytes = await readFile(file);
  assert.deepEqual([...bytes.subarray(0, 3)], [0xff, 0xd8, 0xff]);
  return bytes.length;
}

test(
  'a ticket has pictures of the last good and the first bad page, as the browser showed them',
  { skip: noBrowser, timeout: 60_000 },
  async (t) => {
    const site = await openSite(t, { '/lamp': shownPage('12.00') });
    const daemon = await startDaemon(t, {
      sources: { shop: productSource('shop', 'render: browser') },
      settings: soon,
      vault: { keep: 86_400_000, maxBytes: 1024 ** 3 },
    });
    const { client, socket, folder } = daemon;
    await client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: site.url('/lamp') }] });
    await nth(1, 'scrape.completed', 'lamp', daemon);
    site.answer('/lamp', `<p>Moved!</p>${shownPage('12.00').replaceAll("'price'", "'amount'")}`);
    await client.call('project.rescrape', { id: 'lamp' });
    const { data } = await nth(1, 'ticket.changed', 'lamp', daemon);
    const { good = '', bad = '' } = data.pages?.screenshots ?? {};
    assert.notEqual(good, bad);
    const cli = (...words: string[]) => run([...words, '--socket', socket], { cwd: folder });
    const { out } = await cli('ticket', '1');
    const saving = Array.from(out.matchAll(/`heronry (page \S+ -o \S+)`/g), ([, words = '']) => words.split(' '));
    assert.equal(saving.length, 2, out);
    for (const words of saving) assert.equal((await cli(...words)).status, 0);
    for (const name of ['good.jpg', 'bad.jpg']) {
      const size = await jpegSize(join(folder, name));
      assert.ok(size > 1_000 && size <= 512 * 1024, `${name}: ${size}`);
    }
    const { page } = await client.call('page.get', { digest: bad });
    assert.deepEqual([page.why, page.of], ['screenshot', data.pages?.bad]);
  },
);
