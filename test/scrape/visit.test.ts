import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { parseSource } from '../../src/definition/load.ts';
import { openProvider } from '../../src/provider/declared.ts';
import { pageWalk } from '../../src/scrape/open-walk.ts';
import { visitPage } from '../../src/scrape/visit.ts';
import type { Visit } from '../../src/scrape/walk.ts';
import { type PageAnswer, reading, request, visitedAs } from './walking.ts';

const url = 'https://site.test/p';

/** Asks for a page that answers as it is told, try by try; hands back how it went after which tries, by the clock. */
async function tries(
  visit: Visit,
  { nextDueAt, retry, answers }: { nextDueAt: number; retry: string; answers: readonly PageAnswer[] },
): Promise<{ readonly kind: string; readonly at: readonly number[] }> {
  const clock = new VirtualClock(1_000_000);
  const parsed = parseSource(
    `id: site\nretry: ${retry}\nrecords: { item: { key: id, fields: { id: h1 } } }\n`,
    'site.yaml',
  );
  assert.ok(parsed.ok);
  const at: number[] = [];
  const context = {
    clock,
    random: () => 0.5,
    source: parsed.value,
    target: 1,
    address: url,
    dueAt: clock.now(),
    nextDueAt: clock.now() + nextDueAt,
    timeLimitMs: 60_000,
    commit: async () => {
      // What comes next is the pause before another try.
      setImmediate(() => clock.advance(10_000));
    },
    makeRequest: async () => {
      at.push(clock.now() - 1_000_000);
      return visitedAs(answers[at.length - 1] ?? 'unmodified', url).result;
    },
  };
  const { result } = await visitPage(visit, context, new AbortController().signal);
  return { kind: result.outcome.kind, at };
}

const page: Visit = { url, reading, request, page: 7 };
const down: PageAnswer = { cause: 'origin_down' };

describe('a page that fails', () => {
  test('is tried again as long as its definition says, even though its target is due by then, where it is one of many', async () => {
    const retry = '{ times: 3, first: 10s, longest: 10s, within: 1m }';
    const { kind, at } = await tries(page, { nextDueAt: -60_000, retry, answers: [down, down, { keys: ['a'] }] });
    assert.deepEqual([kind, at], ['read', [0, 10_000, 20_000]]);
    const short = '{ times: 3, first: 10s, longest: 10s, within: 15s }';
    const given = await tries(page, { nextDueAt: -60_000, retry: short, answers: [down, down, down, down] });
    assert.deepEqual([given.kind, given.at.length], ['failed', 3]);
  });

  test('is not tried again once its target is due, where it is all that there is', async () => {
    const retry = '{ times: 3, first: 10s, longest: 10s, within: 1m }';
    const parsed = parseSource('id: site\nrecords: { item: { key: id, fields: { id: h1 } } }\n', 'site.yaml');
    assert.ok(parsed.ok);
    const only = pageWalk(url, openProvider(parsed.value), undefined).next();
    assert.ok(only !== undefined);
    const { kind, at } = await tries(only, { nextDueAt: 15_000, retry, answers: [down, down, { keys: ['a'] }] });
    assert.deepEqual([kind, at], ['failed', [0, 10_000]]);
  });
});

test('a page behind a form is tried again from the page of the form, with the hidden value that it has then', async () => {
  const clock = new VirtualClock(1_000_000);
  const parsed = parseSource(
    `id: site
url: "${url}#q={q}"
retry: { times: 2, first: 1s, longest: 1s, within: 1m }
auth: { type: token, url: "https://site.test/token", fields: { key: KEY }, read: { access: "$.token" } }
request: { form: { fields: { q: "{q}" } } }
records: { item: { key: id, fields: { id: h1 } } }
`,
    'site.yaml',
  );
  assert.ok(parsed.ok, JSON.stringify(parsed));
  const visit = pageWalk(`${url}#q=lamps`, openProvider(parsed.value), undefined).next();
  assert.ok(visit !== undefined);
  const sent: string[] = [];
  const answers: PageAnswer[] = [{ cause: 'origin_down' }, { cause: 'login_expired' }, { cause: 'origin_down' }];
  const { result } = await visitPage(
    visit,
    {
      clock,
      random: () => 0.5,
      source: parsed.value,
      target: 1,
      address: url,
      dueAt: clock.now(),
      nextDueAt: Infinity,
      timeLimitMs: 60_000,
      commit: async () => {
        setImmediate(() => clock.advance(10_000));
      },
      makeRequest: async ({ step: { request: asked } }) => {
        const { body, method = 'GET' } = asked;
        sent.push(body !== undefined && 'text' in body ? body.text : method);
        if (method === 'POST') return visitedAs(answers.shift() ?? { keys: ['a'] }, asked.url).result;
        const controls = [
          { name: 't', type: 'hidden', sent: [String(sent.length)] },
          { name: 'q', type: 'text', sent: [] },
        ];
        const form = {
          ok: true,
          shown: 'form',
          action: url,
          method: 'post',
          enctype: '',
          controls,
          values: {},
        } as const;
        return visitedAs({ form }, asked.url).result;
      },
    },
    new AbortController().signal,
  );
  assert.equal(result.outcome.kind, 'read');
  assert.deepEqual(sent, ['GET', 't=1&q=lamps', 'GET', 't=3&q=lamps', 'GET', 't=5&q=lamps', 'GET', 't=7&q=lamps']);
});
