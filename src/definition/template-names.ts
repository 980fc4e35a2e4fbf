import type { SinkKind } from '../publish/sink.ts';
import { sinkKinds } from '../publish/sinks/all.ts';
import { namesIn } from '../publish/template.ts';
import { recordNames } from '../publish/values.ts';
import { didYouMean } from '../schema/near-name.ts';
import { allFields } from './all-fields.ts';
import { pageId } from './page.ts';
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
    const wanted = [...namesIn(templates)];
    const unknown = wanted.filter((each) => !known.includes(each));
    return [
      ...unknown.map((each) => {
        const otherwise = '; what has no value gives nothing';
        return `sink ${sink.id}: no record that it may get has "${each}", which a template names${didYouMean(each, known, otherwise)}`;
      }),
      ...emptyWarnings(
        sink,
        sources,
        wanted.filter((each) => !recordNames.some((name) => name === each) && !unknown.includes(each)),
      ),
    ];
  });
}

/** Returns a warning for each record type of which a sink gets records while its templates name no field of it. */
function emptyWarnings(sink: Sink, sources: readonly Source[], fields: readonly string[]): string[] {
  const { from } = sink;
  // What links to a sink, and where the targets of a project are, is not known here.
  if (fields.length === 0 || from === undefined || (from !== 'all' && (from.projects ?? from.labels) !== undefined))
    return [];
  return recordsFor(sink, sources)
    .filter(([source, , record]) => source !== pageId && !fields.some((each) => Object.hasOwn(allFields(record), each)))
    .map(
      ([source, type]) =>
        `sink ${sink.id}: ${source} ${type} has none of the fields that a template names (${fields.join(', ')}): \`from\` may leave it out`,
    );
}

/** The names of all fields of the records that a sink may get; undefined where that is not known. */
function fieldsFor(sink: Sink, sources: readonly Source[]): ReadonlySet<string> | undefined {
  // A plug-in declares its records itself.
  if (sourcesFor(sink, sources).some(({ plugin }) => plugin !== undefined)) return undefined;
  const records = recordsFor(sink, sources);
  return records.length === 0 ? undefined : new Set(records.flatMap(([, , record]) => Object.keys(allFields(record))));
}

function sourcesFor({ from }: Sink, sources: readonly Source[]): readonly Source[] {
  const { sources: ids } = from === undefined || from === 'all' ? {} : from;
  return sources.filter(({ id }) => ids === undefined || ids.includes(id));
}

type DeclaredRecord = NonNullable<Source['records']>[string];

/** The record types whose records a sink may get, each with its source. */
function recordsFor(
  sink: Sink,
  sources: readonly Source[],
): readonly (readonly [source: string, type: string, record: DeclaredRecord])[] {
  const { types } = sink.from === undefined || sink.from === 'all' ? {} : sink.from;
  return sourcesFor(sink, sources).flatMap(({ id, records }) =>
    Object.entries(records ?? {})
      .filter(([type, { is }]) => types === undefined || types.some((each) => each === type || each === is))
      .map(([type, record]) => [id, type, record] as const),
  );
}
