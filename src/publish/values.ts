import type { Values } from '../expression/compile.ts';
import { isMapping } from '../schema/mapping.ts';
import { changedText } from '../view/changed-text.ts';
import type { Message, SinkPorts } from './sink.ts';

/** The names that a template may use for each event on a record, besides those of the record's fields. */
export const recordNames = [
  'event',
  'id',
  'type',
  'key',
  'url',
  'source',
  'project',
  'at',
  'official',
  'old',
  'diff',
] as const;

/**
 * The values that a template may name for a message: of an event on a record the fields of the record, `old`, the fields as they
 * were before, and `diff`, how its texts differ from those; of other messages the members of their data. Besides, whatever fields are called so, `event`, `id`, `type`, `key`, `url`,
 * `source`, `project`, `at` and `official`.
 */
export function templateValues(
  { id, type, at, event, body, link }: Message,
  { record }: Pick<SinkPorts, 'record'>,
): Values {
  const always = { event: type, id, at: new Date(at).toISOString(), official: link?.official ?? false };
  if (event === undefined) return { ...(isMapping(body) ? body : {}), ...always };
  const { source, projects, data } = event;
  const subjects = { ...always, source, project: projects?.[0] };
  if (!('type' in data && 'key' in data) || source === undefined) return { ...data, ...subjects };
  const now = record({ source, type: data.type, key: data.key });
  const changes = Object.entries('fields' in data ? data.fields : {});
  return {
    ...Object.fromEntries(Object.entries(now?.fields ?? {}).map(([name, { value }]) => [name, value])),
    ...Object.fromEntries(changes.map(([name, change]) => [name, change.new])),
    old: Object.fromEntries(changes.map(([name, change]) => [name, change.old ?? null])),
    // Compared only where a template asks for it, as that takes some milliseconds.
    get diff() {
      return Object.fromEntries(changes.map(([name, { old, new: value }]) => [name, changedText(old, value) ?? null]));
    },
    type: data.type,
    key: data.key,
    url: now?.page?.url ?? now?.url,
    ...subjects,
  };
}
