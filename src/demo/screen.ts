import { stripVTControlCharacters, styleText } from 'node:util';
import type { Event } from '../event/catalogue.ts';
import type { Board, BoardCounts, BoardRow, RecordChange } from './board.ts';

/** The terminal's size, in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

const valueWidth = 34;

/** The board as lines of a terminal: one per project and source, cut to its size, what changed last in bold. */
export function boardLines({ rows, counts }: Board, now: number, { columns, rows: height }: ScreenSize): string[] {
  const shown = [...rows.values()].sort((one, other) => keyOf(one).localeCompare(keyOf(other)));
  const room = Math.max(1, height - 4);
  const wide = (name: 'project' | 'source') => Math.max(name.length, ...shown.map((row) => row[name].length));
  const [project, source] = [wide('project'), wide('source')];
  const rest = Math.max(10, columns - project - source - 24);
  const lines = shown.slice(0, room).map((row) => {
    const start = `${row.project.padEnd(project)}  ${row.source.padEnd(source)}  ${ageText(row.seenAt, now).padStart(5)}  ${String(row.changes).padStart(7)}  `;
    return start + (row.failure === undefined ? fieldsText(row, rest) : styleText('red', row.failure.slice(0, rest)));
  });
  const heading = `${'project'.padEnd(project)}  ${'source'.padEnd(source)}    age  changes  what is known`;
  const hidden = shown.length > room ? [`… and ${shown.length - room} more`] : [];
  return [
    styleText('dim', heading.slice(0, columns)),
    ...lines,
    ...hidden,
    styleText('dim', countsText(counts).slice(0, columns)),
  ];
}

/** An event as a line of its own; nothing for those that only say that the daemon is at work. */
export function eventLine(event: Event): string | undefined {
  const start = `${new Date(event.at).toISOString().slice(11, 19)}  ${event.projects?.[0] ?? '-'}  ${event.source ?? '-'}  `;
  switch (event.type) {
    case 'record.added':
      return `${start}added ${recordText(event, ({ new: value }) => valueText(value))}`;
    case 'record.changed':
      return `${start}changed ${recordText(event, (field) => `${valueText(field.old)} → ${valueText(field.new)}`)}`;
    case 'scrape.failed':
      return `${start}scrape failed: ${plain(event.data.failure?.code ?? 'failed')}`;
    case 'metric.changed': {
      const { metric, old, new: value, stale, reason } = event.data;
      const why = stale === undefined ? (reason?.message ?? '') : `stale: ${stale}`;
      return `${start}metric ${metric} ${valueText(old)} → ${valueText(value)}${why === '' ? '' : ` (${plain(why)})`}`;
    }
    case 'project.finished':
      return `${start}finished: there will be nothing more`;
    default:
      return undefined;
  }
}

function recordText(
  { data: { type, key, fields } }: RecordChange,
  textOf: (field: RecordChange['data']['fields'][string]) => string,
): string {
  const texts = Object.entries(fields).map(([name, field]) => `${name} ${textOf(field)}`);
  return `${plain(type)} ${plain(key)}: ${texts.join(', ')}`;
}

/** The counts as one sentence. */
export function countsText({ scrapes, records, changes, failures, finished }: BoardCounts): string {
  return `${scrapes} scrapes, ${records} records, ${changes} changes, ${failures} failures, ${finished} finished`;
}

/** A field's value for people, on one line: money as amount and currency, texts cut and free of control characters. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return '–';
  if (Array.isArray(value)) return `[${value.length}]`;
  if (typeof value === 'object' && 'amount' in value && 'currency' in value)
    return plain(`${shortAmount(String(value.amount))} ${String(value.currency)}`);
  if (typeof value === 'number') return String(Math.round(value * 10_000) / 10_000);
  const text = plain(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > valueWidth ? `${text.slice(0, valueWidth - 1)}…` : text;
}

/** An amount with two decimals at most, which a converted one has more of. */
function shortAmount(amount: string): string {
  return /\.\d{3}/.test(amount) ? Number(amount).toFixed(2) : amount;
}

/** Formats a record: fields that changed last, then figures, then texts; the record's key comes first if the row has several records. */
function fieldsText({ record, records, latest, stale = [] }: BoardRow, width: number): string {
  if (record === undefined) return '';
  const others = Object.keys(record.fields).filter(
    (name) => !latest.includes(name) && record.fields[name] !== record.key,
  );
  const [texts, figures] = [true, false].map((text) =>
    others.filter((name) => (typeof record.fields[name] === 'string') === text),
  );
  const parts = records > 1 ? [plain(record.key).slice(0, width)] : [];
  let left = width - (parts[0] === undefined ? 0 : parts[0].length + 2);
  for (const name of [...latest, ...(figures ?? []), ...(texts ?? [])]) {
    if (left <= 0) break;
    const mark = stale.includes(name) ? ' (stale)' : '';
    const text = `${plain(name)} ${valueText(record.fields[name])}${mark}`.slice(0, left);
    parts.push(latest.includes(name) ? styleText('bold', text) : text);
    left -= text.length + 2;
  }
  return parts.join('  ');
}

function ageText(at: number | undefined, now: number): string {
  return at === undefined ? '–' : `${Math.max(0, Math.round((now - at) / 1_000))}s`;
}

/** Removes control characters, so that text from a page cannot move the cursor. */
function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{Cc}+/gu, ' ');
}

function keyOf({ project, source }: BoardRow): string {
  return `${project} ${source}`;
}
