import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SentCredentials } from '../../../src/daemon/credentials.ts';
import { ScrapeTeller } from '../../../src/daemon/teller.ts';
import type { StepOps } from '../../../src/store/ops.ts';
import { step } from '../../store/fixture.ts';

/** What is written of a step whose address and notes repeat a text. */
function opsWith(text: string): StepOps {
  const ops = step(1, [], {});
  return { ...ops, log: { ...ops.log, url: `http://h.test/?t=${text}`, notes: [`http://h.test/?t=${text} is odd`] } };
}

describe('what was sent for a scrape', () => {
  for (const [what, cookie, text] of [
    ['in small escapes', 's:abcdefgh/xyz', 's%3aabcdefgh%2fxyz'],
    ['without its quotes', '"abcdefgh-quoted"', 'abcdefgh-quoted'],
    ['decoded', 'abcdefgh%3D%3D', 'abcdefgh=='],
  ] as const)
    test(`is neither stored nor logged where a note repeats it ${what}`, () => {
      const sent = new SentCredentials();
      sent.note({ cookie: `lang=en; sid=${cookie}` });
      const logged: unknown[] = [];
      const of = { source: 'shop', project: 'p', scrape: 1 };
      const teller = new ScrapeTeller((...line) => void logged.push(line), of);
      const ops = teller.ops(sent.ops(opsWith(text)));
      assert.doesNotMatch(JSON.stringify([ops, logged]), /abcdefgh/);
      assert.match(JSON.stringify(logged), /is odd/);
      assert.equal(ops.log.url, 'http://h.test/?t=…');
    });

  test('is known by what an answer sets as well', () => {
    const sent = new SentCredentials();
    sent.noteSet(['sid="abcdefgh-quoted"; Path=/; HttpOnly', 'lang=en', 'broken']);
    assert.equal(sent.url('http://h.test/a;sid=abcdefgh-quoted?lang=en'), 'http://h.test/a;sid=…?lang=en');
    assert.equal(sent.url('http://h.test/a?p=HttpOnly'), 'http://h.test/a?p=HttpOnly');
  });
});
