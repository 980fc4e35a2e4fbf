import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contentOf, importOf, importWatch, notesOf, settings, uuid, watchOf } from '../backup.ts';

type Mapping = Readonly<Record<string, unknown>>;

const projects = 'projects-changedetection.yaml';

describe('a watch of changedetection.io', () => {
  const day = (start: string, hours: string, minutes = '00', enabled = true) => ({
    enabled,
    start_time: start,
    duration: { hours, minutes },
  });
  const off = day('00:00', '24', '00', false);
  const schedules: readonly (readonly [string, object, object])[] = [
    [
      'an interval of its own',
      { time_between_check_use_default: false, time_between_check: { weeks: 1, hours: 12 } },
      { every: '180h' },
    ],
    [
      'an interval in seconds',
      { time_between_check_use_default: false, time_between_check: { seconds: 90 } },
      { every: '90s' },
    ],
    [
      'the interval of old versions',
      { time_between_check_use_default: undefined, minutes_between_check: 30 },
      { every: '30m' },
    ],
    [
      'hours on some days',
      {
        time_schedule_limit: {
          enabled: true,
          timezone: 'Europe/Berlin',
          monday: day('08:00', '2', '30'),
          tuesday: day('08:00', '2', '30'),
          wednesday: day('22:00', '4'),
          thursday: day('06:00', '24'),
          friday: off,
          saturday: day('00:00', '24'),
          sunday: off,
        },
      },
      {
        every: '3h',
        available: [
          { days: ['mon', 'tue'], hours: '08:00-10:30', zone: 'Europe/Berlin' },
          { days: ['wed'], hours: '22:00-02:00', zone: 'Europe/Berlin' },
          { days: ['thu'], hours: '06:00-05:59', zone: 'Europe/Berlin' },
          { days: ['sat'], zone: 'Europe/Berlin' },
        ],
      },
    ],
  ];
  for (const [what, own, keys] of schedules)
    test(`keeps ${what}`, async (t) => {
      const imported = await importWatch(t, own);
      const [project] = contentOf(imported, projects) as [Mapping];
      assert.deepEqual(project, { id: 'terms', name: 'Terms', ...keys, targets: [{ source: 'terms' }] });
      assert.deepEqual(notesOf(imported), []);
    });

  test('in a time zone that is none is asked by UTC, and that is listed', async (t) => {
    const imported = await importWatch(t, { time_schedule_limit: { enabled: true, timezone: 'Mars/Base' } });
    assert.match(notesOf(imported).join(), /time zone/);
  });

  test('that is paused has a source and no project', async (t) => {
    const imported = await importWatch(t, { paused: true });
    assert.deepEqual(
      imported.files.map(({ path }) => path),
      ['sources/terms.yaml'],
    );
    assert.match(notesOf(imported).join(), /it is paused: `heronry add terms --source terms` tracks it/);
  });

  test('of a browser is rendered, with what its steps do', async (t) => {
    const imported = await importWatch(t, {
      fetch_backend: 'html_webdriver',
      webdriver_delay: 3,
      browser_steps: [
        { operation: 'Goto site', selector: '', optional_value: '' },
        { operation: 'Click element if exists', selector: '.cookies', optional_value: '' },
        { operation: 'Enter text in field', selector: '#q', optional_value: 'lamps' },
        { operation: 'Press Enter', selector: '', optional_value: '' },
        { operation: 'Enter text in field', selector: '#password', optional_value: 'geheim' },
        { operation: 'Wait for seconds', selector: '', optional_value: '2' },
        { operation: 'Scroll down', selector: '', optional_value: '' },
        { operation: 'Remove elements', selector: '.ad', optional_value: '' },
        { operation: 'Click element', selector: '//a', optional_value: '' },
        { operation: 'Execute JS', selector: '', optional_value: 'x()' },
      ],
    });
    const definition = contentOf(imported, 'sources/terms.yaml') as Mapping;
    assert.deepEqual(definition['render'], {
      in: 'browser',
      do: [
        { wait: '3s' },
        { click: '.cookies', optional: true },
        { type: 'lamps\n', into: '#q' },
        { wait: '2s' },
        { scroll: 'end' },
      ],
    });
    assert.deepEqual(definition['ignore'], ['.ad']);
    assert.equal(imported.notes.length, 3);
    assert.doesNotMatch(JSON.stringify([imported.files, imported.notes]), /geheim/);
  });

  test('has its credentials as secrets, and its other headers in the definition', async (t) => {
    const basic = `Basic ${Buffer.from('ann:geheim-1').toString('base64')}`;
    const cases: readonly (readonly [object, unknown, readonly string[]])[] = [
      [
        { headers: { Authorization: basic, 'Accept-Language': 'de' } },
        { type: 'basic', user: 'ann', password: { secret: 'TERMS_PASSWORD' } },
        ['geheim-1'],
      ],
      [
        { url: 'https://ann:geheim-2@shop.example/terms' },
        { type: 'basic', user: 'ann', password: { secret: 'TERMS_PASSWORD' } },
        ['geheim-2'],
      ],
      [
        { headers: { authorization: 'Bearer geheim-3' } },
        { type: 'bearer', scheme: 'Bearer', token: { secret: 'TERMS_TOKEN' } },
        ['geheim-3'],
      ],
      [
        { headers: { 'X-Api-Key': 'geheim-4' } },
        { type: 'bearer', header: 'x-api-key', token: { secret: 'TERMS_X_API_KEY' } },
        ['geheim-4'],
      ],
    ];
    for (const [own, auth, values] of cases) {
      const imported = await importWatch(t, own);
      const definition = contentOf(imported, 'sources/terms.yaml') as Mapping;
      assert.deepEqual(definition['auth'], auth);
      assert.deepEqual([...imported.secrets.values()], values);
      assert.doesNotMatch(JSON.stringify([imported.files, imported.notes]), /geheim/);
    }
  });

  test('is asked by its method, body, user agent and proxy, and on this machine where it is there', async (t) => {
    const imported = await importWatch(t, {
      url: 'http://127.0.0.1:8080/a{b}',
      method: 'POST',
      body: '{"page": 1}',
      headers: { 'User-Agent': 'Mine/1.0', 'Content-Type': 'application/json', Accept: 'text/html' },
    });
    const definition = contentOf(imported, 'sources/terms.yaml') as Mapping;
    assert.deepEqual(
      [definition['url'], definition['allowPrivate'], definition['userAgent'], definition['request']],
      [
        'http://127.0.0.1:8080/a%7Bb%7D',
        'loopback',
        'Mine/1.0',
        { method: 'POST', headers: { accept: 'text/html' }, json: { page: 1 } },
      ],
    );
    const proxied = await importOf(t, [
      [
        'changedetection.json',
        settings({}, { extra_proxies: [{ proxy_name: 'Home', proxy_url: 'http://me:geheim@proxy.example:3128' }] }),
      ],
      [`${uuid(1)}/watch.json`, JSON.stringify(watchOf({ url: 'https://a.example/', proxy: 'ui-0Home' }))],
    ]);
    assert.deepEqual((contentOf(proxied, 'sources/a-example.yaml') as Mapping)['proxy'], {
      url: 'http://proxy.example:3128/',
      user: 'me',
      password: { secret: 'A_EXAMPLE_PROXY_PASSWORD' },
    });
  });

  test('has the rules and the name of its groups, and those of all watches', async (t) => {
    const group = {
      title: 'News',
      overrides_watch: true,
      include_filters: ['article'],
      subtractive_selectors: ['.ad'],
      notification_urls: ['ntfy://group'],
    };
    const imported = await importOf(t, [
      [
        'changedetection.json',
        settings({
          global_subtractive_selectors: ['footer'],
          global_ignore_text: ['ads'],
          notification_urls: ['ntfy://all'],
        }),
      ],
      [`${uuid(9)}/tag.json`, JSON.stringify(group)],
      [`${uuid(1)}/watch.json`, JSON.stringify(watchOf({ url: 'https://a.example/', tags: [uuid(9), uuid(8)] }))],
      [`${uuid(2)}/watch.json`, JSON.stringify(watchOf({ url: 'https://b.example/' }))],
      [`${uuid(3)}/watch.json`, JSON.stringify(watchOf({ url: 'https://c.example/', notification_muted: true }))],
    ]);
    const a = contentOf(imported, 'sources/a-example.yaml') as Mapping;
    assert.deepEqual(a['ignore'], ['.ad', 'footer']);
    assert.match(JSON.stringify(a['records']), /"css":"article".*\(\?i:ads\)/);
    const [first, second, third] = contentOf(imported, projects) as Mapping[];
    assert.deepEqual(
      [first?.['labels'], first?.['sinks'], second?.['sinks'], third?.['sinks']],
      [['News'], ['ntfy'], ['ntfy-2'], undefined],
    );
  });

  test('of prices has price and stock as fields', async (t) => {
    const imported = await importWatch(t, { processor: 'restock_diff' });
    assert.match(
      JSON.stringify(contentOf(imported, 'sources/terms.yaml')),
      /"price":\{"type":"money".*"availability":/,
    );
  });

  test('with texts that trigger has a rule, and a sink that is told of it alone', async (t) => {
    const imported = await importWatch(t, {
      trigger_text: ['in stock'],
      text_should_not_be_present: ['/sold (out|off)/'],
      conditions_match_logic: 'ANY',
      conditions: [
        { field: 'page_filtered_text', operator: 'in', value: 'A.B' },
        { field: 'page_filtered_text', operator: 'length_min', value: 10 },
      ],
      notification_urls: ['discord://123/abc'],
    });
    const [project] = contentOf(imported, projects) as [Mapping];
    assert.deepEqual(project['rules'], {
      wanted: {
        of: 'page',
        when: String.raw`like(text, "(?i:in stock)") && !like(text, "(?i:sold (out|off))") && (like(text, "(?s:A\\.B)") || size(text) >= 10)`,
      },
    });
    assert.deepEqual(project['sinks'], ['discord-rules']);
    assert.deepEqual((contentOf(imported, 'sinks/discord-rules.yaml') as Mapping)['events'], ['rule.met']);
    assert.deepEqual(notesOf(imported), []);
  });
});
