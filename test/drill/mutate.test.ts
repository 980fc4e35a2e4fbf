import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mutations } from '../../src/drill/all.ts';
import { mutate } from '../../src/drill/mutate.ts';
import { subjectOf } from '../../src/drill/subject.ts';
import { planOf } from '../../src/provider/plans.ts';
import { Source } from '../../src/definition/source.ts';
import { listSubject, productSubject } from './pages.ts';
import { seeded } from '../../src/drill/seeded.ts';

/** The words that a page shows or has in attributes of data. */
const wordsOf = (html: string): ReadonlySet<string> =>
  new Set(
    html
      .replace(/<head>.*<\/head>/s, '')
      .replaceAll(/\s(?:class|id|href)="[^"]*"/g, ' ')
      .match(/[\p{L}\d.]+/gu)
      ?.filter((word) => /\d/.test(word)) ?? [],
  );

describe('a drill', () => {
  test('has at least thirty ways to change a page, each with a name of its own', () => {
    assert.ok(mutations.length >= 30, `${mutations.length}`);
    assert.equal(new Set(mutations.map(({ name }) => name)).size, mutations.length);
  });

  test('changes a list or a page of a product in each of them', () => {
    for (const mutation of mutations) {
      const changed = [listSubject(), productSubject()].map((subject) => mutate(subject, mutation, seeded(7)));
      assert.ok(
        changed.some((each) => each !== undefined),
        mutation.name,
      );
    }
  });

  test('changes a page in the same way for the same random numbers', () => {
    for (const mutation of mutations)
      assert.deepEqual(mutate(listSubject(), mutation, seeded(3)), mutate(listSubject(), mutation, seeded(3)));
  });

  test('leaves every number on the page where it only says the same in other markup', () => {
    for (const mutation of mutations.filter(({ keepsAll }) => keepsAll))
      for (const subject of [listSubject(), productSubject()]) {
        const changed = mutate(subject, mutation, seeded(5));
        if (changed === undefined) continue;
        const after = wordsOf(changed.page.html);
        const lost = [...wordsOf(subject.page.html)].filter((word) => !after.has(word) && !/^p\d*$/.test(word));
        // What only an attribute says is not shown, and a page that is laid out anew may drop it.
        if (mutation.name !== 'laid out anew') assert.deepEqual(lost, [], mutation.name);
      }
  });

  test('names the same thing alike in each record of a page that is laid out anew, also where some lack it', () => {
    const subject = listSubject();
    const html = subject.page.html.replace('<span class="price">€10.00</span>', '');
    const anew = mutations.filter(({ name }) => name === 'laid out anew');
    const [changed] = anew.map((mutation) =>
      mutate({ ...subject, page: { ...subject.page, html } }, mutation, seeded(1)),
    );
    const stocks = Array.from(changed?.page.html.matchAll(/<p class="([a-z]+)">\d+ left/g) ?? [], ([, name]) => name);
    assert.deepEqual([stocks.length, new Set(stocks).size], [20, 1]);
  });

  test('passes over a page that has nothing of the kind', () => {
    const subject = { ...productSubject(), fields: [] };
    assert.equal(
      mutations.every((mutation) => mutate(subject, mutation, seeded(1)) === undefined),
      true,
    );
  });
});

test('a definition says which selectors a drill changes, and of which records', () => {
  const source = Source.parse({
    id: 'shop',
    url: 'https://shop.example/',
    records: {
      product: {
        each: 'li.product',
        key: 'sku',
        fields: { sku: { attr: 'data-sku' }, title: 'h2 a', at: { page: 'url' } },
      },
    },
  });
  const subject = subjectOf(listSubject().page, planOf(source));
  assert.deepEqual([subject?.items, subject?.key], ['li.product', ['sku']]);
  assert.deepEqual(subject?.fields, [{ record: 'product', field: 'title', css: 'h2 a', attr: undefined }]);
});
