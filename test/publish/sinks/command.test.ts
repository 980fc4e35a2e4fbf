import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { runWithInput } from '../../../src/plugin/program-with-input.ts';
import type { SinkPorts } from '../../../src/publish/sink.ts';
import { untilEnded } from '../../support/until-ended.ts';
import { openedSink, recordMessage, sinkSuite } from '../sink-suite.ts';

const never = new AbortController().signal;

/** A folder of plug-ins with one program, `tell.sh`, which finds itself in it. */
async function openFolder(t: TestContext, script: string) {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-command-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'tell.sh'), script);
  const logged: string[] = [];
  const run: SinkPorts['run'] = (program) =>
    runWithInput({ ...program, folder, log: ({ message }) => void logged.push(message) });
  const options = { run: ['sh', 'tell.sh', 'west'] };
  return { folder, logged, options, ports: { run }, arrived: () => [] };
}

sinkSuite('command', {
  badOptions: [{ run: [] }, { run: ['/bin/cat'] }, { run: ['../tell.sh'] }, { run: ['sh', 'tell.sh'], limit: '0s' }],
  async receiver(t) {
    const place = await openFolder(
      t,
      '[ -e refusing ] && { echo "no, $HERONRY_SECRET_PIN" >&2; exit 75; }; cat >> told',
    );
    return {
      ...place,
      options: { ...place.options, secrets: ['PIN'] },
      secrets: { PIN: 'sesame99' },
      async arrived() {
        const lines = (await readFile(join(place.folder, 'told'), 'utf8')).trimEnd().split('\n');
        return lines.map((line) => JSON.parse(line) as { readonly id: string }).map((body) => ({ id: body.id, body }));
      },
      refuse: (on) => (on ? writeFile(join(place.folder, 'refusing'), '') : rm(join(place.folder, 'refusing'))),
    };
  },
});

test('a program learns of its message in its environment, and what it says is logged', async (t) => {
  const place = await openFolder(t, 'echo "$1 $HERONRY_SINK $HERONRY_MESSAGE_ID $HERONRY_MESSAGE_TYPE" >&2');
  const sink = await openedSink(t, 'command', place);
  assert.deepEqual(await sink.deliver([recordMessage(3)], never), [{ ok: true }]);
  assert.deepEqual(place.logged, ['west tested gen-3 record.added']);
});

test('a program fails with any status but 0, and 75 says that it wants to be told again', async (t) => {
  const place = await openFolder(t, 'echo "no room" >&2; exit "$(cat "$(dirname "$0")/status")"');
  const sink = await openedSink(t, 'command', place);
  const failureAt = async (status: number) => {
    await writeFile(join(place.folder, 'status'), String(status));
    const [result] = await sink.deliver([recordMessage(1)], never);
    return result?.ok === false ? result.failure : undefined;
  };
  assert.deepEqual(await failureAt(75), { code: 'try_again', message: 'tell.sh ended with status 75: no room' });
  assert.deepEqual(await failureAt(1), { code: 'program_failed', message: 'tell.sh ended with status 1: no room' });
});

test('a program that takes too long is ended with what it started', { timeout: 30_000 }, async (t) => {
  const place = await openFolder(t, 'sleep 60 & echo $! > child; wait');
  const sink = await openedSink(t, 'command', { ...place, options: { ...place.options, limit: '1s' } });
  const [result] = await sink.deliver([recordMessage(1)], never);
  assert.deepEqual(result, {
    ok: false,
    failure: { code: 'program_failed', message: 'tell.sh ran for more than 1000 ms' },
  });
  const child = Number(await readFile(join(place.folder, 'child'), 'utf8'));
  await untilEnded(child);
});

test('a program that is not in the folder of plug-ins is a failure that names its place', async (t) => {
  const place = await openFolder(t, '');
  const sink = await openedSink(t, 'command', { ...place, options: { run: ['sh', 'other.sh'] } });
  const [result] = await sink.deliver([recordMessage(1)], never);
  assert.ok(result?.ok === false);
  assert.match(result.failure.message, /^other\.sh could not be run from .+: there is no such file/);
});

test('a message that its program does not read is delivered all the same', async (t) => {
  const place = await openFolder(t, 'exit 0');
  const sink = await openedSink(t, 'command', place);
  const long = recordMessage(1, 'B', { text: 'x'.repeat(1_000_000) });
  assert.deepEqual(await sink.deliver([long], never), [{ ok: true }]);
});
