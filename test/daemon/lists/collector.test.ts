import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { VirtualClock } from '../../../src/clock.ts';
import type { ScrapeView, ScrapeWish } from '../../../src/view/scrape.ts';
import { startTimed, type TimedDaemon } from '../passing.ts';
import { openSite, type Site } from '../../support/site.ts';
import { startOwnDaemon, daemonFolder } from '../own-daemon.ts';
import { hold } from '../tracking.ts';
import { answerBy, isEnd } from './listing.ts';

const source = `id: register
provider: json
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
collect: { since: { record: trial, fields: [published] }, start: '2008-01-01' }
records:
  trial:
    key: id
    each: { json: '$.items[*]' }
    fields:
      id: { json: $.id }
      published: { json: $.published, type: date }
`;

const lastDay = Date.UTC(2008, 11, 31, 12);

interface Trial {
  readonly id?: string;
  readonly published?: string;
}

interface Register {
  readonly site: Site;
  readonly trials: Trial[];
  /** Answers again, after requests were held. */
  show(): void;
  /** Windows that were asked for so far, as `from..to`. */
  windows(): string[];
}

/** A register that gives the trials of the days that it is asked for. */
async function openRegister(t: TestContext, ...trials: Trial[]): Promise<Register> {
  const site = await openSite(t);
  const show = (): void =>
    answerBy(site, '/trials', (query) => {
      const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
      return { items: trials.filter(({ published = from }) => from <= published && published <= to) };
    });
  show();
  const windows = () =>
    site.asked
      .map(({ path }) => new URL(path, site.origin).searchParams)
      .map((query) => `${query.get('from')}..${query.get('to')}`);
  return { site, trials, windows, show };
}

interface Collecting extends Register {
  readonly daemon: TimedDaemon;
  /** Runs one scrape to its end. */
  run(wish?: ScrapeWish): Promise<ScrapeView>;
}

async function collecting(t: TestContext, more = '', ...trials: Trial[]): Promise<Collecting> {
  const register = await openRegister(t, ...trials);
  const clock = new VirtualClock(lastDay);
  const daemon = await startTimed(t, { sources: { register: source + more }, clock });
  await daemon.track('all', { source: 'register', url: register.site.url('/trials') });
  const run = async (wish?: ScrapeWish): Promise<ScrapeView> => {
    if (daemon.starts('all').length > 0)
      await daemon.client.call('project.rescrape', { id: 'all', ...(wish && { wish }) });
    await daemon.pass(20_000);
    const { scrapes } = await daemon.client.call('scrape.list', { project: 'all' });
    const [newest] = scrapes;
    assert.ok(newest !== undefined);
    return newest;
  };
  return { ...register, daemon, run };
}

async function keys({ client }: TimedDaemon): Promise<string[]> {
  const { records } = await client.call('project.records', { id: 'all' });
  return records.map(({ key }) => key);
}

const year = ['2008-01-01..2008-04-10', '2008-04-11..2008-07-20', '2008-07-21..2008-10-29', '2008-10-30..2008-12-31'];

