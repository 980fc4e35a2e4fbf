import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FetchAnswer } from '../../src/plugin/protocol.ts';
import { failureOf, fixture, openPool, pageOf, valueOf, written } from '../plugin/support.ts';

describe('calls of plug-in functions that may wait for the daemon', () => {
  const silent = { limits: { silenceMs: 700, totalMs: 700 } };
  /** Collects with one request, once it has logged in; both stall where they are told to. */
  const both = written(
    `import { defineProvider, z } from 'heronry/provider';
     const stall = () => new Promise((resolve) => setTimeout(resolve, 1e8));
     export default defineProvider({
       options: z.strictObject({}),
       async *collect(context, what) {
         if (what === 'stall') await stall();
         await context.fetch({ url: 'https://site.test/' });
         yield { type: 'item', key: 'k', fields: {} };
       },
       async authenticate(context) {
         if ((await context.secret('mode')) === 'stall') await stall();
         return { headers: { authorization: 'x y' } };
       },
     });`,
    'both.ts',
  );

  test('share no thread, however late they were: a collector gets its own log-in', async (context) => {
    const pool = await openPool(context, silent);
    const logIn = (mode: string) => pool.call(both, 'authenticate', {}, { services: { secret: () => mode } });
    assert.match(failureOf((await pool.collect(both, ['stall'])).outcome), /collect was silent for 700 ms$/);
    assert.match(failureOf(await logIn('stall')), /authenticate was silent for 700 ms$/);
    const { keys } = await pool.collect(both, ['go'], {
      services: {
        async fetch() {
          assert.deepEqual(valueOf(await logIn('well')), { headers: { authorization: 'x y' } });
          return { ok: true, page: pageOf('the body') };
        },
      },
    });
    assert.deepEqual(keys, ['k']);
  });

  test('hold up no function that took all its time', async (context) => {
    const pool = await openPool(context, silent);
    const reads = await fixture('reads-badly.ts');
    failureOf((await pool.collect(both, ['stall'])).outcome);
    assert.match(failureOf(await pool.call(reads, 'read', pageOf('wait'))), /read took more than 700 ms$/);
    const stop = new AbortController();
    const asked = Promise.withResolvers<void>();
    const fetch = (): Promise<FetchAnswer> => {
      asked.resolve();
      return new Promise(() => {});
    };
    const collecting = pool.collect(both, ['go'], { services: { fetch }, signal: stop.signal });
    await asked.promise;
    assert.match(failureOf(await pool.call(reads, 'read', pageOf('no drafts'))), /^plugin_bad_result/);
    stop.abort(new Error('enough'));
    await assert.rejects(collecting, /enough/);
  });
});

test('threads are given to plug-ins in turn: one that is called often has no more of them', async (context) => {
  const pool = await openPool(context, { threads: 1 });
  const crowd = written(readsFor(20), 'crowd.ts');
  const guest = written(readsFor(20), 'guest.ts');
  const ended: string[] = [];
  const read = (plugin: typeof crowd): Promise<unknown> =>
    pool.call(plugin, 'read', pageOf('')).then(() => ended.push(plugin === guest ? 'guest' : 'crowd'));
  await Promise.all([...Array.from({ length: 4 }, () => read(crowd)), read(guest)]);
  assert.deepEqual(ended, ['crowd', 'guest', 'crowd', 'crowd', 'crowd']);
});

/** A plug-in whose `read` blocks its thread for a time. */
function readsFor(ms: number): string {
  return `import { defineProvider, z } from 'heronry/provider';
    export default defineProvider({
      options: z.strictObject({}),
      request: ({ url }) => ({ url }),
      read() {
        const until = performance.now() + ${ms};
        while (performance.now() < until);
        return { drafts: [] };
      },
    });`;
}
