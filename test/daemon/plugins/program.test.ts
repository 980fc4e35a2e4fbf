import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretsFrom } from '../../../src/session/secret-store.ts';
import { untilEnded } from '../../support/until-ended.ts';
import { recordsOf } from '../lists/listing.ts';
import { startPlugged, told } from './plugging.ts';

const source = (id: string, more = '', args = '', limit = '1s') => `id: ${id}
${more}
collect: { command: [sh, ${id}.sh${args}], since: { record: trial, fields: [begun] } }
limits: { collect: ${limit} }
politeness: { autoThrottle: false, delay: 0ms, minDelay: 0ms }
records: { trial: { key: id, fields: { id: {}, title: {}, begun: { type: date } } } }
`;

/** Starts a process in a session of its own, which holds the outputs open, and tells its number. */
const apart = `console.error(require("child_process").spawn("sleep", ["300"], { detached: true, stdio: "inherit" }).pid); process.exit()`;

const here = { params: {} };
const line = (id: string, fields = {}) => `echo '${JSON.stringify({ fields: { id, ...fields } })}'`;

test('a program that collects', async (t) => {
  const programs = {
    'trials.sh': `echo "asks for $HERONRY_PARAM_TOPIC since $HERONRY_SINCE_BEGUN with $1, $HERONRY_ARG_1, $HERONRY_SECRET_KEY" >&2
echo "{\\"type\\": \\"trial\\", \\"key\\": \\"k\\", \\"fields\\": {\\"id\\": \\"t1\\", \\"title\\": \\"$(env | grep -c SECRET)\\"}}"
${line('t2', { begun: '2024-03-01' })}
${line('t3', { begun: '2024-02-01' })}
cat`,
    'fails.sh': `${line('f1')}\necho "no answer for canary-key" >&2; exit 3`,
    'prints.sh': `echo 'starting…'; echo '{"fields": {"id": 1}}'; for n in 1 2 3 4 5 6 7 8 9 10; do echo "{\\"fields\\": {\\"id\\": \\"p$n\\"}}"; done`,
    'long.sh': "head -c 1100000 /dev/zero | tr '\\0' x; sleep 60",
    'lacks.sh': line('never'),
    'leaves.sh': `${line('l1')}\nexec node -e '${apart}'`,
    'hangs.sh': `${line('h1')}\nsleep 300 &\necho "$!" >&2\nwait`,
  };
  const daemon = await startPlugged(
    t,
    { ...programs },
    {
      findSecrets: secretsFrom({ environment: { HERONRY_SECRET_KEY: 'canary-key', HERONRY_SECRET_OTHER: 'other' } }),
      sources: {
        trials: source('trials', 'secrets: [KEY]', ', west'),
        fails: source('fails', 'secrets: [KEY]'),
        lacks: source('lacks', 'secrets: [KEY, PIN]'),
        prints: source('prints'),
        long: source('long'),
        leaves: source('leaves', '', '', '60s'),
        hangs: source('hangs'),
      },
    },
  );

  await t.test('gives one record a line, and is told parameters, arguments, dates and its own secrets', async () => {
    const first = await daemon.track('trials', { params: { topic: 'sleep' } });
    assert.deepEqual([first.scrape.status, first.scrape.counts.added], ['complete', 3], JSON.stringify(first));
    const records = await recordsOf(daemon.client, 'trials');
    assert.deepEqual([...records.keys()].sort(), ['k', 't2', 't3']);
    assert.equal(records.get('k')?.fields['title']?.value, '1');
    await daemon.again('trials', { args: ['a b'] });
    assert.deepEqual(told(daemon, /asks for/), [
      'info asks for sleep since  with west, , [secret KEY]',
      'info asks for sleep since 2024-03-01 with west, a b, [secret KEY]',
    ]);
    await daemon.again('trials', { full: true });
    assert.equal(told(daemon, /asks for sleep since  with/).length, 2);
  });

  await t.test('is not run while a secret that its definition names is not set', async () => {
    const { scrape } = await daemon.track('lacks', here);
    assert.deepEqual([scrape.status, scrape.counts.added], ['failed', 0]);
    assert.deepEqual(scrape.failure, {
      code: 'not_initialised',
      message:
        'missing the secret PIN: expected the environment variable HERONRY_SECRET_PIN, or a file that `secrets` of heronry.yaml names; the daemon sees either only after a restart',
    });
  });

  await t.test(
    'fails its scrape by its status, with what it said last and no secret, and keeps what it found',
    async () => {
      const { scrape } = await daemon.track('fails', here);
      assert.deepEqual([scrape.status, scrape.counts.added], ['failed', 1]);
      assert.deepEqual(scrape.failure, {
        code: 'program_failed',
        message: 'fails.sh ended with status 3: no answer for [secret KEY]',
      });
    },
  );

  await t.test('loses a line alone that is no record', async () => {
    const { scrape, steps } = await daemon.track('prints', here);
    assert.deepEqual([scrape.status, scrape.errors, scrape.counts.added], ['complete', 1, 11], JSON.stringify(steps));
    assert.deepEqual(steps[0]?.notes, ['line 1: expected a record as JSON, got starting…']);
  });

  await t.test('is ended where it prints a line without end', async () => {
    const { scrape } = await daemon.track('long', here);
    assert.equal(scrape.failure?.code, 'program_output');
    assert.match(scrape.failure?.message ?? '', /^long\.sh printed a line of more than 1048576 bytes: line 1$/);
  });

  await t.test('is over when it ends, though what it started elsewhere holds its outputs open', async () => {
    const { scrape } = await daemon.track('leaves', here);
    const [started = ''] = told(daemon, /^info \d+$/);
    process.kill(Number(started.slice(5)));
    assert.deepEqual([scrape.status, scrape.counts.added], ['complete', 1], JSON.stringify(scrape));
  });

  await t.test('is ended with all that it started, at its time limit', { timeout: 30_000 }, async () => {
    const { scrape } = await daemon.track('hangs', here);
    assert.deepEqual([scrape.failure?.code, scrape.counts.added], ['time_limit', 1]);
    const started = told(daemon, /^info \d+$/).at(-1) ?? '';
    await untilEnded(started.slice(5));
  });
});
