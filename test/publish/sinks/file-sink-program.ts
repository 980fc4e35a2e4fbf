/** Delivers one message after the other to a sink that writes files, and tells the number of each, until it is killed. */
import { systemClock } from '../../../src/clock.ts';
import { expectation } from '../../../src/definition/problem.ts';
import { openSink, sinkKinds } from '../../../src/publish/sinks/all.ts';
import { recordMessage } from '../sink-suite.ts';

const [kind, folder = '', from] = process.argv.slice(2);
if (kind !== 'ndjson' && kind !== 'parquet') throw new Error(`expected a kind of files, got ${kind}`);
const options: unknown = sinkKinds[kind].options.parse({ folder }, { error: expectation });
const sink = await openSink(kind, options, {
  sink: 'tested',
  clock: systemClock(),
  folder,
  findSecrets: () => Promise.resolve({ ok: false, message: 'no secrets here' }),
  post: () => Promise.reject(new Error('nothing is posted here')),
  run: () => Promise.reject(new Error('nothing is run here')),
  record: () => undefined,
  recordType: () => undefined,
  fieldsAfter: () => ({}),
  seenIn: () => ({ rows: [] }),
  correctedBy: () => ({ rows: [] }),
  log: () => undefined,
  print: () => Promise.resolve(),
});
const never = new AbortController().signal;
for (let number = Number(from); ; number += 1) {
  const [result] = await sink.deliver([recordMessage(number)], never);
  if (result?.ok === true) process.send?.(number);
}
