import * as z from 'zod';
import { Failure, FieldChanges, Serial, Value } from '../view/fields.ts';
import { Infeasible } from '../view/infeasible.ts';
import { lateFacts } from '../view/objective.ts';
import { pauseFacts, resumeFacts } from '../view/pause.ts';
import { runEnd } from '../view/pipeline.ts';
import { ReplayCounts } from '../view/replay.ts';
import { ScrapeReason, scrapeEnd } from '../view/scrape.ts';
import { TicketChange, TicketEnd, TicketFacts } from '../view/ticket.ts';

/** Wall time in milliseconds since the epoch; a clock may tell fractions. */
const instant = z.number();

/** The properties of all events. A type overrides the subjects that it names. */
const envelope = {
  /** Counts up from 1 in the order of the commits; a reader resumes by it. */
  id: Serial,
  /** Version of the form of all events. A new type or a new optional property does not raise it; any other change does. */
  version: z.literal(1),
  /** Wall time of the commit; of `scrape.started`, when the scrape began. */
  at: instant,
  projects: z.never().exactOptional(),
  source: z.never().exactOptional(),
  target: z.never().exactOptional(),
  scrape: z.never().exactOptional(),
};

/** Ids of projects: for an event of a project, that one; for one of a target, all active projects that watch it. */
const projects = z.array(z.string()).readonly();

const target = { projects, source: z.string(), target: Serial };

const ofProject = { ...envelope, projects };
const ofSource = { ...envelope, source: z.string() };
const ofTarget = { ...envelope, ...target };
const ofScrape = { ...envelope, ...target, scrape: Serial };
const ofTargetOrScrape = { ...envelope, ...target, scrape: Serial.exactOptional() };
/** Of a target, or of the targets of few records of a source together. */
const ofTargetOrSource = { ...ofTarget, target: Serial.exactOptional() };
const ofDaemon = { ...envelope };
const ofPaused = { ...envelope, source: z.string().exactOptional() };
const ofActor = { ...envelope, projects: projects.exactOptional(), source: z.string().exactOptional() };

const project = {
  name: z.string(),
  labels: z.array(z.string()).readonly(),
  multiplier: z.number(),
  /** Numbers of all its targets, in the order in which they were added. */
  targets: z.array(Serial).readonly(),
};

const record = { type: z.string(), key: z.string() };
const changedRecord = { ...record, fields: FieldChanges };

/** The address of a file, and the first record that names it. */
const file = { ...record, url: z.string() };

const held = {
  kind: z.enum(['jump', 'empty', 'missing', 'unusual']),
  /** The type of the records and the field; missing for records that are missing. */
  record: z.string().exactOptional(),
  field: z.string().exactOptional(),
  /** The number of the records. More may follow, of which nothing is told. */
  count: z.int(),
};

const watched = {
  /** The name of the rule. */
  rule: z.string(),
  /** The fields of the record, or the metrics of the project, as they are then. */
  values: z.record(z.string(), Value).readonly(),
};

/** Declares an event of a rule: on a record, with its source and target, or on the metrics of a project. */
function ruleEvent<const T extends string>(type: T, doc: string) {
  const subjects = { ...envelope, projects, source: z.string().exactOptional(), target: Serial.exactOptional() };
  const data = z.union([z.strictObject({ ...watched, ...record, url: z.string() }), z.strictObject(watched)]);
  return z.strictObject({ ...subjects, type: z.literal(type), data }).describe(doc);
}

/** Declares an event of a ticket: of one source, or of a host. */
function ticketEvent<const T extends string, D extends z.ZodRawShape>(type: T, doc: string, data: D) {
  const subjects = { ...envelope, projects, source: z.string().exactOptional() };
  return z.strictObject({ ...subjects, type: z.literal(type), data: TicketFacts.extend(data) }).describe(doc);
}

