import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settingsOf, startTimed } from '../daemon/passing.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const hour = 3_600_000;
const sources = { shop: productSource('shop') };

describe('what a project says of when it is scraped', () => {
  const paces: readonly (readonly [given: object, kind: string])[] = [
    [{ everyMs: hour }, 'interval'],
    [{ cron: '0 6 * * 1', zone: 'Europe/Berlin' }, 'cron'],
    [{ tokens: true }, 'tokens'],
    [{ tokens: { perDay: 2, zone: 'Europe/Berlin' } }, 'tokens'],
    [{ continuous: true }, 'continuous'],
    [{ continuous: { sleepMs: 0 } }, 'continuous'],
    [{ objective: { warnAfterMs: hour, errorAfterMs: 2 * hour } }, 'objective'],
  ];
  test('any pace may be given, of a target or of the whole project', async (t) => {
    const site = await openSite(t);
    const { client } = await startTimed(t, { sources, settings: settingsOf({}) });
    const placeOf = (id: string) => ({ source: 'shop', url: site.url(`/${id}`) });
    for (const [index, [given, kind]] of paces.entries()) {
      const id = `p${index}`;
      await client.call('project.add', { id: `${id}-target`, targets: [{ ...placeOf(`${id}-target`), ...given }] });
      await client.call('project.add', { id: `${id}-project`, ...given, targets: [placeOf(`${id}-project`)] });
      for (const level of ['target', 'project']) {
        const { targets } = await client.call('project.why', { id: `${id}-${level}` });
        assert.equal(targets[0]?.pace?.kind, kind, `${kind} of a ${level}`);
      }
    }
  });

  const refused: readonly (readonly [given: object, message: RegExp])[] = [
    [{ everyMs: hour, cron: '0 6 * * 1' }, /targets\[0\]\.cron: expected one of .*got "cron" beside "every"/],
    [{ zone: 'Europe/Berlin' }, /targets\[0\]\.zone: expected "cron" beside it/],
    [{ cron: '0 25 * * *' }, /targets\[0\]\.cron: expected a cron pattern/],
    [{ cron: '0 6 * * *', zone: 'Europe/Berlyn' }, /targets\[0\]\.zone: .*did you mean "Europe\/Berlin"/],
    [{ objective: {} }, /targets\[0\]\.objective: expected warnAfterMs or errorAfterMs/],
    [
      { objective: { warnAfterMs: 2 * hour, errorAfterMs: hour } },
      /expected a warnAfterMs that is shorter than errorAfterMs, got 2h and 1h$/,
    ],
    [{ objectives: {} }, /targets\[0\]\.objectives: expected warnAfterMs, errorAfterMs or fields/],
    [{ objectives: { fields: {} } }, /targets\[0\]\.objectives\.fields: expected at least one field/],
    [
      { objectives: { warnAfterMs: 2 * hour, errorAfterMs: hour } },
      /targets\[0\]\.objectives: expected a warnAfterMs that is shorter than errorAfterMs, got 2h and 1h$/,
    ],
    [{ tokens: { perDay: 25 } }, /targets\[0\]\.tokens\.perDay: expected at most 24, got 25$/],
    [{ tokens: { perDay: 1.5 } }, /targets\[0\]\.tokens\.perDay: expected a whole number, got 1\.5$/],
    [{ tokens: { start: 5, cap: 1 } }, /targets\[0\]\.tokens\.start: expected at most 1, as the cap is, got 5$/],
    [
      { continuous: { sleepMs: 1 } },
      /targets\[0\]\.continuous\.sleepMs: expected 0 or a duration of 1s at least \(1000 ms\), got 1$/,
    ],
    [
      { continuous: { sleepMs: 24 * hour, longestMs: hour } },
      /targets\[0\]\.continuous\.longestMs: expected a duration of 1d at least, as the sleep is, got 1h$/,
    ],
    [
      { available: [{ days: [1], fromMinute: 10, toMinute: 10, zone: 'UTC' }] },
      /targets\[0\]\.available\[0\]: expected hours that end at another time than they begin/,
    ],
    [{ available: [{ days: [8], fromMinute: 0, toMinute: 10, zone: 'UTC' }] }, /days\[0\]: expected at most 7, got 8$/],
    [{ cron: '0 0 0 * *' }, /invalid value for day: 0$/],
    [{ weekly: true }, /targets\[0\]\.weekly: unknown key "weekly"$/],
  ];
  test('what contradicts itself is refused, and the message names the key', async (t) => {
    const site = await openSite(t);
    const { client } = await startTimed(t, { sources, settings: settingsOf({}) });
    for (const [given, message] of refused)
      await assert.rejects(
        client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a'), ...given }] }),
        { code: 'invalid_params', message },
      );
  });

  test('an update leaves what it does not name, and one pace takes the place of another', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { client } = await startTimed(t, { sources, settings: settingsOf({}) });
    const targets = [{ source: 'shop', url: site.url('/a') }];
    await client.call('project.add', { id: 'a', cron: '0 6 * * 1', zone: 'Europe/Berlin', targets });
    const why = async () => (await client.call('project.why', { id: 'a' })).targets[0];
    await client.call('project.update', { id: 'a', objectives: { errorAfterMs: 30 * 24 * hour } });
    const kept = await why();
    assert.deepEqual([kept?.pace?.kind, kept?.objectives.length], ['cron', 1]);
    await client.call('project.update', { id: 'a', everyMs: 2 * hour });
    const replaced = await why();
    assert.ok(replaced?.pace?.kind === 'interval');
    assert.deepEqual([replaced.pace.everyMs, replaced.objectives.length], [2 * hour, 1]);
    await client.call('project.update', { id: 'a', name: 'A' });
    assert.equal((await why())?.pace?.kind, 'interval');
  });

  test('a list tells what differs as its file would have it, and what it leaves out is the default again', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { client } = await startTimed(t, { sources, settings: settingsOf({}) });
    const place = { source: 'shop', url: site.url('/a') };
    const apply = async (project: object, target: object) => {
      const projects = [{ id: 'a', ...project, targets: [{ ...place, ...target }] }];
      return (await client.call('project.apply', { projects })).changes.flatMap(({ details }) => details);
    };
    await apply({ tokens: true }, {});
    assert.deepEqual(await apply({ tokens: true }, { continuous: { sleepMs: 0 } }), [
      `shop ${place.url}: default → continuous { longest: 6h, sleep: 0s }`,
    ]);
    assert.deepEqual(await apply({ objectives: { warnAfterMs: hour } }, { everyMs: hour }), [
      'schedule: tokens { cap: 4, perDay: 3, start: 1, zone: UTC } → objectives { warnAfter: 1h }',
      `shop ${place.url}: continuous { longest: 6h, sleep: 0s } → every 1h`,
    ]);
    assert.deepEqual(await apply({}, {}), [
      'schedule: objectives { warnAfter: 1h } → default',
      `shop ${place.url}: every 1h → default`,
    ]);
    const allDays = [1, 2, 3, 4, 5, 6, 7];
    const noon = { days: allDays, fromMinute: 720, toMinute: 780, zone: 'UTC' };
    const nights = { days: [1, 5], fromMinute: 1_320, toMinute: 360, zone: 'Europe/Berlin' };
    const weekend = { days: [6, 7], fromMinute: 0, toMinute: 1_440, zone: 'UTC' };
    assert.deepEqual(await apply({ available: [noon] }, {}), [
      'schedule: default → available [{ hours: "12:00-13:00" }]',
    ]);
    assert.deepEqual(await apply({ available: [nights, weekend] }, {}), [
      'schedule: available [{ hours: "12:00-13:00" }] → available [{ days: [mon, fri], hours: "22:00-06:00", zone: Europe/Berlin }, { days: [sat, sun] }]',
    ]);
    await apply({}, {});
    const [why] = (await client.call('project.why', { id: 'a' })).targets;
    assert.ok(why?.pace?.kind === 'interval');
    assert.deepEqual([why.pace.everyMs, why.objectives], [4 * hour, []]);
    assert.deepEqual(await apply({}, {}), []);
  });
});
