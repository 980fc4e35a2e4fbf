import * as z from 'zod';
import { Serial } from '../../view/fields.ts';
import { TicketState, TicketView } from '../../view/ticket.ts';
import { SourceId } from '../../schema/slug.ts';
import type { MethodSpec } from './method.ts';
import { Limit } from './fields.ts';

/** The longest snooze, in milliseconds: half a year. */
const longestSnoozeMs = 183 * 86_400_000;

/** Who does something with a ticket, for its log. */
const by = z.string().min(1).max(100).exactOptional();

const ofTicket = { ticket: Serial, by };

/** Methods on tickets, the trouble reports on sources and hosts. */
export const ticketMethods = {
  'ticket.list': {
    params: z.strictObject({
      source: SourceId.exactOptional(),
      /** `unresolved`: open and acknowledged ones. */
      state: z.enum([...TicketState.options, 'unresolved', 'all']).default('unresolved'),
      /** The `next` of the slice before. */
      before: Serial.exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ tickets: z.array(TicketView).readonly(), next: Serial.optional() }),
    role: 'read',
    doc: 'Lists tickets, the newest first.',
  },
  'ticket.get': {
    params: z.strictObject({ ticket: Serial }),
    result: TicketView,
    role: 'read',
    doc: 'Shows one ticket.',
  },
  'ticket.acknowledge': {
    params: z.strictObject(ofTicket),
    result: TicketView,
    role: 'author',
    doc: 'Says that a person knows of a ticket.',
  },
  'ticket.assign': {
    params: z.strictObject({
      ...ofTicket,
      /** Missing for nobody. */
      to: z.string().min(1).max(100).exactOptional(),
    }),
    result: TicketView,
    role: 'author',
    doc: 'Says whose ticket it is.',
  },
  'ticket.snooze': {
    params: z.strictObject({ ...ofTicket, forMs: z.int().min(1_000).max(longestSnoozeMs) }),
    result: TicketView,
    role: 'author',
    doc: 'Tells nothing of a ticket for some time, also where it ends by itself and comes back, and leaves it out of the open ones. How it is then is told when the time is over; what a person ends is told at once.',
  },
  'ticket.accept': {
    params: z.strictObject(ofTicket),
    result: TicketView,
    role: 'author',
    doc: 'Takes what the targets of a ticket give for usual from now on, and resolves the ticket.',
  },
  'ticket.repair': {
    params: z.strictObject({
      ...ofTicket,
      /** Which of the proposed repairs, counted from 1. */
      proposal: z.int().default(1),
      /** Tells what would be written, and writes nothing. */
      dryRun: z.boolean().default(false),
    }),
    result: z.strictObject({
      ticket: TicketView,
      /** The file of the definition. */
      file: z.string(),
      /** Its lines that differ, with two lines around them. */
      diff: z.string(),
      /** The job that reads the kept pages of the ticket's targets again. */
      job: Serial.exactOptional(),
      /** How many targets are scraped again. */
      targets: z.int(),
    }),
    role: 'author',
    doc: 'Makes a repair that is proposed for a ticket: writes the definition and loads it, has the kept pages of the targets read again and their corrections applied, and asks for a scrape of each target. A conflict where the definition has changed since, or cannot be written.',
  },
  'ticket.resolve': {
    params: z.strictObject(ofTicket),
    result: TicketView,
    role: 'author',
    doc: 'Resolves a ticket by hand. What is seen again opens another one.',
  },
} as const satisfies Record<string, MethodSpec>;
