import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'cheerio';
import { ControlError } from '../../src/control/error.ts';
import type { Handlers, Params } from '../../src/control/methods.ts';
import { status } from '../control/status.ts';
import { serveHttp } from '../http/server.ts';
import { assertHarmless, hostile } from './hostile.ts';

const key = 'https://shop.example';
const hour = 3_600_000;

function turn(target: number, inMs: number) {
  const url = `${key}/${target}`;
  return { dueAt: Date.now() + inMs, target, projects: ['lamp'], source: 'shop', url, key, by: 'interval' as const };
}

function scrape(target: number, agoMs: number) {
  const counts = { added: 0, changed: 0, confirmed: 1 };
  const startedAt = Date.now() - agoMs;
  const of = { scrape: target, target, source: 'shop', version: 'v1', bytes: 1, steps: 1, reason: 'due' as const };
  return { ...of, status: 'complete' as const, startedAt, endedAt: startedAt + 1, counts, projects: ['lamp'] };
}

/** Handlers that have a schedule of one host. */
function having(more: Partial<Handlers> = {}): Partial<Handlers> {
  return {
    'daemon.status': () => status,
    'schedule.list': () => ({ turns: [turn(1, hour), turn(2, 2 * hour)], more: false }),
    'scrape.list': () => ({ scrapes: [scrape(1, 3 * hour), scrape(9, hour), scrape(2, 30 * hour)] }),
    ...more,
  };
}

