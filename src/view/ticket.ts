import * as z from 'zod';
import { Instant, Serial } from './fields.ts';
import { mostRepairs, Repair } from './repair.ts';
import { Symptom } from './symptom.ts';

/**
 * Why a source gives other than it did.
 *
 * - `rule_lost`: the rule of a field or of the records matches nothing, while the page is laid out as before.
 * - `layout_moved`: the page is laid out differently, and the values stand elsewhere.
 * - `field_removed`: the page no longer shows the values of a field.
 * - `currency_changed`, `unit_changed`: amounts are in another currency or unit.
 * - `encoding`: characters were lost.
 * - `soft_404`: a page that says that there is nothing, with status 200.
 * - `challenge`, `login_wall`, `cookie_wall`: a check for humans, a log-in or a question about cookies in place of the page; `login_wall` also
 *   where the site refuses the log-in of the source.
 * - `script_shell`: a page that scripts are to fill.
 * - `placeholder`: a text such as "Loading…" in place of values.
 * - `redirected_home`: the request was redirected to the start page.
 * - `wrong_page`: the page is about something else.
 * - `items_cut`: the list has fewer items, laid out as before.
 * - `site_down`, `blocked`, `slow`: the site does not answer, refuses the requests, or takes long.
 * - `unknown`: no evidence speaks for any of these.
 */
export const CauseKind = z.enum([
  'rule_lost',
  'layout_moved',
  'field_removed',
  'currency_changed',
  'unit_changed',
  'encoding',
  'soft_404',
  'challenge',
  'login_wall',
  'cookie_wall',
  'script_shell',
  'placeholder',
  'redirected_home',
  'wrong_page',
  'items_cut',
  'site_down',
  'blocked',
  'slow',
  'unknown',
]);
export type CauseKind = z.infer<typeof CauseKind>;

/** What a rule matched on the last good page and matches on the first bad one. */
export const RuleSight = z.strictObject({
  record: z.string(),
  /** Missing for the rule by which the records themselves are found. */
  field: z.string().exactOptional(),
  /** The place that the rule names, as the definition writes it. */
  place: z.string(),
  /** The numbers of its matches on the two pages. */
  before: z.int(),
  after: z.int(),
});
export type RuleSight = Readonly<z.infer<typeof RuleSight>>;

/** The most sentences of a cause, and the most rules that it names. */
export const [mostSays, mostSights] = [20, 50];

/** The cause of a ticket, with the evidence for it. */
export const Cause = z.strictObject({
  kind: CauseKind,
  /** The evidence, as sentences. */
  says: z.array(z.string()).max(mostSays).readonly(),
  rules: z.array(RuleSight).max(mostSights).readonly().exactOptional(),
});
export type Cause = Readonly<z.infer<typeof Cause>>;

/** `open`: nobody has taken it up. `acknowledged`: a person knows of it. */
export const TicketState = z.enum(['open', 'acknowledged', 'resolved']);
export type TicketState = z.infer<typeof TicketState>;

/**
 * How a ticket ended.
 *
 * - `healthy`: its targets were healthy twice in a row, or its trouble is over for certain.
 * - `untracked`: none of its targets is scraped any more, as they are finished or no active project tracks them.
 * - `accepted`: a person took what they give for usual.
 * - `person`: a person closed it.
 */
export const TicketEnd = z.enum(['healthy', 'untracked', 'accepted', 'person']);
export type TicketEnd = z.infer<typeof TicketEnd>;

/**
 * What has changed of a ticket.
 *
 * - `symptoms`: it has symptoms that it did not have.
 * - `cause`: its cause is known, or another one.
 * - `proposed`: repairs are proposed.
 * - `repaired`: the definition of its source has been repaired.
 * - `recurred`: a run by the repaired definition shows it again.
 * - `unsnoozed`: its snooze is over, and it is still there.
 * - `acknowledged`, `assigned`, `snoozed`: a person has done that.
 */
export const TicketChange = z.enum([
  'symptoms',
  'cause',
  'proposed',
  'repaired',
  'recurred',
  'unsnoozed',
  'acknowledged',
  'assigned',
  'snoozed',
]);
export type TicketChange = z.infer<typeof TicketChange>;

