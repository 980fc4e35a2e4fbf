import type { DeliveryFailure, Message } from '../../publish/sink.ts';
import type { Environment } from '../lmdb/environment.ts';
import { table } from '../lmdb/table.ts';

/** How far a reader of the event log is. */
export interface CursorRow {
  /** All events up to this one are dealt with. */
  readonly serial: number;
  /** Events after `serial` whose messages are delivered already, while messages that began before them are not. */
  readonly done?: readonly number[];
}

/** What is known of the attempts to deliver a message. */
export interface Attempts {
  /** Attempts so far; 0 for a message that waits behind another one of its key. */
  readonly attempts: number;
  /** When the first attempt failed; wall time, as all instants here. */
  readonly firstAt: number;
  /** When the next attempt is due. */
  readonly nextAt: number;
  readonly failure?: DeliveryFailure;
}

/** A message that failed, or waits behind one that did; or a dead letter. */
export interface ParkedRow extends Attempts {
  readonly message: Message;
  readonly bytes: number;
  /** For a message of a sync, which has no event of its own: the event after which it was queued. */
  readonly place?: number;
}

/** One line of a sink's delivery log: an attempt, or a run of successful ones of one batch. */
export interface DeliveryRow {
  readonly at: number;
  /** Of the last message, where there are several. */
  readonly id: string;
  readonly key: string;
  readonly type: string;
  readonly attempt: number;
  readonly ms: number;
  /** Messages of the run. Default: 1. */
  readonly messages?: number;
  readonly status?: number;
  readonly failure?: DeliveryFailure;
}

/** A person's request to tell a sink all records of a type, and how far it is. */
export interface SyncRow {
  readonly id: string;
  readonly type: string;
  readonly requestedAt: number;
  /** The last record that was dealt with; missing before the first. */
  readonly after?: { readonly source: string; readonly type: string; readonly key: string };
}

/** Opens the tables of sinks. Rows of messages are keyed by the sink and the event's serial that the message's id names. */
export function sinkTables(environment: Environment) {
  return {
    parked: table<[sink: string, serial: number], ParkedRow>(environment, 'sinks.parked'),
    dead: table<[sink: string, serial: number], ParkedRow>(environment, 'sinks.dead'),
    deliveries: table<[sink: string, number: number], DeliveryRow>(environment, 'sinks.deliveries'),
    syncs: table<string, SyncRow>(environment, 'sinks.syncs'),
  };
}

/** The rows of one sink in a table. */
export function rowsOf(sink: string): { readonly from: [string, number]; readonly before: [string, number] } {
  return { from: [sink, 0], before: [sink, Number.MAX_SAFE_INTEGER] };
}
