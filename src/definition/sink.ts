import * as z from 'zod';
import { WantedType } from '../event/wanted-type.ts';
import { type SinkKindName, sinkKindNames, sinkKinds } from '../publish/sinks/all.ts';
import { Available, Zone } from '../schedule/time/open-hours-schema.ts';
import type { OpenHours } from '../schedule/time/open-hours.ts';
import { Duration, Interval } from '../schema/duration.ts';
import { expected } from '../schema/expected.ts';
import { ProjectId, SourceId } from '../schema/slug.ts';
import { strict } from '../schema/strict.ts';

const Names = z.array(z.string().min(1).max(64)).min(1).max(1_000).exactOptional();

/** The events that a sink gets without a link to it: those that match every key that is set. */
const From = strict({
  projects: z.array(ProjectId).min(1).max(1_000).exactOptional(),
  /** Labels of projects: one of them is enough. */
  labels: Names,
  sources: z.array(SourceId).min(1).max(1_000).exactOptional(),
  /** Types of records, by their own names or those of the shared types that they are. */
  types: Names,
}).refine((from) => Object.keys(from).length > 0, expected('projects, labels, sources or types, or `from: all`'));
export type From = z.infer<typeof From>;

/** A time of day at which digests are sent. */
const DailyTime = strict({
  at: z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, expected('a time like "08:00"')),
  zone: Zone.default('UTC'),
});

/** How long the events of one digest are gathered, in ms, or the times at which they are sent. */
const Digest = z.union([
  Interval,
  DailyTime.transform(({ at, zone }): readonly OpenHours[] => {
    const [hour = 0, minute = 0] = at.split(':').map(Number);
    const fromMinute = hour * 60 + minute;
    return [{ days: [1, 2, 3, 4, 5, 6, 7], fromMinute, toMinute: fromMinute + 1, zone }];
  }),
]);

/** When a failed delivery is made again, and until when. */
const Retry = strict({
  /** The pause before the second attempt; it doubles with each further one. */
  first: Duration.prefault('5s'),
  longest: Duration.prefault('1h'),
  /** A message that failed for as long becomes a dead letter. */
  giveUpAfter: Duration.prefault('1d'),
});

const kinds = Object.fromEntries(sinkKindNames.map((name) => [name, sinkKinds[name].options.exactOptional()])) as {
  readonly [K in SinkKindName]: z.ZodExactOptional<(typeof sinkKinds)[K]['options']>;
};

/** A receiver of what the daemon tells, as its file describes it. */
export const Sink = strict({
  /** The sink's id; its file has the same name. */
  id: SourceId,
  ...kinds,
  /** Event types; a `*` at the end stands for any rest. */
  events: z.array(WantedType).min(1).max(100).default(['record.*']),
  /** Without it, the sink gets what projects and targets link to it. */
  from: z.union([z.literal('all'), From]).exactOptional(),
  /** `scrape`: one message when a scrape ends, with the records that it added. */
  per: z.enum(['event', 'scrape']).default('event'),
  /** One message for all events of a span: `1h`, or `{ at: "08:00", zone: Europe/Berlin }`. */
  digest: Digest.exactOptional(),
  /** Hours in which nothing is sent; it waits. */
  mute: Available.exactOptional(),
  retry: Retry.prefault({}),
}).superRefine((sink, context) => {
  const given = sinkKindNames.filter((name) => sink[name] !== undefined);
  const fault = (path: readonly string[], message: string): void =>
    context.addIssue({ code: 'custom', path: [...path], message });
  if (given.length !== 1)
    fault(
      given.slice(1, 2),
      given.length === 0 ? `missing, expected one of ${sinkKindNames.join(', ')}` : `expected only "${given[0]}"`,
    );
  if (sink.per === 'scrape' && sink.digest !== undefined)
    fault(['digest'], 'expected no "digest" where "per" is scrape');
  const [name] = given;
  if (name === undefined || sinkKinds[name].also === undefined) return;
  if (sink.per === 'scrape') fault(['per'], `expected no "per: scrape" where "${name}" takes single events`);
  if (sink.digest !== undefined) fault(['digest'], `expected no "digest" where "${name}" takes single events`);
});
export type Sink = z.infer<typeof Sink>;

/** The names of the secrets that a sink needs, each once: what stands under `secret`, wherever that is. */
export function sinkSecrets(sink: Sink): readonly string[] {
  return [...new Set(secretsIn(kindOf(sink).options))];
}

/** The keys of sink files under which secrets are named. */
const keysOfSecrets: ReadonlySet<string> = new Set(['secret', 'secrets', 'password']);

function* secretsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    const names: readonly unknown[] = keysOfSecrets.has(key) ? [each].flat() : [];
    for (const name of names) if (typeof name === 'string') yield name;
    yield* secretsIn(each);
  }
}

/** The kind of a sink, and what its file says of it. */
export function kindOf(sink: Sink): { readonly name: SinkKindName; readonly options: unknown } {
  const name = sinkKindNames.find((each) => sink[each] !== undefined);
  // The schema has one.
  if (name === undefined) throw new Error(`sink "${sink.id}" is of no kind`);
  return { name, options: sink[name] };
}
