import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { mutations } from '../../src/drill/all.ts';
import { mutate } from '../../src/drill/mutate.ts';
import { listRecords, listSubject, productRecords, productSubject } from '../drill/pages.ts';
import { seeded } from '../drill/seeded.ts';
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
