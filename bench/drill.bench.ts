/**
 * Question: how many changes of a page does a drill rehearse in a second, and how much more is that than to read the changed pages? Product pages of 5, 50 and
 * 400 kB with eight fields are drilled as `heronry drill` does it: a page by itself stands for a site of so many, healthy scrapes come first, and each changed
 * site is scraped, judged and diagnosed in a store of its own. `ratio` is the processor time of a change over that of reading the pages of a site once.
 *
 * Run with `node bench/drill.bench.ts [--json] [--quick]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Source } from '../src/definition/source.ts';
import { drillPage } from '../src/drill/drill.ts';
import { addressesLike, shownAtEach } from '../src/drill/pages.ts';
import { extract } from '../src/extract/extract.ts';
import { openProvider } from '../src/provider/declared.ts';
import { bodyOf, pageSizes, productFields, productPage } from './pages.ts';
import { isQuick, show } from './show.ts';
import { rounded } from './statistics.ts';

const url = 'http://shop.test/p/1';
const contentType = 'text/html; charset=utf-8';
const reads = 20;

const fields = {
  ...productFields,
  price: { ...productFields.price, type: 'money' },
  rating: { ...productFields.rating, type: 'number' },
};
const source = Source.parse({ id: 'shop', records: { product: { key: 'sku', fields } } });
const { plan } = openProvider(source).page;

/** The processor time that the process has taken, in ms. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const rows = [];
for (const size of isQuick ? pageSizes.slice(0, 1) : pageSizes) {
  const page = { url, status: 200, html: productPage(1, size).html, contentType };
  const bodies = (await shownAtEach(page, plan, addressesLike(page))).map(({ html }) => bodyOf(html));
  const bareFrom = cpuMs();
  for (let read = 0; read < reads; read += 1)
    for (const body of bodies) await extract({ body, url, status: 200, observedAt: 0, contentType, plan });
  const bareMs = (cpuMs() - bareFrom) / reads;

  const folder = mkdtempSync(join(tmpdir(), 'drill-'));
  const [from, startedAt] = [cpuMs(), performance.now()];
  let [changes, noticed] = [0, 0];
  try {
    for await (const each of drillPage({ source, page, others: [] }, { folder, random: () => 0.5 })) {
      changes += 1;
      if (each.noticed !== 'none') noticed += 1;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const changeMs = (cpuMs() - from) / changes;
  rows.push({
    ...{ kB: size, pages: bodies.length, changes, noticed, changeMs: rounded(changeMs, 1), bareMs: rounded(bareMs, 1) },
    ...{
      ratio: rounded(changeMs / bareMs, 1),
      aSecond: rounded((changes * 1_000) / (performance.now() - startedAt), 1),
    },
  });
}
show('drill', rows);