/** Declares an event type: its subjects, its name, what it says in a sentence, and its data. */
function event<S extends z.ZodRawShape, const T extends string, D extends z.ZodRawShape>(
  subjects: S,
  type: T,
  doc: string,
  data: D,
) {
  return z.strictObject({ ...subjects, type: z.literal(type), data: z.strictObject(data) }).describe(doc);
}

/**
 * Every event type. `docs/events.md` is made from this table. An event names its subjects and carries its data; a subject that
 * a type does not have is absent.
 */
export const Event = z.discriminatedUnion('type', [
  event(ofProject, 'project.added', 'A project is tracked from now on.', project),
  event(ofProject, 'project.updated', 'A project was changed, archived or not.', project),
  event(ofProject, 'project.archived', 'A project is no longer tracked; its data stays.', project),
  event(ofProject, 'project.restored', 'An archived project is tracked again.', project),
  event(ofProject, 'project.deleted', 'A project was removed, with those of its targets that nobody else watches.', {
    ...project,
    /** Whether the records and the history of these targets go as well. */
    records: z.boolean(),
  }),
  event(ofProject, 'project.finished', 'The last target of a project that was not finished is finished.', {}),

  event(ofTargetOrScrape, 'target.crashed', 'A scrape of a target ended by an error of this program or a plug-in.', {
    message: z.string(),
  }),
  event(ofTarget, 'target.parked', 'A target is not scraped until `retryAt` or until it is released.', {
    reason: z.string(),
    retryAt: instant,
    /** How often in a row the target was parked. */
    times: z.int(),
  }),
  event(ofTarget, 'target.released', 'A parked target is scraped again.', {}),
  event(ofScrape, 'scrape.requested', 'A person asked for a scrape, which waits to begin.', {}),
  event(ofPaused, 'schedule.paused', 'An operator has paused a source, a host, or everything.', pauseFacts),
  event(ofPaused, 'schedule.resumed', 'What was paused may be asked again.', resumeFacts),
  event(
    ofScrape,
    'scrape.started',
    'A scrape has begun. One that ends within half a second is told with its end; `at` is when it began.',
    {
      reason: ScrapeReason,
      /** The version of the definition that the scrape uses. */
      version: z.string(),
    },
  ),
  event(ofScrape, 'scrape.completed', 'A scrape read all that it was to read.', scrapeEnd),
  event(ofScrape, 'scrape.failed', 'A scrape ended by a failure.', scrapeEnd),
  event(ofScrape, 'scrape.aborted', 'A guard of the definition ended a scrape; what it found stays.', scrapeEnd),
  event(ofScrape, 'scrape.cancelled', 'A scrape was ended by a person, or by what happened to its target.', scrapeEnd),
  event(
    ofScrape,
    'scrape.gap',
    'A limit cut a list short of what is known. Later scrapes of a list read what lies between; of a first visit or a register, nothing does.',
    {
      /** Pages that were read, and the last of them. */
      pages: z.int(),
      url: z.string(),
    },
  ),
  event(ofScrape, 'crawl.offsite', 'A crawl met links to another domain for the first time and leaves them aside.', {
    crawl: Serial,
    domain: z.string(),
  }),

  event(
    ofTargetOrScrape,
    'record.added',
    'A record was seen for the first time. Without a scrape, a pulse saw it.',
    changedRecord,
  ),
  event(ofTargetOrScrape, 'record.changed', 'Fields of a record differ, or a missing record was seen again.', {
    ...changedRecord,
    /** Set where the value was held, and then released. */
    wasHeld: z.literal(true).exactOptional(),
  }),
  event(ofScrape, 'record.missing', 'A complete crawl no longer found a record.', record),
  event(ofScrape, 'record.gone', 'One more complete crawl did not find a missing record.', record),
  event(
    ofTarget,
    'record.removed',
    'A person removed a record. Its history stays; seen again, it is a new one.',
    record,
  ),

  event(
    ofTargetOrScrape,
    'record.synced',
    'A record as it is. Sent to one sink that a person asked to be told all records of a type, and stored in no log.',
    changedRecord,
  ),

  event(
    ofTarget,
    'file.stored',
    'A file that a record names was fetched, and its bytes are in the vault. Sent once for an address, whatever records name it later.',
    { ...file, digest: z.string(), bytes: z.int(), mediaType: z.string() },
  ),
  event(ofTarget, 'file.failed', 'A file that a record names could not be fetched, and is given up.', {
    ...file,
    tries: z.int(),
    failure: Failure,
  }),
  event(
    ofTarget,
    'file.expired',
    'The bytes of a file that a record names left the vault, as they lay in its oldest pack and its size is limited. It is fetched again when a person asks for it (`file.retry`).',
    { ...file, digest: z.string() },
  ),

  event(
    ofTargetOrScrape,
    'value.held',
    'What was read is not believed, so that it is not published until a person releases it: a number that jumped, a field that became empty on nearly all records or whose values are unusual, or most records missing at once.',
    {
      ...held,
      /** The first 20 of them. */
      examples: z
        .array(z.strictObject({ ...record, old: Value.exactOptional(), new: Value.exactOptional() }))
        .max(20)
        .readonly(),
    },
  ),
  event(
    ofTargetOrSource,
    'value.released',
    'What was held is published, as a person has released it, as a number that jumped was seen again, or as the run that read it turned out to be as usual. Events of the records tell the changes.',
    { ...held, by: z.enum(['person', 'look', 'run']) },
  ),
  event(
    ofTargetOrSource,
    'value.rejected',
    'What was held is forgotten, as a person has rejected it, or as its source shows other values.',
    { ...held, by: z.enum(['person', 'source']) },
  ),
  event(
    { ...ofTargetOrSource, scrape: Serial.exactOptional() },
    'records.recalled',
    'What a scrape, or a round of many, told of a field is taken back, as the field was found to be unusual: the records have their last good values again, and those that were told are held. The records tell no events of it.',
    {
      /** The type of the records and the field. */
      record: z.string(),
      field: z.string(),
      /** The number of the records, and the keys of the first 100. */
      count: z.int(),
      keys: z.array(z.string()).max(100).readonly(),
      /** When the run began that told of them. */
      since: instant,
      /** The ticket that says so; missing while the run is under way that has found it, as its end opens the ticket. */
      ticket: Serial.exactOptional(),
    },
  ),

  event(
    ofSource,
    'entity.unlinked',
    'So many records of a type have the same in the fields by which records are linked that it links none of them any more.',
    {
      /** The type that the records are. */
      type: z.string(),
      /** What the fields say, as it is compared, each cut to 200 characters. */
      values: z.record(z.string(), z.string()),
      /** The number of the records. */
      records: z.int(),
    },
  ),

  event(
    ofSource,
    'reextraction.applied',
    'Kept pages of a source were read again by another definition, and the history was corrected. Its records tell no events of it.',
    {
      job: Serial,
      /** The version of the definition by which the pages were read. */
      version: z.string(),
      /** Records whose history was corrected, and the changes that were added to it. */
      records: z.int(),
      changes: z.int(),
      /** Present values that went back to these pages. */
      present: z.int(),
    },
  ),
  event(ofSource, 'history.imported', 'What a record said in the past was added to its history, silently.', {
    ...record,
    /** The changes that were added. */
    changes: z.int(),
  }),
  event(ofProject, 'metric.changed', 'A metric of a project has another value, or has become stale or fresh.', {
    metric: z.string(),
    /** Missing for the first value. */
    old: Value.exactOptional(),
    new: Value,
    /** Why there is no value. */
    reason: z.strictObject({ code: z.string(), message: z.string() }).exactOptional(),
    /** Why the value may be out of date. */
    stale: z.string().exactOptional(),
    /** The oldest verification of what it is made of. */
    verifiedAt: instant.exactOptional(),
  }),
  ruleEvent('rule.met', 'A record, or the metrics of a project, have begun to meet a rule.'),
  ruleEvent('rule.ended', 'A record, or the metrics of a project, no longer meet a rule.'),

  event(ofTarget, 'objective.warn', 'A target or field is older than `warnAfter`; sent once an episode.', lateFacts),
  event(ofTarget, 'objective.error', 'A target or field is older than `errorAfter`; sent once an episode.', lateFacts),
  event(
    ofTarget,
    'objective.recovered',
    'A target or field that was late is verified again, or the season of its objective is over.',
    lateFacts,
  ),
  event(
    ofSource,
    'source.changed',
    'Another version of a definition is in use, which reads kept pages of its source otherwise. Not told where no page is kept.',
    ReplayCounts.shape,
  ),
  event(ofSource, 'source.renamed', 'A source has another id. What was told before named it `from`.', {
    from: z.string(),
  }),

  event(
    ofSource,
    'objective.infeasible',
    'A host does not allow an objective to be kept.',
    Infeasible.omit({ source: true }).shape,
  ),

  ticketEvent(
    'ticket.opened',
    'Something is wrong with a source, or with a host. Sent once; what is seen again later is counted, and not told.',
    {},
  ),
  ticketEvent(
    'ticket.changed',
    'A ticket has a symptom that it did not have, its cause is known, repairs are proposed or made, its snooze is over, or a person has done something with it.',
    {
      change: TicketChange,
      /** A sentence for people that says what has changed. */
      what: z.string(),
    },
  ),
  ticketEvent(
    'ticket.resolved',
    'The targets of a ticket were healthy twice in a row, none of them is scraped any more, or a person has ended it. What ends by itself while it is snoozed is told once the snooze is over.',
    { by: TicketEnd },
  ),
  ticketEvent(
    'ticket.reopened',
    'A symptom came back within a week after its ticket was resolved by itself. Not told while it is snoozed: `ticket.changed` or `ticket.resolved` says how it is when the snooze is over.',
    {},
  ),

  event(
    ofDaemon,
    'sink.dead_letter',
    'A message for a sink is no longer tried, and the next one of its key is. `heronry sink replay NAME --dead` sends it again.',
    {
      sink: z.string(),
      /** The id of the message, and what it told. */
      id: z.string(),
      key: z.string(),
      type: z.string(),
      attempts: z.int(),
      failure: Failure,
    },
  ),
  event(
    ofDaemon,
    'sink.lagged',
    'Events that a sink had not read yet are no longer kept: it gets none of them. The sink itself gets this before the next event, whatever types it wants, with an id that names both serials: `k3f9Qz-12-90`.',
    {
      sink: z.string(),
      /** The first and the last of these events. */
      from: Serial,
      to: Serial,
    },
  ),
  event(ofDaemon, 'pipeline.ended', 'A run of a pipeline is over. A cleared one is told again.', runEnd),

  event(ofDaemon, 'workers.wanted', 'So many worker processes are wanted; told at each start, and at each change.', {
    wanted: z.int(),
    min: z.int(),
    max: z.int(),
  }),

  event(ofActor, 'actor.gave_up', 'An actor used up its restarts and is down until `retryAt`.', {
    kind: z.enum(['edge', 'source', 'project']),
    id: z.string(),
    retryAt: instant,
    /** How often in a row. */
    times: z.int(),
  }),
]);

/** An event as it is stored and sent to subscribers. */
export type Event = z.infer<typeof Event>;

/** The name of an event type. */
export type EventType = Event['type'];

/** The names of all event types. */
export const eventTypes: readonly EventType[] = Event.options.map(({ shape }) => shape.type.value);

/** The events of a type, or of several. */
export type EventOf<T extends EventType> = Extract<Event, { readonly type: T }>;

/** The part of an event that a commit gives; the store adds `id`, `version` and `at`. */
export type NewEvent = WithoutEnvelope<Event>;

type WithoutEnvelope<E> = E extends Event ? Omit<E, 'id' | 'version' | 'at'> : never;
