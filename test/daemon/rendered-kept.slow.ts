import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../cli/terminal.ts';
import { noBrowser } from '../support/browser.ts';
import { productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

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
