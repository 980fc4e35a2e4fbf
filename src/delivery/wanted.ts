import type { Catalogue } from '../definition/catalogue.ts';
import type { Sink } from '../definition/sink.ts';
import { typeNames } from '../definition/type-names.ts';
import type { Event } from '../event/catalogue.ts';
import { isOfType } from '../event/of-type.ts';
import type { Link } from '../publish/sink.ts';
import type { Store } from '../store/store.ts';
import type { ProjectRow, TargetRow } from '../store/tables/rows.ts';

/** The dependencies of deciding whether a sink gets an event. */
export interface WantedDeps {
  readonly store: Pick<Store, 'projects' | 'targets'>;
  catalogue(): Pick<Catalogue, 'sources'>;
}

/** Whether a sink gets an event, and what the link says by which it does. */
export type Wanted = { readonly link?: Link } | undefined;

/** Returns a function that decides for the events of one slice of the log, which reads each project and target once. */
export function wantedOf(sink: Sink, { store, catalogue }: WantedDeps): (event: Event) => Wanted {
  const projects = new Map<string, ProjectRow | undefined>();
  const targets = new Map<number, TargetRow | undefined>();

  return (event) => {
    // What a sink does wrong does not feed it for ever.
    if (event.type.startsWith('sink.') && 'sink' in event.data && event.data.sink === sink.id) return undefined;
    const link = linkOf(event);
    if (link === undefined && !isFrom(event)) return undefined;
    return link === undefined ? {} : { link };
  };

  function isFrom(event: Event): boolean {
    const { from } = sink;
    if (from === undefined) return false;
    if (from === 'all') return true;
    const { source, data } = event;
    const of = event.projects ?? [];
    return (
      (from.projects === undefined || of.some((id) => from.projects?.includes(id))) &&
      (from.labels === undefined ||
        of.some((id) => project(id)?.labels.some((label) => from.labels?.includes(label)))) &&
      (from.sources === undefined || (source !== undefined && from.sources.includes(source))) &&
      (from.types === undefined || typesOf(source, data).some((type) => from.types?.includes(type)))
    );
  }

  /** The names of the type of the record that an event tells of; none where it tells of none. */
  function typesOf(source: string | undefined, data: Event['data']): readonly string[] {
    if (source === undefined || !('type' in data) || typeof data.type !== 'string') return [];
    return typeNames(catalogue().sources.get(source)?.source.records, data.type);
  }

  /** The link of the event's target, else that of one of its projects. */
  function linkOf(event: Event): Link | undefined {
    const of = event.projects ?? [];
    const watchers = event.target === undefined ? [] : (target(event.target)?.watchers ?? []);
    const links = [
      ...watchers.filter((watcher) => of.includes(watcher.project)).flatMap(({ sinks = [] }) => sinks),
      ...of.flatMap((id) => project(id)?.sinks ?? []),
    ];
    const found = links.find((link) => link.sink === sink.id);
    if (found === undefined) return undefined;
    const { sink: _, ...link } = found;
    return link;
  }

  function project(id: string): ProjectRow | undefined {
    if (!projects.has(id)) projects.set(id, store.projects.get(id));
    return projects.get(id);
  }

  function target(number: number): TargetRow | undefined {
    if (!targets.has(number)) targets.set(number, store.targets.get(number));
    return targets.get(number);
  }
}

/** Whether an event is of the types that a sink wants. */
export function isWantedType({ type }: Event, { events }: Pick<Sink, 'events'>): boolean {
  return events.some((wanted) => isOfType(type, wanted));
}
