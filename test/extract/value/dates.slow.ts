import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DateTime } from 'luxon';
import { readValue } from '../../../src/extract/value/all.ts';

/** A text of a public table of dates, with what it means there. */
interface Row {
  readonly locale: string;
  readonly prefer: 'past' | 'future' | undefined;
  readonly zone: string;
  readonly text: string;
  readonly readAt: number;
  readonly means: DateTime;
  /** Why the text is refused; undefined if it is read. */
  readonly refused: string | undefined;
}

/** The texts of `dates.tsv`, whose first line says how it is written. */
function* rowsOf(table: string): Iterable<Row> {
  let head: readonly string[] = [];
  for (const line of table.split('\n').slice(1, -1)) {
    const [, named] = /^\[([^|\]]*(?:\|[^|\]]*){3})\]$/.exec(line) ?? [];
    if (named === undefined) {
      const [locale = '', prefer = '', zone = '', readAt = ''] = head;
      const [text = '', means = '', refused] = line.split('\t');
      yield {
        ...{ locale, text, refused, zone: zone || 'utc' },
        prefer: prefer === 'past' || prefer === 'future' ? prefer : undefined,
        readAt: DateTime.fromSQL(readAt, { zone: 'utc' }).toMillis(),
        means: DateTime.fromISO(means, { zone: zone || 'utc' }),
      };
    } else head = named.split('|');
  }
}

const rows = [...rowsOf(readFileSync(join(import.meta.dirname, 'dates.tsv'), 'utf8'))];

/** What a text is read as: `right`, `refused`, or the wrong value. A day without a time is compared as a day. */
function outcomeOf({ locale, prefer, zone, text, readAt, means }: Row): string {
  const rule = { type: 'datetime', locale, zone, ...(prefer && { prefer }) } as const;
  const found = readValue(text, rule, '', readAt);
  if (!found.ok || typeof found.value !== 'string') return 'refused';
  const at = DateTime.fromISO(found.value, { zone });
  const compared = { year: 'yyyy', month: 'yyyy-MM-dd', week: 'yyyy-MM-dd', day: 'yyyy-MM-dd' }[found.precision ?? ''];
  // Where a text names a year alone, the table adds the month and day on which it was read.
  const form = compared === 'yyyy' && !/^\D*\d{4}\D*$/.test(text) ? 'yyyy-MM-dd' : (compared ?? 'x');
  return at.toFormat(form) === means.toFormat(form) ? 'right' : found.value;
}

describe('the public tables of dates in English, French, German, Russian and Spanish', () => {
  test('have no text that is read as a wrong date, and none that is refused but those that say why', () => {
    const unlike = rows
      .map((row) => ({ ...row, outcome: outcomeOf(row) }))
      .filter(({ outcome, refused }) => outcome !== (refused === undefined ? 'right' : 'refused'))
      .map(({ locale, text, outcome }) => `${locale}: ${text} (${outcome})`);
    assert.deepEqual(unlike, []);
  });

  test('are read in four of five rows', (t) => {
    const right = rows.filter((row) => outcomeOf(row) === 'right').length;
    for (const [locale, all] of Map.groupBy(rows, (row) => row.locale.slice(0, 2)))
      t.diagnostic(`${locale}: ${all.filter((row) => outcomeOf(row) === 'right').length} of ${all.length} read`);
    t.diagnostic(`all: ${right} of ${rows.length} read, the others refused`);
    assert.ok(right / rows.length >= 0.8, `${right} of ${rows.length}`);
  });
});
