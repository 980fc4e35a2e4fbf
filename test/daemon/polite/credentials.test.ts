import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SentCredentials } from '../../../src/request/sent-credentials.ts';
import { Secret } from '../../../src/session/secret.ts';
import { redactedClose, redactedStep } from '../../../src/scrape/step-ops.ts';
import { ScrapeLog } from '../../../src/scrape/scrape-log.ts';
import type { StepOps } from '../../../src/store/ops.ts';
import { loopEnd } from '../../../src/scrape/crawl-end.ts';
import { step } from '../../store/fixture.ts';
import { threadMsOf } from '../../support/thread-time.ts';

/** Cookies as answers set them, each another. */
function cookies(count: number, length: number, letter = 'c'): string[] {
  return Array.from({ length: count }, (_, index) => `c${index}=${`${letter}${index}-`.padEnd(length, 'x')}; Path=/`);
}

/** An URL that repeats the value of a cookie. */
function repeating(setCookie = ''): string {
  return `http://h.test/?t=${setCookie.slice(setCookie.indexOf('=') + 1, setCookie.indexOf(';'))}`;
}

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
      const teller = new ScrapeLog((...line) => void logged.push(line), of);
      const ops = teller.ops(redactedStep(sent, opsWith(text)));
      assert.doesNotMatch(JSON.stringify([ops, logged]), /abcdefgh/);
      assert.match(JSON.stringify(logged), /is odd/);
      assert.equal(ops.log.url, 'http://h.test/?t=…');
    });

  test('is in no address of a crawl that is taken for endless', () => {
    const sent = new SentCredentials();
    sent.note({ cookie: 'sid=abcdefgh-1' });
    const url = 'http://h.test/list;sid=abcdefgh-1?page=7';
    const told = redactedClose(
      sent,
      loopEnd(1, {
        go: false,
        reason: 'loop',
        template: 'h.test/list;sid=abcdefgh-1?page',
        pages: 5_000,
        samples: [url],
        signals: { share: 1, nearDuplicates: 1, growing: [], knownDetails: 0 },
      }),
    );
    assert.doesNotMatch(JSON.stringify(told), /abcdefgh/);
    assert.deepEqual(told.crawl?.loop?.samples, ['http://h.test/list;sid=…?page=7']);
  });

  test('is known by what an answer sets as well', () => {
    const sent = new SentCredentials();
    sent.noteSet(['sid="abcdefgh-quoted"; Path=/; HttpOnly', 'lang=en', 'broken']);
    assert.equal(sent.url('http://h.test/a;sid=abcdefgh-quoted?lang=en'), 'http://h.test/a;sid=…?lang=en');
    assert.equal(sent.url('http://h.test/a?p=HttpOnly'), 'http://h.test/a?p=HttpOnly');
  });

  test('is hidden up to 500 cookies and 128 Ki characters of what answers set, and those set longest ago are forgotten', () => {
    for (const [length, kept] of [
      [32, 500],
      [4_096, 32],
    ] as const) {
      const sent = new SentCredentials();
      const all = cookies(600, length);
      sent.noteSet(all.slice(0, 300));
      sent.noteSet(all.slice(300));
      assert.notEqual(sent.url(repeating(all[599 - kept])), 'http://h.test/?t=…');
      for (const each of all.slice(600 - kept)) assert.equal(sent.url(repeating(each)), 'http://h.test/?t=…');
    }
  });

  test('is not forgotten for what an answer sets', () => {
    const sent = new SentCredentials();
    sent.note({ cookie: 'sid=of-the-session', authorization: 'Bearer of-the-log-in' });
    sent.noteRead([new Secret('SHOP_KEY', 'of-the-plug-in')]);
    for (let round = 0; round < 20; round += 1) sent.noteSet(cookies(100, 2_000, `${round}-`));
    for (const text of ['of-the-session', 'of-the-log-in', 'of-the-plug-in'])
      assert.equal(sent.url(`http://h.test/?t=${text}`), 'http://h.test/?t=…');
  });

  test('stays known as sent where an answer sets it once more', () => {
    const sent = new SentCredentials();
    sent.note({ cookie: 'sid=of-the-session' });
    sent.noteSet(['sid=of-the-session; Path=/', ...cookies(600, 32)]);
    assert.equal(sent.text('at of-the-session'), 'at [secret cookie]');
  });

  test('holds nothing up, however many and long cookies a site sets', () => {
    for (const length of [32, 1_000, 3_900]) {
      const sent = new SentCredentials();
      sent.noteSet(cookies(500, length));
      const took = threadMsOf(() => {
        for (let time = 0; time < 100; time += 1) redactedStep(sent, opsWith('s%3aabcd'));
      });
      // A hundredth of it, in fact.
      assert.ok(took < 1_000, `${took} ms`);
    }
  });
});
