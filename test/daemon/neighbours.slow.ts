import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { pluggedSource, startPlugged } from './plugins/plugging.ts';

const everyMs = 5_000;
const targets = 20;
const windowMs = 30_000;

/** Pages of 100 kB, which are read on a thread. */
const healthyPage = `${productPage('A', '1')}<p>${'some more text '.repeat(6_700)}</p>`;

/** Takes the parser some seconds, as its work grows with the square of the depth. */
const heavyPage = `${productPage('B', '1')}${'<div>'.repeat(100_000)}`;

const hangingPlugin = `import { defineProvider } from 'heronry/provider';

export default defineProvider({ request: ({ url }) => ({ url }), read: () => new Promise(() => {}) });
`;

const every = `every: ${everyMs / 1_000}s`;

test('a heavy page every 5 s and a hanging plug-in on its host leave a healthy source 0.9 of its pace', async (t) => {
  const paths = Array.from({ length: targets }, (_, index) => `/healthy/${index}`);
  const answers = Object.fromEntries(paths.map((path) => [path, healthyPage]));
  const site = await openSite(t, { ...answers, '/heavy': heavyPage, '/hang': '{}' });
  const sources = {
    healthy: productSource('healthy', every),
    heavy: productSource('heavy', `${every}\nlimits: { extract: 60s }`),
    hangs: pluggedSource('hangs', every),
  };
  const daemon = await startPlugged(t, { 'hangs.ts': hangingPlugin }, { sources });
  const add = (id: string, ...urls: readonly string[]) =>
    daemon.client.call('project.add', { id, targets: urls.map((url) => ({ source: id, url: site.url(url) })) });
  const read = (): number =>
    daemon.events.filter(({ type, projects }) => type === 'scrape.completed' && projects?.[0] === 'healthy').length;
  /** The healthy pages that are read in the time of one measurement. */
  const pace = async (): Promise<number> => {
    const before = read();
    await delay(windowMs);
    return read() - before;
  };

  await add('healthy', ...paths);
  await delay(everyMs);
  const alone = await pace();
  await add('hangs', '/hang');
  await add('heavy', '/heavy');
  // From its first page on it is known that the source is slow.
  await daemon.event(({ type, projects }) => type === 'scrape.completed' && projects?.[0] === 'heavy');
  const beside = await pace();
  t.diagnostic(`${alone} pages alone, ${beside} beside the others`);
  assert.ok(alone >= (0.9 * targets * windowMs) / everyMs, `${alone} pages alone`);
  assert.ok(beside >= 0.9 * alone, `${beside} pages beside the others, ${alone} alone`);
  const { length: heavy } = daemon.events.filter(
    ({ type, projects }) => type === 'scrape.completed' && projects?.[0] === 'heavy',
  );
  assert.ok(heavy >= 2, 'the heavy page was read again and again');
});
