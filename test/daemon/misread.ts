import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { run } from '../cli/terminal.ts';
import { productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { settingsOf, startTimed } from './passing.ts';

/** The days for which the definition misread its pages. */
const days = 31;

/** What a shop asks when a page is asked for once more, and what it says that it asked before: its list price, which it seldom changes. */
const priceOn = (number: number): string => `${40 - number}.50`;
const listPriceOn = (number: number): string => `${90 + Math.floor(number / 10)}.00`;

/** Pages with two prices, of which the definition has read the wrong one for 31 days, which are as long as `day`. */
export async function misread(t: TestContext, day: number) {
  const site = await openSite(t);
  const every = `every: ${day / 60_000}m`;
  const timed = await startTimed(t, {
    sources: { shop: productSource('shop', every) },
    settings: settingsOf({}),
    vault: { keep: 400 * 86_400_000, maxBytes: 1024 ** 3 },
  });
  const turnsOf = (name: string): number => site.asked.filter(({ path }) => path === `/${name}`).length;
  for (const name of ['lamp', 'shade'])
    site.answer(`/${name}`, (_, response) => {
      const turn = turnsOf(name) - 1;
      response.setHeader('content-type', 'text/html');
      response.end(
        `<h1>${name}</h1><s class="price">EUR ${listPriceOn(turn)}</s><b class="now">EUR ${priceOn(turn)}</b>
        <p class="state">turn ${turn}</p>`,
      );
    });
  for (const name of ['lamp', 'shade']) await timed.track(name, { source: 'shop', url: site.url(`/${name}`) });
  await timed.pass((days - 0.25) * day);
  const misreadPages = { lamp: turnsOf('lamp'), shade: turnsOf('shade') };
  await timed.define('shop', productSource('shop', every).replace('css: .price', 'css: .now'));
  await timed.client.call('source.reload', {});
  const cli = (...words: string[]) => run([...words, '--socket', timed.socket]);
  return { ...timed, cli, misreadPages };
}

type Misread = Awaited<ReturnType<typeof misread>>;

/** The prices of a record, the oldest first, as the history has them: of one instant, the newest counts. */
export async function seriesOf({ client }: Pick<Misread, 'client'>, id: string) {
  const { changes } = await client.call('project.history', { id, field: 'price', limit: 200 });
  const oldestFirst = changes.toSorted((one, other) => one.at - other.at || one.serial - other.serial);
  return [...new Map(oldestFirst.map(({ at, fields }) => [at, fields['price']?.new])).values()];
}

/** Corrects what was misread, and checks the history, the present values and the events. */
export async function assertCorrected(t: TestContext, day: number): Promise<void> {
  const daemon = await misread(t, day);
  const { client, cli, events } = daemon;
  // The present value of one record comes from a page that the right definition has read.
  await client.call('project.rescrape', { id: 'shade' });
  await daemon.pass(day / 10);
  const shade = (await client.call('project.records', { id: 'shade' })).records[0];
  const { lamp: lamps, shade: shades } = daemon.misreadPages;
  const misreadPrices = new Set(Array.from({ length: lamps }, (_, turn) => listPriceOn(turn)));
  const wrong = Array.from(misreadPrices, (amount) => ({ amount, currency: 'EUR' }));
  assert.deepEqual(await seriesOf(daemon, 'lamp'), wrong);

  const shown = await cli('reextract', 'shop');
  assert.equal(shown.status, 0, shown.err);
  const changes = lamps + shades;
  assert.ok(lamps >= days - 1 && shades >= days - 1);
  assert.ok(
    shown.out.startsWith(`job 1 of shop is ready: ${changes} pages read, ${changes} corrections of 2 records\n`),
  );
  assert.match(shown.out, /by field: price \d+; present values that change: 1\n/);
  assert.match(shown.out, /product lamp\tprice\t90\.00 EUR → 40\.50 EUR\t/);
  assert.match(shown.out, /nothing has changed yet: `heronry reextract --apply 1` corrects the history/);
  assert.deepEqual(await seriesOf(daemon, 'lamp'), wrong);

  const { version } = daemon.daemon.parts.state.catalogue().sources.get('shop') ?? assert.fail('no source');
  const told = events.length;
  const applied = await cli('reextract', '--apply', '1');
  assert.match(applied.out, /^job 1 of shop is applied: /, applied.err);
  const expected = Array.from({ length: lamps }, (_, turn) => ({ amount: priceOn(turn), currency: 'EUR' }));
  assert.deepEqual(await seriesOf(daemon, 'lamp'), expected);
  const lamp = (await client.call('project.records', { id: 'lamp' })).records[0];
  assert.deepEqual(lamp?.fields['price']?.value, expected.at(-1));
  assert.deepEqual((await client.call('project.records', { id: 'shade' })).records[0], shade);
  await daemon.event(({ type }) => type === 'reextraction.applied');
  assert.deepEqual(
    events.slice(told).map(({ type, data }) => [type, data]),
    [['reextraction.applied', { job: 1, version, records: 2, changes, present: 1 }]],
  );
  const { changes: history } = await client.call('project.history', { id: 'lamp', limit: 200 });
  const corrections = history.filter(({ corrects }) => corrects !== undefined);
  const serials = new Set(history.map(({ serial }) => serial));
  assert.equal(corrections.length, lamps);
  for (const { corrects = 0, version: read, page, scrape } of corrections) {
    assert.ok(serials.has(corrects) && scrape > 0);
    assert.match(page ?? '', /^[\w-]{22}$/);
    assert.equal(read, version);
  }
  assert.match((await cli('reextract', 'shop')).out, /0 corrections of 0 records/);
}
