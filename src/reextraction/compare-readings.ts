import type { RecordDraft } from '../extract/draft.ts';
import type { Value } from '../extract/value/value.ts';
import { sameValue } from '../store/same-value.ts';
import type { ReplayCounts, ReplayExample } from '../view/replay.ts';

/** What two versions of a definition read on one page; empty where a version can read nothing. */
export interface PageReadings {
  /** The digest of the page. */
  readonly page: string;
  /** Set for a page that items of a list lead to: the type of their records. */
  readonly itemType?: string;
  readonly before: readonly RecordDraft[];
  readonly now: readonly RecordDraft[];
}

/** The most examples of one kind and field, and of all. */
const [mostAlike, mostExamples] = [3, 30];

type Found = Omit<ReplayCounts, 'from' | 'version' | 'pages'> & { readonly examples: readonly ReplayExample[] };

/** Compares what two versions of a definition read on some pages, record by record. */
export function compareReadings(readings: readonly PageReadings[]): Found {
  const fields = new Map<string, { changed: number; lost: number; gained: number }>();
  const examples = new Map<string, ReplayExample[]>();
  const counts = { before: 0, records: 0, lost: 0, added: 0 };
  for (const { page, before, now } of readings) {
    counts.before += before.length;
    counts.records += now.length;
    const known = byKey(before);
    const found = byKey(now);
    for (const [name, draft] of known) {
      const other = found.get(name);
      if (other !== undefined) compareFields(page, draft, other);
      else {
        counts.lost += 1;
        show({ kind: 'lost', type: draft.type, key: draft.key, page });
      }
    }
    for (const [name, { type, key }] of found) {
      if (known.has(name)) continue;
      counts.added += 1;
      show({ kind: 'added', type, key, page });
    }
  }
  return {
    ...counts,
    byField: Object.fromEntries(fields),
    examples: [...examples.values()].flat().slice(0, mostExamples),
  };

  function compareFields(page: string, { type, key, fields: old }: RecordDraft, { fields: next }: RecordDraft): void {
    for (const field of new Set([...Object.keys(old), ...Object.keys(next)])) {
      const [from, to] = [valueIn(old, field), valueIn(next, field)];
      if (from === undefined ? to === undefined : to !== undefined && sameValue(from, to)) continue;
      const name = `${type}.${field}`;
      const tally = fields.get(name) ?? { changed: 0, lost: 0, gained: 0 };
      tally[isNone(to) ? 'lost' : isNone(from) ? 'gained' : 'changed'] += 1;
      fields.set(name, tally);
      show({
        kind: 'changed',
        type,
        key,
        field,
        page,
        ...(from !== undefined && { old: from }),
        ...(to !== undefined && { new: to }),
      });
    }
  }

  function show(example: ReplayExample): void {
    const { kind, type, field = '' } = example;
    const name = `${kind} ${type}.${field}`;
    const alike = examples.get(name) ?? [];
    if (alike.length < mostAlike) alike.push(example);
    examples.set(name, alike);
  }
}

function byKey(drafts: readonly RecordDraft[]): Map<string, RecordDraft> {
  return new Map(drafts.map((draft) => [`${draft.type} ${draft.key}`, draft]));
}

function valueIn(fields: RecordDraft['fields'], name: string): Value | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function isNone(value: Value | undefined): boolean {
  return value === undefined || value === null;
}
