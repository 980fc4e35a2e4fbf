import { writtenText } from '../../time-text.ts';
import { writtenHours } from '../../schedule/time/open-hours-schema.ts';
import { durationKeys, type ScheduleLevel } from '../../schedule/levels.ts';
import { othersOf } from '../../schedule/watchers.ts';
import type { SinkLink } from '../../schema/sink-link.ts';
import type { ProjectSpec } from '../../store/projects.ts';
import type { TargetSpec } from '../../store/watch-places.ts';
import type { Store } from '../../store/store.ts';
import type { ProjectRow, TargetRow } from '../../store/tables/rows.ts';
import { placeKey } from '../../store/tables/targets.ts';
import { trackedTargets } from './find.ts';

/** Returns what makes a tracked project differ from what it is to be, one line per difference; none where they are equal. */
export function differencesOf(store: Store, row: ProjectRow, spec: ProjectSpec): string[] {
  return [
    ...textChanges(row, spec),
    ...linkChanges('sinks', row.sinks, spec.sinks),
    ...figureChanges('metrics', row.metrics, spec.metrics),
    ...figureChanges('rules', row.rules, spec.rules),
    ...scheduleChanges(row, spec),
    ...targetChanges(store, trackedTargets(row, store), spec),
  ];
}

function textChanges(row: ProjectRow, spec: ProjectSpec): string[] {
  return (['name', 'labels', 'multiplier'] as const).flatMap((field) => {
    const [before, after] = [JSON.stringify(row[field]), JSON.stringify(spec[field])];
    return before === after ? [] : [`${field}: ${before} → ${after}`];
  });
}

function targetChanges(store: Store, targets: readonly TargetRow[], { id, targets: places }: ProjectSpec): string[] {
  const known = new Map(targets.map((target) => [placeKey(target), target]));
  const wanted = new Set(places.map(placeKey));
  const gone = targets.filter((target) => !wanted.has(placeKey(target))).map(({ source, url }) => `- ${source} ${url}`);
  const others = places.flatMap((place) => {
    const target = known.get(placeKey(place));
    if (target === undefined) return [addedText(store, id, place)];
    const own = target.watchers.find(({ project }) => project === id);
    const [before, after] = [scheduleText(own?.schedule), scheduleText(place.schedule)];
    const name = `${place.source} ${place.url}`;
    return [
      ...(before === after ? [] : [`${name}: ${before} → ${after}`]),
      ...linkChanges(`${name}: sinks`, own?.sinks, place.sinks),
    ];
  });
  return [...gone, ...others];
}

/** Formats a place that a project begins to watch, with the others that watch it already. */
export function addedText(store: Store, project: string, place: TargetSpec): string {
  const row = store.targets.at(place);
  const others = row && othersOf(row, project);
  const added = `+ ${place.source} ${place.url}`;
  if (others === undefined) return added;
  const { count, first } = others;
  return `${added}, watched by ${first.join(', ')}${count > first.length ? ` and ${count - first.length} more` : ''}`;
}

function scheduleChanges(row: ProjectRow, spec: ProjectSpec): string[] {
  const [before, after] = [scheduleText(row.schedule), scheduleText(spec.schedule)];
  return before === after ? [] : [`schedule: ${before} → ${after}`];
}

function figureChanges(name: string, before: object = {}, after: object = {}): string[] {
  const [old, now] = [before, after].map((figures) => valueText('', figures));
  return old === now ? [] : [`${name}: ${old} → ${now}`];
}

function linkChanges(name: string, before: readonly SinkLink[] = [], after: readonly SinkLink[] = []): string[] {
  const [old, now] = [before, after].map((links) => `[${links.map(linkText).join(', ')}]`);
  return old === now ? [] : [`${name}: ${old} → ${now}`];
}

/** Formats a link to a sink as its file has it. */
function linkText({ sink, ...more }: SinkLink): string {
  return Object.keys(more).length === 0 ? sink : valueText('', { sink, ...more });
}

/** Formats a level's schedule on one line, in the words of its file: `every 1h`, or `default`. Equal schedules give equal texts. */
function scheduleText({ available, ...level }: ScheduleLevel = {}): string {
  const hours = available === undefined ? undefined : writtenHours(available);
  const told = Object.entries({ ...level, available: hours })
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key} ${valueText(key, value)}`);
  return told.length === 0 ? 'default' : told.join(', ');
}

function valueText(key: string, value: unknown): string {
  if (typeof value === 'number') return durationKeys.has(key) ? durationText(value) : String(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map((each) => valueText('', each)).join(', ')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{ ${entries.map(([name, each]) => `${name}: ${valueText(name, each)}`).join(', ')} }`;
}

function durationText(ms: number): string {
  return ms === 0 ? '0s' : writtenText(ms);
}
