import type { SinkKind } from '../publish/sink.ts';
import { sinkKinds } from '../publish/sinks/all.ts';
import { namesIn } from '../publish/template.ts';
import { recordNames } from '../publish/values.ts';
import { didYouMean } from '../schema/near-name.ts';
import { allFields } from './all-fields.ts';
import { kindOf, type Sink } from './sink.ts';
import type { Source } from './source.ts';

/**
 * Returns a warning for each name in the templates of a sink that no record which the sink can get has: it stays empty in every message.
 * Only sinks of single events on records are checked, since other messages have members of their own.
 *
 * @param sources - all that there are, with those that are built in.
 */
export function templateWarnings(sinks: readonly Sink[], sources: readonly Source[]): string[] {
  return sinks.flatMap((sink) => {
    const ofRecords = sink.per === 'event' && sink.digest === undefined;
    if (!ofRecords || !sink.events.every((type) => type.startsWith('record.'))) return [];
    const fields = fieldsFor(sink, sources);
    if (fields === undefined) return [];
    const { name, options } = kindOf(sink);
    const known = [...recordNames, ...fields];
    const kind: SinkKind<unknown> = sinkKinds[name];
    const templates = kind.templates?.(options) ?? [];
    return [...namesIn(templates)]
      .filter((each) => !known.includes(each))
      .map((each) => {
        const otherwise = '; what has no value gives nothing';
        return `sink ${sink.id}: no record that it may get has "${each}", which a template names${didYouMean(each, known, otherwise)}`;
      });
  });
}

/** The names of all fields of the records that a sink may get; undefined where that is not known. */
function fieldsFor({ from }: Sink, sources: readonly Source[]): ReadonlySet<string> | undefined {
  const { sources: ids, types } = from === undefined || from === 'all' ? {} : from;
  const wanted = sources.filter(({ id }) => ids === undefined || ids.includes(id));
  // A plug-in declares its records itself.
  if (wanted.some(({ plugin }) => plugin !== undefined)) return undefined;
  const records = wanted
    .flatMap(({ records: declared }) => Object.entries(declared ?? {}))
    .filter(([type, { is }]) => types === undefined || types.some((each) => each === type || each === is));
  return records.length === 0 ? undefined : new Set(records.flatMap(([, record]) => Object.keys(allFields(record))));
}
