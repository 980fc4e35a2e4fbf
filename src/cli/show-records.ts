import { ageText } from '../time-text.ts';
import type { FieldCell, RecordView } from '../view/record.ts';
import { recordTables } from './record-tables.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';
import { countText, isText, plainText, valueText } from '../view/text.ts';

/** Formats records: first those that are known, then those that complete scrapes of a list or site no longer find. */
export function showRecords(terminal: Terminal, records: readonly RecordView[]): string {
  const known = records.filter(({ absent }) => absent === undefined);
  const lost = records.filter(({ absent }) => absent !== undefined);
  const told = [
    showFields(terminal, known),
    records.flatMap((record) => heldLines(terminal, record)).join('\n'),
    lost.flatMap((record) => absentLine(terminal, record)).join('\n'),
    showFields(terminal, lost),
  ];
  return told.filter((part) => part !== '').join('\n\n');
}

function showFields(terminal: Terminal, records: readonly RecordView[]): string {
  const now = terminal.now();
  return recordTables(terminal, records, {
    noun: 'record',
    before: [['KEY', ({ key }) => plainText(key), { cutTo: 16 }]],
    after: [
      [
        'CHANGED',
        (record) => ageText(Math.max(record.firstSeenAt, ...cellsOf(record).map(changedAt)), now),
        { spare: true },
      ],
      // A record is no fresher than the field that was verified longest ago.
      ['VERIFIED', (record) => ageText(Math.min(record.updatedAt, ...cellsOf(record).map(verifiedAt)), now)],
    ],
    fieldsOf: ({ fields }) => Object.keys(fields),
    // Nothing where the field was never observed, which differs from a page that has no value.
    cellOf: ({ fields, precision }, field) =>
      fields[field] === undefined ? '' : cellText(fields[field].value, precision?.[field]),
    mayCut: ({ fields }, field) => isText(fields[field]?.value),
    cutTo: 10,
    byField: (rows) => showByField(terminal, rows),
  });
}

function showByField(terminal: Terminal, records: readonly RecordView[]): string {
  const rows = records.flatMap(({ fields, ...record }) =>
    Object.entries(fields).map(([name, cell]) => ({ ...record, ...cell, name })),
  );
  return table(terminal, rows, [
    ['RECORD', ({ source, type, key }) => `${source} ${type} ${plainText(key)}`, { cutTo: 16 }],
    ['FIELD', ({ name }) => name],
    ['VALUE', ({ name, value, precision }) => cellText(value, precision?.[name]), { cutTo: 16 }],
    ['SINCE', ({ observedAt }) => ageText(observedAt, terminal.now()), { spare: true }],
    ['VERIFIED', ({ verifiedAt }) => ageText(verifiedAt, terminal.now())],
  ]);
}

/** Formats a value; that of a date says how much its text did, where that is less: `2017-01-01 (month)`. */
function cellText(value: FieldCell['value'], precision: string | undefined): string {
  return precision === undefined ? valueText(value) : `${valueText(value)} (${plainText(precision)})`;
}

function cellsOf({ fields }: RecordView): readonly FieldCell[] {
  return Object.values(fields);
}

function changedAt({ observedAt }: FieldCell): number {
  return observedAt;
}

function verifiedAt({ verifiedAt }: FieldCell): number {
  return verifiedAt;
}

/** Formats the values of a record that are held: what the site shows in place of what is known. */
function heldLines(terminal: Terminal, { source, type, key, held = {} }: RecordView): string[] {
  return Object.entries(held).map(([field, { value, observedAt, isRejected }]) => {
    const state = isRejected === true ? 'rejected' : `held since ${ageText(observedAt, terminal.now())}`;
    return terminal.paint('yellow', `${source} ${type} ${plainText(key)}: ${field}: ${valueText(value)} is ${state}`);
  });
}

/** Formats since when complete scrapes of a list or site have not found a record. */
function absentLine(terminal: Terminal, { source, type, key, absent }: RecordView): string[] {
  if (absent === undefined) return [];
  const since = `absent since ${ageText(absent.since, terminal.now())}, for ${countText(absent.times, 'complete scrape')}`;
  return [terminal.paint('yellow', `${source} ${type} ${plainText(key)}: ${since}`)];
}
