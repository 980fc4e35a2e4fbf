import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { Event } from '../../src/event/catalogue.ts';
import type { FieldChanges } from '../../src/view/fields.ts';
import { emptyBoard, type RecordChange, withEvent } from '../../src/demo/board.ts';
import { boardLines, countsText, eventLine } from '../../src/demo/screen.ts';

const size = { columns: 100, rows: 24 };

const of = { id: 1, version: 1, projects: ['kayak'], source: 'crowd', target: 1 } as const;
const scrape = { ...of, at: 1_000, scrape: 1 };

function record(type: 'record.added' | 'record.changed', fields: FieldChanges, at = 1_000): RecordChange {
  return { ...of, at, type, data: { type: 'campaign', key: 'kayak', fields } };
}

function end(type: 'scrape.completed' | 'scrape.failed', code?: string): Event {
  const counts = { added: 0, changed: 0, confirmed: 0 };
  const failure = code === undefined ? {} : { failure: { code, message: 'said so' } };
  return { ...scrape, type, data: { reason: 'due', steps: 1, counts, ...failure } };
}

const finished: Event = { id: 1, version: 1, at: 1_000, type: 'project.finished', projects: ['kayak'], data: {} };
const started: Event = { ...scrape, type: 'scrape.started', data: { reason: 'due', version: 'v1' } };

const added = record('record.added', {
  status: { new: 'live' },
  pledged: { new: { amount: '5.00', currency: 'EUR' } },
});
const changed = record(
  'record.changed',
  { pledged: { old: { amount: '5.00', currency: 'EUR' }, new: { amount: '7.50', currency: 'EUR' } } },
  3_000,
);

function shown(events: readonly Event[], now = 5_000): string[] {
  return boardLines(events.reduce(withEvent, emptyBoard), now, size).map((line) => stripVTControlCharacters(line));
}

describe('demo board', () => {
  test('a row shows the fields as they stand, the last changed first, with their age', () => {
    const [, row = ''] = shown([added, changed]);
    assert.match(row, /^kayak {4}crowd {6}2s {8}1 {2}pledged 7\.50 EUR {2}status live$/);
  });

  test('a row of several records says which one changed last', () => {
    const stock = { ...record('record.added', { id: { new: 'kayak' }, stock: { new: 4 } }) };
    const second = {
      ...stock,
      data: { ...stock.data, key: 'canoe', fields: { id: { new: 'canoe' }, name: { new: 'A' }, stock: { new: 7 } } },
    };
    assert.match(shown([stock])[1] ?? '', /0 {2}stock 4$/);
    assert.match(shown([stock, second])[1] ?? '', /0 {2}canoe {2}stock 7 {2}name A$/);
  });

  test('a failure takes the place of the fields until a scrape completes', () => {
    const failed = end('scrape.failed', 'timeout');
    assert.match(shown([added, failed])[1] ?? '', /timeout$/);
    assert.match(shown([added, failed, end('scrape.completed')])[1] ?? '', /status live/);
  });

  test('the last line counts what happened', () => {
    const events = [added, changed, end('scrape.completed'), end('scrape.failed'), finished, started];
    const { counts } = events.reduce(withEvent, emptyBoard);
    assert.equal(countsText(counts), '1 scrapes, 1 records, 1 changes, 1 failures, 1 finished');
    assert.equal(shown(events).at(-1), countsText(counts));
  });

  test('the board fits its terminal, and says how many rows did not', () => {
    const events = Array.from({ length: 50 }, (_, index) => ({ ...added, projects: [`project-${index}`] }));
    const board = events.reduce(withEvent, emptyBoard);
    const lines = boardLines(board, 5_000, { columns: 60, rows: 12 }).map((line) => stripVTControlCharacters(line));
    assert.equal(lines.length, 11);
    assert.ok(lines.every((line) => line.length <= 60));
    assert.equal(lines.at(-2), '… and 42 more');
  });

  test('an event is one line with old and new values', () => {
    assert.equal(eventLine(changed), '00:00:03  kayak  crowd  changed campaign kayak: pledged 5.00 EUR → 7.50 EUR');
    assert.equal(eventLine(added), '00:00:01  kayak  crowd  added campaign kayak: status live, pledged 5.00 EUR');
    assert.equal(eventLine(end('scrape.failed', 'unreachable')), '00:00:01  kayak  crowd  scrape failed: unreachable');
    assert.equal(eventLine(started), undefined);
  });

  test('figures have a row of their own, which says which of them are stale and how old they are', () => {
    const figure = (metric: string, value: number | { amount: string; currency: string }, stale?: string): Event => ({
      ...{ id: 1, version: 1, at: 4_000, type: 'metric.changed', projects: ['kayak'] },
      data: { metric, new: value, verifiedAt: 3_000, ...(stale !== undefined && { stale }) },
    });
    const spend = figure('spend', { amount: '2500.004', currency: 'EUR' }, 'the last scrape of ads failed');
    const [, , row = ''] = shown([added, spend, figure('roas', 5)]);
    assert.match(row, /^kayak {4}figures {5}2s {8}2 {2}roas 5 {2}spend 2500\.00 EUR \(stale\)$/);
    assert.equal(
      eventLine(spend),
      '00:00:04  kayak  -  metric spend – → 2500.00 EUR (stale: the last scrape of ads failed)',
    );
  });

  test('what a page says cannot control the terminal', () => {
    const line = eventLine(record('record.added', { title: { new: 'a\u001B[2Jb\u0007\nc' } })) ?? '';
    assert.match(line, /title ab c$/);
  });
});