describe('a collector', () => {
  test('reads all windows from its start, with a pause between two, and goes on from the newest day the next time (O28, O30, O31)', async (t) => {
    const { daemon, run, windows, trials } = await collecting(
      t,
      '',
      { id: 'a', published: '2008-02-01' },
      { id: 'b', published: '2008-11-05' },
    );
    const first = await run();
    assert.deepEqual(windows(), year);
    assert.deepEqual([first.status, first.counts.added], ['complete', 2]);
    const [, ...later] = daemon.sent;
    for (const [index, { at }] of later.entries()) assert.ok(at - (daemon.sent[index]?.at ?? 0) >= 1_000);
    trials.push({ id: 'c', published: '2008-12-24' });
    const second = await run();
    assert.deepEqual(windows().slice(4), ['2008-11-05..2008-12-31']);
    assert.deepEqual([second.counts, await keys(daemon)], [{ added: 1, changed: 0, confirmed: 1 }, ['a', 'b', 'c']]);
  });

  test('reads the days that a person names, and goes on from where it was after that (O33)', async (t) => {
    const { run, windows } = await collecting(
      t,
      '',
      { id: 'a', published: '2008-11-05' },
      { id: 'b', published: '2008-12-30' },
    );
    await run({});
    await run({ from: '2001-01-01', to: '2001-02-01' });
    await run({ from: '2008-12-31' });
    await run();
    assert.deepEqual(windows().slice(4), [
      '2001-01-01..2001-02-01',
      '2008-12-31..2008-12-31',
      '2008-12-30..2008-12-31',
    ]);
  });

  test('whose newest day is to come asks for nothing and completes (O32)', async (t) => {
    const { daemon, run, windows } = await collecting(t, '', { id: 'a', published: '2008-12-31' });
    await run();
    daemon.clock.advance(1);
    const { client } = daemon;
    await client.call('project.rescrape', { id: 'all', wish: { from: '2009-06-01' } });
    await daemon.pass(5_000);
    const { scrapes } = await client.call('scrape.list', { project: 'all' });
    assert.deepEqual([scrapes[0]?.status, scrapes[0]?.steps, windows().length], ['complete', 0, 4]);
  });

  test('goes on past an item that is an error, and counts it with its page (O34)', async (t) => {
    const trials = Array.from({ length: 10 }, (_, index) => ({ id: `t${index}`, published: '2008-02-01' }));
    const { daemon, run } = await collecting(
      t,
      '',
      ...trials,
      { published: '2008-02-02' },
      { id: 'z', published: '2008-11-01' },
    );
    const scrape = await run();
    assert.deepEqual([scrape.status, scrape.errors, scrape.counts.added], ['complete', 1, 11]);
    const { steps } = await daemon.client.call('scrape.get', { scrape: scrape.scrape });
    assert.deepEqual(
      steps.map(({ errors }) => errors),
      [1, undefined, undefined, undefined],
    );
    assert.match(steps[0]?.url ?? '', /\/trials\?from=2008-01-01/);
  });

  test('fails when too many items are errors, of ten at least, and reads that window again (O35)', async (t) => {
    const bad = Array.from({ length: 3 }, () => ({ published: '2008-06-01' }));
    const good = Array.from({ length: 8 }, (_, index) => ({ id: `g${index}`, published: '2008-06-01' }));
    const { run, windows, trials } = await collecting(t, '', { id: 'a', published: '2008-03-01' }, ...bad, ...good);
    const failed = await run();
    assert.deepEqual([failed.status, failed.failure?.code, failed.errors], ['failed', 'too_many_errors', 3]);
    trials.splice(1, 3);
    assert.equal((await run()).status, 'complete');
    assert.deepEqual(windows().slice(0, 3), [...year.slice(0, 2), '2008-03-01..2008-06-09']);
  });

  test('takes a window without anything for what it is (O36)', async (t) => {
    const { run } = await collecting(t);
    const scrape = await run();
    assert.deepEqual([scrape.status, scrape.errors, scrape.steps], ['complete', undefined, 4]);
  });

  test('that is killed in a window reads that again and leaves no day out, nor stores a trial twice (O44)', async (t) => {
    const today = new Date().toISOString().slice(0, 10);
    const trials = Array.from({ length: 12 }, (_, index) => ({
      id: `t${index}`,
      published: day(today, -11 * (12 - index)),
    }));
    const { site, windows, show } = await openRegister(t, ...trials);
    const weekly = source.replace("start: '2008-01-01'", `start: '${day(today, -140)}', window: 6, pause: 20ms`);
    const folder = await daemonFolder(t, { register: weekly });
    const first = await startOwnDaemon(folder);
    await first.client.call('project.add', { id: 'all', targets: [{ source: 'register', url: site.url('/trials') }] });
    await site.nextAsked('/trials');
    await site.nextAsked('/trials');
    await hold(site, '/trials');
    await first.kill();
    const before = windows().length;
    show();
    const { client } = await startOwnDaemon(folder);
    const { promise, resolve } = Promise.withResolvers<void>();
    await client.subscribe({ after: 0 }, (event) => {
      if (isEnd(event) && event.type === 'scrape.completed') resolve();
    });
    await promise;
    const { records } = await client.call('project.records', { id: 'all' });
    assert.equal(records.length, 12);
    const again = windows()[before]?.slice(0, 10) ?? '';
    assert.ok(again <= (windows()[before - 1]?.slice(0, 10) ?? ''), again);
  });
});

function day(from: string, days: number): string {
  return new Date(Date.parse(from) + days * 86_400_000).toISOString().slice(0, 10);
}
