import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Params } from '../../src/control/methods.ts';
import type { ScrapeOfProjects } from '../../src/control/methods/scrape.ts';
import type { StepView } from '../../src/view/scrape.ts';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';
import { now, project, record, scrape, step } from './views.ts';

const failedStep: StepView = {
  ...step,
  step: 2,
  page: 2,
  status: 503,
  failure: {
    code: 'status',
    message: 'the site answered 503',
    cause: 'rate_limited',
    excerpt: 'Slow\u001B[31m down,\n  please',
  },
};

const loop: ScrapeOfProjects = {
  ...scrape,
  status: 'aborted',
  endReason: 'loop',
  errors: 3,
  counts: { added: 5, changed: 0, confirmed: 0, missing: 2, gone: 1 },
  failure: { code: 'loop', message: '5000 pages without a new record: /calendar/{n}' },
};

describe('what is told of scrapes', () => {
  test('a failed step is shown with its status, message and the beginning of what the site said (J60)', async (t) => {
    const { path } = await serve(t, { 'scrape.get': () => ({ scrape, steps: [step, failedStep] }) });
    const { out } = await run(['scrapes', '41', '--socket', path], { now });
    assert.match(
      out,
      /^ {2}step 2 {2}http:\/\/127\.0\.0\.1\/solar {2}page 2 {2}12ms {2}503, status: the site answered 503 \(rate_limited\)$/m,
    );
    assert.match(out, /^ +it said: Slow down, please$/m);
  });

  test('a scrape that the end of the daemon interrupted took no time that can be told', async (t) => {
    const failure = { code: 'interrupted', message: 'the daemon ended during this scrape' };
    const cut: ScrapeOfProjects = { ...scrape, status: 'failed', failure };
    const { path } = await serve(t, {
      'scrape.get': () => ({ scrape: cut, steps: [] }),
      'scrape.list': () => ({ scrapes: [cut, scrape] }),
    });
    assert.match((await run(['scrapes', '41', '--socket', path], { now })).out, /^scrape 41 failed, /);
    const { out } = await run(['scrapes', '--socket', path], { now });
    assert.deepEqual(
      out.split('\n').map((line) => line.split('\t')[6]),
      ['TOOK', '–', '1.2s', undefined],
    );
  });

  test('a page of a list is shown with its number, status and latency (J80)', async (t) => {
    const { path } = await serve(t, { 'scrape.get': () => ({ scrape, steps: [{ ...step, page: 3, errors: 2 }] }) });
    const { out } = await run(['scrapes', '41', '--socket', path], { now });
    assert.match(out, /step 1 {2}\S+ {2}page 3 {2}12ms {2}200, 5\.1 kB, 0 added, 1 changed, 4 confirmed {2}2 errors$/m);
  });

  test('records that were left out for the key of another are shown with their step and their scrape', async (t) => {
    const one = { scrape: { ...scrape, repeated: 1 }, steps: [{ ...step, repeated: 1 }] };
    const { path } = await serve(t, { 'scrape.get': () => one });
    const { out } = await run(['scrapes', '41', '--socket', path], { now });
    assert.match(out, /^scrape 41 complete with 1 repeated key /m);
    assert.match(out, /^ {2}step 1 .* {2}1 repeated key$/m);
  });

  test('what was noticed at a step is shown under it, the first of it where that is much', async (t) => {
    const notes = Array.from({ length: 23 }, (_, index) => `Undefined field: trial - f${index}`);
    const { path } = await serve(t, { 'scrape.get': () => ({ scrape, steps: [{ ...step, notes }] }) });
    const { out } = await run(['scrapes', '41', '--socket', path], { now });
    assert.match(out, /^ {2}step 1 .*\n {6}Undefined field: trial - f0\n/m);
    assert.match(out, /- f19\n +… and 3 notes more: --json has them all$/m);
  });

  test('a value that could not be read is shown under its step', async (t) => {
    const price = { record: 'product', field: 'price', text: 'soon', expected: 'money' };
    const unparsed = [
      { ...price, key: 'lamp' },
      { ...price, position: 3 },
    ];
    const { path } = await serve(t, { 'scrape.get': () => ({ scrape, steps: [{ ...step, unparsed }] }) });
    const { out } = await run(['scrapes', '41', '--socket', path], { now });
    assert.match(
      out,
      /^ {2}step 1 .*\n {6}product lamp price: expected money, got "soon"\n {6}product no\. 3 price: expected money/m,
    );
  });

  test('an aborted scrape is shown with its reason, errors and message, and what went missing', async (t) => {
    const { path } = await serve(t, {
      'scrape.get': () => ({ scrape: loop, steps: [] }),
      'scrape.list': () => ({
        scrapes: [loop, { ...scrape, endReason: 'known', wish: { full: true, args: ['a b'] } }],
      }),
    });
    const one = await run(['scrapes', '41', '--socket', path], { now });
    assert.match(
      one.out,
      /^scrape 41 aborted: loop with 3 errors in 1\.2s, .*, 2 missing, 1 gone: loop: 5000 pages without/,
    );
    const list = await run(['scrapes', '--status', 'aborted', '--socket', path], { now });
    assert.match(list.out, /\taborted: loop with 3 errors\tdue\t.*\t\+5 ~0 =0 \?2 -1\tloop: 5000 pages/);
    assert.match(list.out, /\tcomplete\tdue full with "a b"\t.*\tknown$/m);
  });

  test('show tells a record that crawls no longer find, and the last error with what the site said', async (t) => {
    const [first, second] = project.targets;
    const lastError = { code: 'status', message: 'the site answered 503', excerpt: 'Slow down' };
    const { path } = await serve(t, {
      'project.get': () => ({
        ...project,
        targets: [first, { ...second, lastError }].flatMap((each) => each ?? []) as typeof project.targets,
      }),
      'project.records': () => ({ records: [{ ...record, absent: { since: now - 86_400_000, times: 2, scrape: 3 } }] }),
    });
    const { out } = await run(['show', 'solar', '--socket', path], { now });
    assert.match(out, /^crowd campaign solar: absent since 1d ago, for 2 complete scrapes$/m);
    assert.match(out, /^ +it said: Slow down$/m);
  });

  test('history has a row for a record that is missing or gone, or back as it was', async (t) => {
    const row = {
      serial: 1,
      record: 3,
      target: 7,
      source: 'shop',
      type: 'product',
      key: 'A',
      at: now,
      scrape: 4,
      version: '',
      fields: {},
    };
    const { path } = await serve(t, {
      'project.history': () => ({
        changes: [
          { ...row, kind: 'gone' },
          { ...row, kind: 'missing' },
          { ...row, kind: 'changed' },
        ],
      }),
    });
    const { out } = await run(['history', 'shop', '--socket', path], { now });
    assert.equal(
      out,
      'shop product: 3 changes\nWHEN\tKEY\tKIND\tSCRAPE\nnow\tA\tgone\t4\nnow\tA\tmissing\t4\nnow\tA\tback\t4\n',
    );
  });

  test('watch tells the errors of a scrape, and records that are missing', async (t) => {
    const server = await serve(t, {
      'event.subscribe': (_, { notify }) => {
        const counts = { added: 0, changed: 0, confirmed: 1, missing: 4 };
        const of = { projects: ['solar'], source: 'crowd', target: 7, scrape: 42 };
        const data = { reason: 'due', steps: 1, counts, errors: 3 } as const;
        notify({ id: 5, version: 1, at: 0, type: 'scrape.completed', ...of, data });
        setImmediate(() => void server.close());
        return { after: 4 };
      },
    });
    const { out } = await run(['watch', '--socket', server.path]);
    assert.equal(
      out,
      '5 00:00:00  scrape.completed  solar crowd  reason=due  1 step  0 added, 0 changed, 1 confirmed, 4 missing  3 errors\n',
    );
  });

  test('rescrape hands on how the scrape is to go, and refuses days that no calendar has', async (t) => {
    const asked: Params<'project.rescrape'>[] = [];
    const { path } = await serve(t, {
      'project.rescrape': (params) => {
        asked.push(params);
        return { scrapes: [] };
      },
    });
    const days = ['--from', '2016-03-01', '--to', '2016-03-31'];
    await run(['rescrape', 'register', '--full', ...days, '--arg', 'a', '--arg', '-b', '--socket', path]);
    await run(['rescrape', 'register', '--socket', path]);
    assert.deepEqual(asked, [
      { id: 'register', wish: { full: true, from: '2016-03-01', to: '2016-03-31', args: ['a', '-b'] } },
      { id: 'register' },
    ]);
    const refused = await run(['rescrape', 'register', '--from', '2016-02-30', '--socket', path]);
    assert.deepEqual([refused.status, asked.length], [2, 2]);
  });
});
