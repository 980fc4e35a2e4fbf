import * as z from 'zod';
import { Instant, Serial } from '../../view/fields.ts';
import { SourceId } from '../../schema/slug.ts';
import { cutOf, Limit, nextOfBefore } from './fields.ts';
import type { MethodSpec } from './method.ts';

/** Why a message was not delivered. */
export const DeliveryFailureView = z.strictObject({
  code: z.string(),
  message: z.string(),
  /** The status of the answer, where there was one. */
  status: z.int().exactOptional(),
  retryAfterMs: z.number().exactOptional(),
  /** Set where another attempt could not succeed. */
  isFinal: z.boolean().exactOptional(),
});

/** One attempt to deliver a message, or a run of successful ones of one batch. */
export const DeliveryView = z.strictObject({
  at: Instant,
  /** The id of the message; of a run, of its last one. */
  id: z.string(),
  key: z.string(),
  type: z.string(),
  /** Counted from 1. */
  attempt: z.int(),
  ms: z.number(),
  /** The number of messages of the run. Default: 1. */
  messages: z.int().exactOptional(),
  status: z.int().exactOptional(),
  failure: DeliveryFailureView.exactOptional(),
});
export type DeliveryView = z.infer<typeof DeliveryView>;

/** A message that failed and is tried again, or is no longer tried. */
export const StuckView = z.strictObject({
  id: z.string(),
  key: z.string(),
  type: z.string(),
  attempts: z.int(),
  /** When the next attempt is due. */
  nextAt: Instant,
  failure: DeliveryFailureView.exactOptional(),
});
export type StuckView = z.infer<typeof StuckView>;

/** A sink, and how far it is. */
export const SinkView = z.strictObject({
  id: z.string(),
  kind: z.string(),
  /** The types of events that it wants. */
  events: z.array(z.string()).readonly(),
  /** `down`: its actor does not run, as in a daemon that only serves the control methods. */
  state: z.enum(['running', 'down']),
  /** The events of the log that it has not dealt with. */
  behind: z.int(),
  /** The messages that failed, and those that wait behind them. */
  parked: z.int(),
  dead: z.int(),
  /** The instant until which nothing is sent, because of failures, mute hours, or as the receiver asked. */
  quietUntil: z.number().exactOptional(),
  /** The type of which all records are being told. */
  syncing: z.string().exactOptional(),
  last: DeliveryView.exactOptional(),
});
export type SinkView = z.infer<typeof SinkView>;

const OneSink = z.strictObject({ id: SourceId.describe('The id of the sink, which is the name of its file.') });

/** Methods on sinks. */
export const sinkMethods = {
  'sink.list': {
    params: z.strictObject({}),
    result: z.strictObject({ sinks: z.array(SinkView).readonly() }),
    role: 'read',
    scope: 'daemon',
    doc: 'Lists the sinks, and how far each is.',
  },
  'sink.get': {
    params: OneSink.extend({
      before: Serial.describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({
      sink: SinkView,
      /** Its newest deliveries, the newest first. */
      deliveries: z.array(DeliveryView).readonly(),
      /** Set when there are older deliveries. */
      next: Serial.optional(),
      /** Messages that failed and are tried again, the oldest first; 20 at most. */
      parked: z.array(StuckView).readonly(),
      /** Dead letters, the newest first; 20 at most. */
      dead: z.array(StuckView).readonly(),
      /** Which of the last two lists have more. */
      cut: cutOf(['parked', 'dead']),
    }),
    role: 'read',
    scope: 'daemon',
    doc: 'Shows one sink, its newest deliveries, and what failed.',
  },
  'sink.test': {
    params: OneSink,
    result: z.strictObject({
      ok: z.boolean(),
      ms: z.number(),
      status: z.int().exactOptional(),
      failure: DeliveryFailureView.exactOptional(),
    }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Sends a sample message to a sink, once and by the way of all messages, and tells what came of it. Its type is record.changed, or scrape.found, and its source "sample".',
  },
  'sink.replay': {
    params: OneSink.extend({
      from: z
        .string()
        .max(100)
        .describe('The id of an event, as the sink had it or in the log: it and all later ones are told again.')
        .exactOptional(),
      since: Instant.describe('In place of `from`: all events from this instant on are told again.').exactOptional(),
      dead: z
        .literal(true)
        .describe('In place of `from`: the messages that were given up are tried again.')
        .exactOptional(),
    }).refine(({ from, since, dead }) => [from, since, dead].filter((given) => given !== undefined).length === 1, {
      error: 'expected one of "from", "since" and "dead"',
    }),
    result: z.strictObject({
      /** The events of the log that the sink is told again as far as it wants them. */
      events: z.int().exactOptional(),
      /** The first of them. */
      from: Serial.exactOptional(),
      /** The dead letters that are tried again. */
      messages: z.int().exactOptional(),
    }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Tells a sink events again that are still kept, or tries its dead letters again. What is sent again has the id that it had.',
  },
  'sink.sync': {
    params: OneSink.extend({
      type: z.string().min(1).max(64).describe('The record type, its own name or that of the shared type that it is.'),
    }),
    result: z.strictObject({ type: z.string() }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Tells a sink every record of a type as it is now, once, as record.synced: of those that it is told of. Goes on after a restart; another one takes its place.',
  },
} as const satisfies Record<string, MethodSpec>;
