import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { mutations } from '../../src/drill/all.ts';
import { mutate } from '../../src/drill/mutate.ts';
import { Source } from '../../src/definition/source.ts';
import { planOf } from '../../src/provider/plans.ts';
import { productPage, productPageRecords, products, redesignedPage } from '../drill/product-pages.ts';
import { listRecords, listSubject, productRecords, productSubject } from '../drill/pages.ts';
import { Cause } from '../../src/view/ticket.ts';
import { WorkBudget } from '../../src/work-budget.ts';
import { seeded } from '../../src/drill/seeded.ts';
import { drilled, readPage, symptomsBetween } from './drilled.ts';

const list = drilled(listSubject().page, listRecords);
const product = drilled(productSubject().page, productRecords);

describe('the cause of a page that changed', () => {
  for (const mutation of mutations)
    test(`is named by evidence: ${mutation.name}`, async () => {
      let looked = 0;
      for (const { plan, subject } of [list, product]) {
        const good = await readPage(subject.page, plan);
        for (const seed of [7_919, 15_838, 23_757]) {
          const changed = mutate(subject, mutation, seeded(seed));
          if (changed === undefined) continue;
          const bad = await readPage(changed.page, plan);
          const symptoms = symptomsBetween(good, bad);
          if (symptoms.length === 0) continue;
          const { kind, says } = diagnose({ symptoms, asked: subject.page.url, good, bad });
          looked += 1;
          assert.ok(mutation.causes.includes(kind), `${changed.field.field}: ${kind}: ${says.join('; ')}`);
          assert.ok(says.length > 0);
        }
      }
      assert.ok(looked > 0, 'expected the mutation to be noticed on one of the pages');
    });

  test('is unknown where nothing speaks for any', async () => {
    const { plan, subject } = product;
    const good = await readPage(subject.page, plan);
    const bad = await readPage(
      { ...subject.page, html: subject.page.html.replace('>Solar kettle №12<', '>Lunar pot №12<') },
      plan,
    );
    const symptoms = symptomsBetween(good, bad);
    assert.equal(symptoms.length, 1);
    assert.equal(diagnose({ symptoms, asked: subject.page.url, good, bad }).kind, 'unknown');
  });

  const withText = (text: string) => ({ ...product.subject.page, html: shown(text) });
  const shown = (text: string): string => product.subject.page.html.replace('<p class="text">', `<p>${text}</p>$&`);

  for (const text of ['Nescafé® Gold', '«Le Café»', 'Fläché²', 'CAFÉ¹ Ã la carte'])
    test(`is no lost encoding where text is right: ${text}`, async () => {
      const { plan, subject } = product;
      const good = await readPage(subject.page, plan);
      const { html } = withText(text);
      const bad = await readPage({ ...subject.page, html: html.replace('class="price"', 'class="cost"') }, plan);
      const { kind, says } = diagnose({ symptoms: symptomsBetween(good, bad), asked: subject.page.url, good, bad });
      assert.equal(kind, 'rule_lost', says.join('; '));
    });

  for (const charset of ['latin1', 'windows-1252'] as const)
    test(`is a lost encoding where words of the good page were read as ${charset}`, async () => {
      const { plan, subject } = product;
      const page = withText('Crème brûlée – naïve façade');
      const good = await readPage(page, plan);
      const octets = Buffer.from(page.html, 'utf8');
      const html = charset === 'latin1' ? octets.toString('latin1') : new TextDecoder(charset).decode(octets);
      const bad = await readPage({ ...page, html }, plan);
      const { kind } = diagnose({ symptoms: symptomsBetween(good, bad), asked: subject.page.url, good, bad });
      assert.equal(kind, 'encoding');
    });

  test('is no redirect to the start page where the good page came from there as well', async () => {
    const { plan, subject } = list;
    const page = { ...subject.page, url: 'https://shop.example/' };
    const good = await readPage(page, plan);
    const bad = await readPage({ ...page, html: page.html.replaceAll('class="product"', 'class="card"') }, plan);
    const symptoms = symptomsBetween(good, bad);
    const asked = 'https://shop.example/?lang=en';
    assert.equal(diagnose({ symptoms, asked, good, bad }).kind, 'rule_lost');
    const elsewhere = { ...good, url: asked };
    assert.equal(diagnose({ symptoms, asked, good: elsewhere, bad }).kind, 'redirected_home');
  });

  describe('of one record', () => {
    const [shown = ''] = products(1).map(productPage);
    const url = 'https://shop.example/p/100';
    const plan = planOf(Source.parse({ id: 'shop', url, records: productPageRecords }));
    const causeOf = async (html: string): Promise<Cause> => {
      const [good, bad] = [
        await readPage({ url, status: 200, html: shown }, plan),
        await readPage({ url, status: 200, html }, plan),
      ];
      return diagnose({ symptoms: symptomsBetween(good, bad), asked: url, good, bad });
    };

    test('is that it was laid out anew, where all that was read of it is still there, though less often', async () => {
      const [product] = products(1);
      assert.ok(product);
      const { kind, says } = await causeOf(redesignedPage(product));
      assert.equal(kind, 'layout_moved', says.join('; '));
      assert.match(says.at(-1) ?? '', /^100 % of the values/);
    });

    test('is that the record was cut, where hardly anything of it is left', async () => {
      const cut = shown.replace(/<div class="product"[^]*?<\/div>/, '');
      assert.equal((await causeOf(cut)).kind, 'items_cut');
      const elsewhere = cut.replace('<p class="desc">', '<p>Others have bought Nordwerk.</p>$&');
      assert.equal((await causeOf(elsewhere)).kind, 'items_cut');
    });
  });

  describe('whose rule still matches', () => {
    const causeWith = async (text: (at: number) => string): Promise<Cause> => {
      const { plan, subject } = list;
      const good = await readPage(subject.page, plan);
      let at = 0;
      const html = subject.page.html.replaceAll(/€[\d.]+/g, () => text((at += 1)));
      const bad = await readPage({ ...subject.page, html }, plan);
      return diagnose({ symptoms: symptomsBetween(good, bad), asked: subject.page.url, good, bad });
    };

    test('is another currency, also where its sign is that of several', async () => {
      const { kind, says } = await causeWith((at) => `$${at}2.00`);
      assert.deepEqual(
        [kind, says],
        [
          'currency_changed',
          [
            'price says "$12.00" on 20 records, and was in EUR',
            'a rule with "currency" or "locale" says which currency that is',
          ],
        ],
      );
      assert.equal((await causeWith((at) => `€${at}2.00`)).kind, 'unknown');
    });

    test('is no lost rule, and its evidence is the text that could not be read', async () => {
      const { kind, says, rules } = await causeWith(() => 'Sold out');
      assert.deepEqual([kind, rules], ['field_removed', undefined]);
      assert.match(
        says[0] ?? '',
        /^product\.price: \.offer > \.price matched on 20, now on 20, where 20 could not be read: "Sold out", expected /,
      );
    });
  });

  test('says which rule matched how often before and now', async () => {
    const { plan, subject } = list;
    const good = await readPage(subject.page, plan);
    const html = subject.page.html.replaceAll('class="price"', 'class="cost"');
    const bad = await readPage({ ...subject.page, html }, plan);
    const { kind, rules } = diagnose({ symptoms: symptomsBetween(good, bad), asked: subject.page.url, good, bad });
    assert.equal(kind, 'rule_lost');
    assert.deepEqual(rules, [{ record: 'product', field: 'price', place: '.offer > .price', before: 20, after: 0 }]);
  });
});