describe('the page of the schedule', () => {
  test('each host has a line of its day, with its text', async (t) => {
    const { ask } = await serveHttp(t, having());
    const { status: code, text } = await ask('/schedule');
    assert.equal(code, 200);
    assert.match(
      text,
      /role="img"\s+aria-label="1 scrape behind, 2 turns, most of them \(1\) from \d\d:\d\d UTC to come"/,
    );
    assert.match(text, /<path class="coming" d="M\d+ 24V0h8V24z/);
    assert.match(text, /href="projects\/lamp"/);
  });

  test('what was scraped of targets without a coming turn has a line of its own', async (t) => {
    const { ask } = await serveHttp(t, having());
    const rows = load((await ask('/schedule')).text)('#day tbody tr');
    assert.equal(rows.length, 2);
    assert.match(rows.last().text(), /Other targets/);
    assert.match(rows.last().find('svg').attr('aria-label') ?? '', /^1 scrape behind, 0 turns to come$/);
  });

  test('it says how far back it looks where a day has more scrapes than are looked at', async (t) => {
    const scrapes = [scrape(1, hour), scrape(2, 3 * hour)];
    const { ask } = await serveHttp(t, having({ 'scrape.list': () => ({ scrapes, next: 2 }) }));
    const note = load((await ask('/schedule')).text)('#main > .note');
    assert.match(note.text(), /Behind are drawn the latest 2 scrapes, back to/);
    assert.equal(note.find('time').attr('datetime'), new Date(scrapes[1]?.startedAt ?? 0).toISOString());
    const whole = { scrapes: [scrape(1, 30 * hour)], next: 1 };
    const { ask: askWhole } = await serveHttp(t, having({ 'scrape.list': () => whole }));
    assert.doesNotMatch((await askWhole('/schedule')).text, /Behind are drawn/);
  });

  test('a page of one host has no line of other targets, as their hosts are not known', async (t) => {
    const { ask } = await serveHttp(t, having());
    const { text } = await ask(`/schedule?host=${encodeURIComponent(key)}`);
    assert.equal(load(text)('#day tbody tr').length, 1);
  });

  test('it is narrowed to a source, a project and a host', async (t) => {
    const asked: Params<'schedule.list'>[] = [];
    const { ask } = await serveHttp(
      t,
      having({
        'schedule.list': (params) => {
          asked.push(params);
          return { turns: [], more: false };
        },
      }),
    );
    const { text } = await ask(`/schedule?source=shop&project=lamp&host=${encodeURIComponent(key)}`);
    const [{ source, project, key: host } = assert.fail()] = asked;
    assert.deepEqual([source, project, host], ['shop', 'lamp', key]);
    assert.match(text, /Nothing is due within a day/);
  });

  test('it says where the source that it is narrowed to is unknown', async (t) => {
    const { ask } = await serveHttp(
      t,
      having({
        'schedule.list': () => {
          throw new ControlError('not_found', 'no source "shpo"');
        },
      }),
    );
    const { status: code, text } = await ask('/schedule?source=shpo');
    assert.equal(code, 200);
    assert.match(text, /no source &quot;shpo&quot;/);
  });

  test('a viewer that is limited to labels sees that of a project, and no pauses', async (t) => {
    const limited = { id: 'limited', label: 'Limited', role: 'operate', labels: ['acme'] } as const;
    const options = { callerOf: () => limited, subjects: { labelsOf: () => ['acme'], sourcesOf: () => undefined } };
    const { ask } = await serveHttp(t, having(), options);
    const { status: code, text } = await ask('/schedule?project=lamp');
    assert.equal(code, 200);
    assert.match(text, /href="projects\/lamp"/);
    assert.doesNotMatch(text, /id="pauses"|act\/schedule/);
    const { status: whole, text: hint } = await ask('/schedule');
    assert.equal(whole, 200);
    assert.match(hint, /name a project/);
  });

  test('what is paused is told, with what ends it', async (t) => {
    const pauses = [
      { source: 'shop', since: 1, reason: 'the site moves', by: 'ada' },
      { since: 1, by: 'ada' },
    ];
    const { ask } = await serveHttp(
      t,
      having({ 'daemon.status': () => ({ ...status, paused: 'paused by ada', pauses }) }),
    );
    const { text } = await ask('/schedule');
    assert.match(text, /Scraping is paused: <bdi>paused by ada/);
    assert.match(text, /data-copy="heronry resume --source shop"/);
    assert.match(text, /action="act\/schedule\.pause"/);
    assert.doesNotMatch((await ask('/schedule', { token: 'read' })).text, /act\/schedule/);
  });

  test('a pause is asked for with what is named, for how long, why and by whom', async (t) => {
    const asked: Params<'schedule.pause'>[] = [];
    const { ask, port } = await serveHttp(t, {
      'schedule.pause': (params) => {
        asked.push(params);
        return { since: 1 };
      },
    });
    const fields = {
      source: 'shop',
      host: '',
      forMs: '3600000',
      reason: 'the site moves',
      by: 'admin',
      '.done': 'Paused.',
    };
    const { status: code } = await ask('/act/schedule.pause', {
      verb: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` },
      body: new URLSearchParams(fields).toString(),
    });
    assert.equal(code, 303);
    assert.deepEqual(asked, [{ source: 'shop', forMs: hour, reason: 'the site moves', by: 'admin' }]);
  });

  test('what a site or a person wrote is text', async (t) => {
    const { ask } = await serveHttp(
      t,
      having({
        'daemon.status': () => ({
          ...status,
          paused: hostile,
          pauses: [{ host: hostile, since: 1, reason: hostile, by: hostile }],
        }),
        'schedule.list': () => ({
          turns: [{ ...turn(1, hour), url: hostile, key: hostile }],
          more: true,
          unloaded: [hostile],
        }),
      }),
    );
    assertHarmless((await ask(`/schedule?host=${encodeURIComponent(hostile.slice(0, 200))}`)).text);
  });

  test('a pause that is refused keeps what was typed in its form alone', async (t) => {
    const { ask, port } = await serveHttp(
      t,
      having({
        'schedule.pause': () => {
          throw new ControlError('not_found', 'no source "nosuch"');
        },
      }),
    );
    const { headers } = await ask('/act/schedule.pause', {
      verb: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` },
      body: new URLSearchParams({
        '.from': 'schedule',
        source: 'nosuch',
        reason: 'works',
        forMs: '3600000',
      }).toString(),
    });
    const forms = load((await ask(String(headers.location))).text)('form[action="act/schedule.pause"]');
    assert.equal(forms.find('input[name=source]').attr('value'), 'nosuch');
    assert.equal(forms.find('input[name=reason][value=works]').length, 1);
    assert.equal(forms.find('option[selected]').attr('value'), '3600000');
  });
});
