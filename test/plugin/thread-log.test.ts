import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PluginLogLine } from '../../src/plugin/protocol.ts';
import { openLog } from '../../src/plugin/thread-log.ts';

test('a log sends a thousand lines a minute, and says how many it left out', () => {
  let now = 0;
  const sent: PluginLogLine[] = [];
  const log = openLog(
    (line) => sent.push(line),
    () => now,
  );
  for (let line = 0; line < 1_500; line += 1) log.write('info', `line ${line}`);
  assert.equal(sent.length, 1_000);
  now = 60_000;
  log.write('info', 'next minute');
  assert.deepEqual(
    sent.slice(1_000).map(({ message }) => message),
    ['500 more lines were left out: at most 1000 a minute are logged', 'next minute'],
  );
  log.close();
  assert.equal(sent.length, 1_002);
});

test('a log cuts what is long, and tells as text what JSON cannot say', () => {
  const sent: PluginLogLine[] = [];
  const log = openLog((line) => sent.push(line));
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  log.write('info', 'x'.repeat(100_000), 'y'.repeat(100_000));
  log.write('warn', 'data', cycle);
  log.write('warn', 'data', 5n);
  log.write('error', new RangeError('an error as message'), new RangeError('an error as data'));
  log.write('info', 'data', { at: new Date(0), none: undefined });
  assert.equal(sent[0]?.message.length, 4_000);
  assert.equal(String(sent[0]?.data).length, 8_000);
  assert.match(String(sent[1]?.data), /Circular/);
  assert.equal(sent[2]?.data, '5n');
  assert.deepEqual(sent[3], {
    level: 'error',
    message: 'RangeError: an error as message',
    data: 'RangeError: an error as data',
  });
  assert.deepEqual(sent[4]?.data, { at: '1970-01-01T00:00:00.000Z' });
});