/** A list of products whose classes are `name` and `name-…`, read as a definition for `item` reads it. */
function shopPage(count: number, name: 'item' | 'card', fields = 4) {
  const numbers = Array.from({ length: count }, (_, number) => number);
  const names = Array.from({ length: fields }, (_, number) => `f${number}`);
  const html = numbers
    .map((number) => {
      const texts = names.map((field) => `<p class="${name}-${field}">${field} of lamp ${number}</p>`);
      return `<div class="${name}"><h2>Lamp ${number}</h2><b>${10 + number}.90 EUR</b>${texts.join('')}</div>`;
    })
    .join('');
  const url = 'https://shop.example/lamps/';
  const page = { url, status: 200, contentType: 'text/html', source: `<html><body>${html}</body></html>` };
  if (name === 'card') return { ...page, items: [], drafts: [] };
  const valuesOf = (number: number) => names.map((field) => [field, `${field} of lamp ${number}`] as const);
  const drafts = numbers.map((number) => ({
    type: 'product',
    key: `${number}`,
    fields: { price: { amount: `${10 + number}.90`, currency: 'EUR' }, ...Object.fromEntries(valuesOf(number)) },
  }));
  const item = { record: 'product', fields: [] };
  return { ...page, items: numbers.map(() => item), drafts };
}

describe('the search for the cause', () => {
  test('takes a bounded amount of work on a page of thousands of records', () => {
    const [good, bad] = [shopPage(4_000, 'item'), shopPage(4_000, 'card')];
    const symptoms = [{ kind: 'records' as const, record: 'product', measure: 'records', observed: 0 }];
    const cause = new WorkBudget(60_000_000).run(() => diagnose({ symptoms, asked: good.url, good, bad }));
    assert.equal(cause.kind, 'layout_moved');
    assert.match(cause.says.at(-1) ?? '', /^100 % of the values/);
  });

  test('keeps to the bounds of a cause where more fields are lost than it can name', () => {
    const read = (name: 'item' | 'card') => {
      const page = shopPage(1, name, 60);
      const names = Array.from({ length: 60 }, (_, number) => `f${number}`);
      const value = (field: string) => (name === 'item' ? `${field} of lamp 0` : null);
      const fields = names.map((field) => ({ name: field, value: value(field), lost: [], filters: [] }));
      return { ...page, items: [{ record: 'product', fields }] };
    };
    const good = read('item');
    const bad = { ...read('card'), drafts: [{ type: 'product', key: '0', fields: {} }] };
    const symptoms = good.items[0]?.fields.map(({ name }) => ({
      kind: 'field' as const,
      record: 'product',
      field: name,
      measure: 'fill',
      observed: 0,
    }));
    const cause = diagnose({ symptoms: symptoms ?? [], asked: good.url, good, bad });
    assert.deepEqual(Cause.parse(cause), cause);
    assert.equal(cause.kind, 'layout_moved');
    assert.ok(cause.says.includes('45 more fields have fewer values than before'), cause.says.join('; '));
  });
});
