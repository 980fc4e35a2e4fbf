import type * as z from 'zod';
import type { Clock } from '../clock.ts';
import type { Event, EventType } from '../event/catalogue.ts';
import type { Value } from '../extract/value/value.ts';
import type { ProgramCommand } from '../schema/program-command.ts';
import type { CorrectionSlice } from '../view/correction.ts';
import type { RecordView } from '../view/record.ts';

/** One message for a sink: an event, a digest of several, or a part of what a scrape found. */
export interface Message {
  /** The id outside the daemon; the same in each attempt. */
  readonly id: string;
  /** Messages of one key are delivered in order: source, type and key of a record; else the target, project or source. */
  readonly key: string;
  /** The type of the event, such as `record.changed`; `scrape.found` or `digest` for messages of several. */
  readonly type: string;
  /** The wall time of the commit, in milliseconds since the epoch. */
  readonly at: number;
  /** The id of the source that the message is of, where that is no single event. */
  readonly source?: string;
  /** The event, where the message is one event. */
  readonly event?: Event;
  /** The content as JSON. Of an event: the event, with the id of the message as its `id`. */
  readonly body: unknown;
  /** The settings of the link by which the project or target is told to the sink. */
  readonly link?: Link;
}

/** The settings of a link from a project or target to a sink. */
export interface Link {
  readonly official?: boolean;
  readonly metadata?: Value;
}

/** Why a message was not delivered. */
export interface DeliveryFailure {
  readonly code: string;
  /** A sentence for people, without secrets. */
  readonly message: string;
  /** The status of the answer, where there was one. */
  readonly status?: number;
  /** How long the receiver asks to be left alone, in milliseconds: the whole sink waits. */
  readonly retryAfterMs?: number;
  /** Whether another attempt cannot succeed: the message becomes a dead letter at once. */
  readonly isFinal?: boolean;
}

/** The result of one attempt to deliver one message. */
export type Delivered =
  | (DeliveryTime & { readonly ok: true; readonly status?: number })
  | (DeliveryTime & { readonly ok: false; readonly failure: DeliveryFailure });

/** How long an attempt took. */
export interface DeliveryTime {
  /** In milliseconds, without the time that the message waited for its turn. Default: the time of the whole batch. */
  readonly ms?: number;
}

/** An open sink. */
export interface OpenSink {
  /**
   * Delivers a batch in order; resolves with one result per message. Rejects only for errors of this program. What has no
   * result when the process dies is delivered again. A batch of a kind that is ordered by key has at most one message of each
   * key; one that is ordered as a whole delivers nothing after the first message that failed, for which the others' results
   * are failures too.
   */
  deliver(batch: readonly Message[], signal: AbortSignal): Promise<readonly Delivered[]>;
  /** Releases what the sink holds. Called once, when no batch is under way. */
  close(): Promise<void>;
}

/** One kind of sink: what its files may say, and how it delivers. It knows nothing of filters, cursors and retries. */
export interface SinkKind<O> {
  /** The schema of what stands under the kind's key in a sink file. */
  readonly options: z.ZodType<O>;
  /** What the kind does, in a sentence for people. */
  readonly doc: string;
  /** Messages per batch, at most. Default: 1. */
  readonly batch?: number;
  /** `key`: batches of different keys may be under way at once. `all`: one batch after the other. Default: `key`. */
  readonly ordered?: 'key' | 'all';
  /** Types of events that the kind gets besides those that the file asks for. Such a kind takes single events alone, no digests. */
  readonly also?: readonly EventType[];
  /** Returns what in the options is a template, or holds templates. Default: nothing. */
  templates?(options: O): readonly unknown[];
  /** Opens a sink. What the receiver does wrong is told by `deliver`; rejects only for errors of this program. */
  open(options: O, ports: SinkPorts): Promise<OpenSink>;
}

/** A secret, whose text only `reveal` returns. */
export interface SinkSecret {
  reveal(): string;
}

/** The secrets of these names, or a sentence on those that are missing. */
export type SinkSecrets =
  | { readonly ok: true; readonly secrets: ReadonlyMap<string, SinkSecret> }
  | { readonly ok: false; readonly message: string };

/** A request to a receiver. */
export interface Post {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Default: POST. */
  readonly method?: 'POST' | 'PUT';
  /** Whether the receiver may have a private address. */
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
}

/** A program of the operator's that is to be run. */
export interface ProgramRun {
  /** Its file is in the folder of plug-ins. */
  readonly command: ProgramCommand;
  /** What it reads on its standard input. */
  readonly input: string;
  /** Variables of its environment, besides the few of the daemon's that each program gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Passed on in its environment, as `HERONRY_SECRET_<NAME>`, and taken out of what it writes. */
  readonly secrets: ReadonlyMap<string, SinkSecret>;
  /** After so long it is ended with all that it started. In real time. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** How a program ended; `text` says so in a sentence, with its last words. */
export interface ProgramEnd {
  /** Missing where it was ended, or could not be run. */
  readonly status?: number;
  /** How long it ran, in milliseconds; missing where it was not run. */
  readonly ms?: number;
  readonly text: string;
}

/** A record type as its definition declares it. */
export interface DeclaredType {
  readonly is?: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Some of the records that a scrape has seen. */
export interface SeenRecords {
  readonly rows: readonly RecordView[];
  /** Missing where there are no more. */
  readonly last?: number;
}

/** What a sink may use of the daemon. */
export interface SinkPorts {
  /** The id of the sink. */
  readonly sink: string;
  readonly clock: Clock;
  /** Finds secrets by name, anew each time it is called after a few seconds, so that a corrected one counts soon. */
  findSecrets(names: readonly string[]): Promise<SinkSecrets>;
  /**
   * Sends a request to a vetted address and reads the status alone: any answer of 2xx is a delivery. Redirects are not followed. At
   * most 8 such requests of all sinks are under way at once, and of one sink no more than are free. Failures show no address and no header.
   */
  post(url: string, request: Post): Promise<Delivered>;
  /** Runs a program in a process group of its own; a few run at a time. What it writes to standard error is logged. Never rejects. */
  run(program: ProgramRun): Promise<ProgramEnd>;
  /** A folder that the sink may make and write; nothing else writes there. */
  readonly folder: string;
  /** Reads a record as it is now. */
  record(of: { readonly source: string; readonly type: string; readonly key: string }): RecordView | undefined;
  /** Returns the fields that a record had after an event, by its serial: the present ones without what later events told. */
  fieldsAfter(record: RecordView, event: number): Readonly<Record<string, Value>>;
  /** Returns what a record type is declared as: the shared type that it is, and its fields by name, such as `money` or `array of text`. */
  recordType(of: { readonly source: string; readonly type: string }): DeclaredType | undefined;
  /** Reads a slice of the records that were seen last by this scrape of a target. `last` is the cursor of the next slice. */
  seenIn(of: { readonly target: number; readonly scrape: number; readonly after: number }): SeenRecords;
  /**
   * Reads a slice of the corrections of the re-extraction that an event tells of. `last` is the cursor of the next slice. Returns
   * `undefined` while the re-extraction is being applied, since some corrections are missing until then.
   */
  correctedBy(of: { readonly event: number; readonly after?: CorrectionSlice['last'] }): CorrectionSlice | undefined;
  /** Writes a line into the log. */
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, data?: Readonly<Record<string, unknown>>): void;
  /** Writes a line to the daemon's standard output. Resolves when it is written. */
  print(line: string): Promise<void>;
}
