import * as z from 'zod';
import { Serial } from '../../view/fields.ts';
import { TicketState, TicketView } from '../../view/ticket.ts';
import type { MethodSpec } from './method.ts';
import { Limit, nextOfBefore, OfSource } from './fields.ts';

/** The longest snooze, in milliseconds: half a year. */
const longestSnoozeMs = 183 * 86_400_000;

/** Who does something with a ticket, for its log. */
const by = z.string().min(1).max(100).describe('Who does it, for people.').exactOptional();

const OneTicket = Serial.describe('The number of the ticket.');

const ofTicket = { ticket: OneTicket, by };

/** Methods on tickets, the trouble reports on sources and hosts. */
export const ticketMethods = {
  'ticket.list': {
    params: z.strictObject({
      source: OfSource,
      state: z
        .enum([...TicketState.options, 'unresolved', 'all'])
        .default('unresolved')
        .describe('Only tickets in this state. `unresolved`: open and acknowledged ones.'),
      before: Serial.describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ tickets: z.array(TicketView).readonly(), next: Serial.optional() }),
    role: 'read',
    scope: 'daemon',
    doc: 'Lists tickets, the newest first.',
  },
  'ticket.get': {
    params: z.strictObject({ ticket: OneTicket }),
    result: TicketView,
    role: 'read',
    scope: 'daemon',
    doc: 'Shows one ticket.',
  },
  'ticket.acknowledge': {
    params: z.strictObject(ofTicket),
    result: TicketView,
    role: 'author',
    scope: { ticket: 'ticket' },
    doc: 'Says that a person knows of a ticket.',
  },
  'ticket.assign': {
    params: z.strictObject({
      ...ofTicket,
      to: z.string().min(1).max(100).describe('Who is to work on the ticket. Default: nobody.').exactOptional(),
    }),
    result: TicketView,
    role: 'author',
    scope: { ticket: 'ticket' },
    doc: 'Says whose ticket it is.',
  },
  'ticket.snooze': {
    params: z.strictObject({
      ...ofTicket,
      forMs: z.int().min(1_000).max(longestSnoozeMs).describe('How long nothing is told of the ticket.'),
    }),
    result: TicketView,
    role: 'author',
    scope: { ticket: 'ticket' },
    doc: 'Tells nothing of a ticket for some time, also where it ends by itself and comes back, and leaves it out of the open ones. How it is then is told when the time is over; what a person ends is told at once.',
  },
  'ticket.accept': {
    params: z.strictObject(ofTicket),
    result: TicketView,
    role: 'author',
    scope: { ticket: 'ticket' },
    doc: 'Takes what the targets of a ticket give for usual from now on, and resolves the ticket.',
  },
  'ticket.repair': {
    params: z.strictObject({
      ...ofTicket,
      proposal: z.int().default(1).describe('Which of the proposed repairs, counted from 1.'),
      dryRun: z.boolean().default(false).describe('Only tells what would be written.'),
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
    scope: { ticket: 'ticket' },
    doc: 'Makes a repair that is proposed for a ticket: writes the definition and loads it, has the kept pages of the targets read again and their corrections applied, and asks for a scrape of each target. A conflict where the definition has changed since, or cannot be written.',
  },
  'ticket.resolve': {
    params: z.strictObject(ofTicket),
    result: TicketView,
    role: 'author',
    scope: { ticket: 'ticket' },
    doc: 'Resolves a ticket by hand. What is seen again opens another one.',
  },
} as const satisfies Record<string, MethodSpec>;
