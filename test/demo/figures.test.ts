import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { demoProjects, installSources } from '../../src/demo/install.ts';
import { startWeb } from '../../src/demo/web.ts';
import type { Event } from '../../src/event/catalogue.ts';
import { run } from '../cli/terminal.ts';
import { startDaemon } from '../support/daemon.ts';
import { noon } from '../support/web/held-web.ts';

test('a campaign with ads and a shop abroad has its figures in one currency, and while its ads fail they are stale, not zero [B46] [B48] [B49]', async (t) => {
  const clock = new VirtualClock(noon);
  /** What the web shows, so that its ads are down for as long as the test wants. */
  let shownAt = noon;
  const web = await startWeb({ seed: 1, openedAt: noon }, () => shownAt);
  t.after(() => web.close());
  const folder = await mkdtemp(join(tmpdir(), 'demo-figures-'));
  t.after(() => rm(folder, { recursive: true }));
  await installSources(folder, web.origin, noon);
  const files = (await readdir(folder)).map(async (file) => {
    const text = await readFile(join(folder, file), 'utf8');
    return [basename(file, '.yaml'), text] as const;
  });
  const { client, daemon, events, socket } = await startDaemon(t, {
    clock,
    sources: Object.fromEntries(await Promise.all(files)),
    rates: { source: 'bank', of: 'rate', maxAgeDays: 7 },
  });
  for (const project of demoProjects(web.origin))
    if (project.id === 'bank' || project.id === 'paper-radio') await client.call('project.add', project);
  /** Lets a second pass. */
  const pass = async () => {
    assert.ok(clock.now() < noon + 7_200_000, 'it was not told in two hours');
    clock.advance(1_000);
    await daemon.system.idle();
    await client.call('daemon.ping', {});
  };
  /** Lets seconds pass until the return on spend is told as wanted. */
  const until = async (isWanted: (told: Extract<Event, { type: 'metric.changed' }>['data']) => boolean) => {
    const from = events.length;
    const isFound = (event: Event) =>
      event.type === 'metric.changed' && event.data.metric === 'roas' && isWanted(event.data);
    while (!events.slice(from).some(isFound)) await pass();
  };
  const figures = async () => {
    const { metrics } = await client.call('metric.list', { project: 'paper-radio' });
    return Object.fromEntries(metrics.map((each) => [each.name, each]));
  };

  await until(({ new: value, stale }) => typeof value === 'number' && stale === undefined);
  const fresh = await figures();
  assert.ok(Number(fresh['roas']?.value) > 0);
  const { out } = await run(['show', 'paper-radio', '--socket', socket], { now: clock.now() });
  assert.match(out, /^METRIC\tVALUE\tAGE$/m);
  for (const name of ['income', 'spend'])
    assert.match(out, new RegExp(`^${name}\t\\d+\\.\\d\\d EUR\t(?:now|[^\\t]+ ago)$`, 'm'));
  assert.match(out, /^roas\t[\d.]+\t(?:now|[^\t]+ ago)$/m);

  shownAt = noon + 16_000;
  await until(({ new: value, stale }) => typeof value === 'number' && stale?.includes('ads failed') === true);
  let { income, spend, roas } = await figures();
  while ((income?.verifiedAt ?? 0) <= (roas?.verifiedAt ?? Infinity)) {
    await pass();
    ({ income, spend, roas } = await figures());
  }
  assert.equal(income?.stale, undefined);
  assert.match(spend?.stale ?? '', /the last scrape of ads failed/);
  assert.match(roas?.stale ?? '', /^spend: /);
  assert.ok(Number(roas?.value) > 0);
  const stale = await run(['show', 'paper-radio', '--socket', socket], { now: clock.now() });
  assert.match(stale.out, /^spend\t\d+\.\d\d EUR\t[^\t]+ ago\tthe last scrape of ads failed/m);

  shownAt = noon + 26_000;
  await until(({ new: value, stale: late }) => typeof value === 'number' && late === undefined);
  assert.equal((await figures())['spend']?.stale, undefined);
});
