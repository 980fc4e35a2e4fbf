import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { ControlError } from '../../src/control/error.ts';
import { routes } from '../../src/http/routes.ts';
import { serveHttp } from './server.ts';

/** The sources of tickets; the last one is about worker processes. */
const tickets = new Map<number, readonly string[]>([
  [1, ['shop']],
  [2, ['rival']],
  [3, ['shop', 'rival']],
  [4, []],
]);

/** What methods cannot do without, besides what their paths have. */
const bodies = new Map<string, object>([
  ['ticket.snooze', { forMs: 1_000 }],
  ['source.save', { text: 'id: rival' }],
  ['page.try', { source: 'rival' }],
]);

/** A server of which the one token is of an author of the sources `shop` and `list`. */
function serveAuthor(t: TestContext, called: unknown[] = []) {
  const call = (params: unknown): never => {
    called.push(params);
    throw new ControlError('not_found', 'no ticket');
  };
  return serveHttp(
    t,
    { 'ticket.resolve': call, 'ticket.get': call },
    {
      callerOf: () => ({ id: 'a', label: 'a', role: 'author', sources: ['shop', 'list'] }),
      subjects: { labelsOf: () => undefined, sourcesOf: (ticket) => tickets.get(ticket) },
    },
  );
}

describe('a token that is limited to sources', () => {
  test('works on tickets of its own sources alone', async (t) => {
    const called: unknown[] = [];
    const { ask } = await serveAuthor(t, called);
    for (const ticket of [2, 3, 4]) {
      const { status, text } = await ask(`/v1/tickets/${ticket}/resolve`, { verb: 'POST', body: {} });
      assert.equal(status, 403);
      assert.match(text, /ticket.resolve: the token is limited to the sources shop, list/);
    }
    for (const ticket of [1, 9])
      assert.equal((await ask(`/v1/tickets/${ticket}/resolve`, { verb: 'POST', body: {} })).status, 404);
    assert.deepEqual(called, [{ ticket: 1 }, { ticket: 9 }]);
  });

  test('reaches no change that is not of one source, and reads what is of any', async (t) => {
    const { ask } = await serveAuthor(t);
    for (const { method, spec, verb, path } of routes.filter(({ spec: { role } }) => role !== 'read')) {
      const isOwn = typeof spec.scope === 'object' && ('source' in spec.scope || 'ticket' in spec.scope);
      if (spec.role === 'author') assert.ok(isOwn, `${method} says which sources it is about`);
      const body = bodies.get(method) ?? {};
      const { status } = await ask(path.replace('{digest}', 'A'.repeat(22)).replace(/\{\w+\}/, '2'), { verb, body });
      assert.equal(status, 403, method);
    }
    assert.equal((await ask('/v1/tickets/2')).status, 404);
    assert.equal((await ask('/v1/daemon/ping')).status, 200);
  });
});