/** One entry of what became of a ticket. */
const TicketEntry = z.strictObject({
  at: Instant,
  /** A sentence, such as `acknowledged`. */
  what: z.string(),
  /** Who did it, where a person did. */
  by: z.string().exactOptional(),
});

/** Where a ticket was seen first, and what shows it. */
const evidence = {
  /** The first scrape that showed it since it was opened or reopened, and the crawl that the scrape belongs to. */
  scrape: Serial.exactOptional(),
  crawl: Serial.exactOptional(),
  /** The version of the definition by which that scrape read. */
  version: z.string().exactOptional(),
  /** Addresses at which it shows. */
  samples: z.array(z.string()).max(5).readonly(),
  /** Digests of kept pages: the last good one and the first bad one of the same address. */
  pages: z
    .strictObject({
      good: z.string().exactOptional(),
      bad: z.string().exactOptional(),
      /** The addresses of the two pages; another one for the bad page where the request was redirected. */
      urls: z.strictObject({ good: z.string(), bad: z.string() }).exactOptional(),
      /** Digests of the pictures that the browser took of the two pages. */
      screenshots: z
        .strictObject({ good: z.string().exactOptional(), bad: z.string().exactOptional() })
        .exactOptional(),
    })
    .exactOptional(),
};

/** What is wrong, and since when. */
const trouble = {
  ticket: Serial,
  state: TicketState,
  /** The politeness key of a host whose sources fail; missing for a ticket of one source. */
  host: z.string().exactOptional(),
  /** The sources that it is about: one, or those of the host that fail; none for one about worker processes. */
  sources: z.array(z.string()).readonly(),
  symptoms: z.array(Symptom).min(1).readonly(),
  cause: Cause.exactOptional(),
  /** Rules that would have read what was known last, the best first, for the version of the definition that they change. */
  repairs: z
    .strictObject({
      version: z.string(),
      proposals: z.array(Repair).max(mostRepairs).readonly(),
      /** How many pages that show the ticket they were searched by. */
      pages: z.int().exactOptional(),
    })
    .exactOptional(),
  /** The last repair that was made: when, the version that came of it, and whether a person has made it. */
  repaired: z
    .strictObject({
      at: Instant,
      version: z.string(),
      by: z.enum(['person', 'auto']),
      /** When a run by that version first showed the ticket again; missing as long as none did. */
      recurredAt: Instant.exactOptional(),
    })
    .exactOptional(),
  openedAt: Instant,
  /** When it was last seen, and in how many runs. */
  lastAt: Instant,
  occurrences: z.int(),
  /** How many targets show it by themselves; 0 where only a source as a whole does, as by its small targets together. */
  targets: z.int(),
  ...evidence,
  assignee: z.string().exactOptional(),
};

/** A ticket, as a target or a source that has it shows it. */
export const TicketMark = z.strictObject({
  ticket: trouble.ticket,
  state: trouble.state,
  openedAt: trouble.openedAt,
  symptoms: trouble.symptoms,
  cause: trouble.cause,
});
export type TicketMark = Readonly<z.infer<typeof TicketMark>>;

/** What events of a ticket say of it. */
export const TicketFacts = z.strictObject(trouble);
export type TicketFacts = Readonly<z.infer<typeof TicketFacts>>;

/** A trouble report on a source, on a host, or on worker processes. */
export const TicketView = z.strictObject({
  ...trouble,
  /** The projects that are told of it: those that watch its targets, the first 100. */
  projects: z.array(z.string()).max(100).readonly(),
  /** Until when its events are not told, its end by itself and its return among them. */
  snoozedUntil: Instant.exactOptional(),
  resolvedAt: Instant.exactOptional(),
  resolvedBy: TicketEnd.exactOptional(),
  /** How often it came back after its end. */
  reopened: z.int(),
  /** When it came back last; missing for one that never did. */
  reopenedAt: Instant.exactOptional(),
  /** What became of it, the newest 50 entries. */
  log: z.array(TicketEntry).max(50).readonly(),
});
export type TicketView = Readonly<z.infer<typeof TicketView>>;
