import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openedSink, recordMessage, sinkSuite } from '../sink-suite.ts';

function printed() {
  const lines: string[] = [];
  return {
    options: {},
    lines,
    arrived: () => lines.flatMap((line) => line.split('\n')).map((line) => ({ body: JSON.parse(line) as unknown })),
    ports: {
      async print(line: string) {
        lines.push(line);
      },
    },
  };
}

sinkSuite('stdout', { badOptions: ['file'], neverRefuses: true, receiver: () => Promise.resolve(printed()) });

test('each message is one line of JSON on the standard output, with its id outside the daemon', async (t) => {
  const receiver = printed();
  const sink = await openedSink(t, 'stdout', { ...receiver, options: null });
  const messages = [recordMessage(1, 'two\nlines'), recordMessage(2)];
  await sink.deliver(messages, new AbortController().signal);
  assert.deepEqual(
    receiver.arrived().map(({ body }) => body),
    JSON.parse(JSON.stringify(messages.map(({ body }) => body))),
  );
});
