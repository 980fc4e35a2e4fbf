import type { Result } from '../control/methods.ts';
import type { Repair } from '../view/repair.ts';
import { keptTexts, placeText } from '../view/repair-text.ts';
import type { TicketView } from '../view/ticket.ts';
import { symptomText } from '../view/symptom-text.ts';
import { ageText, clockText } from '../time-text.ts';
import { factLines, table } from './table.ts';
import { showStatus, type Terminal } from './terminal.ts';
import { showWritten } from './show-written.ts';
import { countText, plainText } from '../view/text.ts';

/** Formats tickets as a table. */
export function showTickets(terminal: Terminal, tickets: readonly TicketView[]): string {
  return table(terminal, tickets, [
    ['TICKET', ({ ticket }) => String(ticket)],
    ['STATE', (ticket) => stateText(terminal, ticket)],
    ['ABOUT', aboutText, { cutTo: 12 }],
    ['WHAT', whatText, { cutTo: 24 }],
    ['CAUSE', causeText],
    [
      'SEEN',
      ({ occurrences, lastAt }) => `${countText(occurrences, 'time')}, ${ageText(lastAt, terminal.now())}`,
      { spare: true },
    ],
  ]);
}

/** What the saved pages of a source say of repairs. */
export interface JudgedFixtures {
  /** For each repair, how many it reads as expected of those that the present rules do not; empty where there are none. */
  readonly counts: readonly { readonly kept: number; readonly of: number }[];
  /** The commands that save those anew that the present rules read, so that they have the old layout. */
  readonly toRenew: readonly string[];
}

const noFixtures: JudgedFixtures = { counts: [], toRenew: [] };

/**
 * Formats one ticket with its evidence, its repairs and its log.
 *
 * @param fixtures - what saved pages say of the repairs.
 */
export function showTicket(terminal: Terminal, view: TicketView, fixtures: JudgedFixtures = noFixtures): string {
  const { ticket, symptoms, cause, pages, samples, log } = view;
  const now = terminal.now();
  const rules = (cause?.rules ?? []).map(
    ({ record, field, place, before, after }) =>
      `${[record, field].filter((part) => part !== undefined).join('.')}: ${plainText(place)} matched ${before}, now ${after}`,
  );
  return [
    `ticket ${ticket} on ${aboutText(view)} is ${stateText(terminal, view)}`,
    ...factLines([
      ['opened', ageText(view.openedAt, now)],
      ['seen', `${countText(view.occurrences, 'time')}, ${ageText(view.lastAt, now)}${affectedText(view)}`],
      ...symptoms.map((symptom, at) => [at === 0 ? 'symptoms' : '', symptomText(symptom)] as const),
      ['cause', cause && causeText(view)],
      ...(cause?.says ?? []).map((text) => ['', plainText(text)] as const),
      ...rules.map((text, at) => [at === 0 ? 'rules' : '', text] as const),
      [
        'scrape',
        view.scrape === undefined
          ? undefined
          : `${view.scrape}${view.crawl === undefined ? '' : `, crawl ${view.crawl}`}`,
      ],
      ['definition', view.version],
      ['pages', pagesText(pages)],
      ...addressTexts(pages).map((text) => ['', text] as const),
      ...screenshotTexts(pages).map((text, at) => [at === 0 ? 'screenshots' : '', text] as const),
      ['reproduce', reproduceText(view)],
      ...samples.map((url, at) => [at === 0 ? 'samples' : '', plainText(url)] as const),
      ['assigned', view.assignee && `to ${plainText(view.assignee)}`],
      ['reopened', view.reopened === 0 ? undefined : countText(view.reopened, 'time')],
    ]),
    ...repairLines(view, fixtures),
    ...log.map(
      ({ at, what, by }) =>
        `  ${terminal.paint('dim', clockText(at, now))}  ${plainText(what)}${by === undefined ? '' : `, by ${plainText(by)}`}`,
    ),
  ].join('\n');
}

/** Formats the repairs that are proposed, each with the rules that it changes and with what it keeps right. */
function repairLines({ ticket, state, repairs }: TicketView, { counts, toRenew }: JudgedFixtures): string[] {
  const proposals = repairs?.proposals ?? [];
  if (proposals.length === 0) return [];
  const lines = proposals.flatMap((repair, at) => [
    ...repair.changes.map(
      ({ record, field, before, to }, rule) =>
        `  ${rule === 0 ? `${at + 1}.` : '  '} ${record}.${field ?? 'each'}: ${plainText(before)} → ${plainText(placeText(to))}`,
    ),
    `     keeps ${keptText(repair, counts[at])}`,
  ]);
  return [
    'repairs:',
    ...lines,
    ...(toRenew.length === 0
      ? []
      : [
          `  saved pages of the old layout, which the present rules read: ${toRenew.length}. They say nothing against a repair, and are to be saved anew once one is made`,
        ]),
    ...(state === 'resolved'
      ? []
      : [`  \`heronry ticket ${ticket} --accept 1\` makes the first, with --dry-run it shows how`]),
  ];
}

/** Says which saved pages a repaired definition does not read as expected, and the commands that save them anew. */
export function showToRenew(commands: readonly string[]): string {
  const failing = `${countText(commands.length, 'saved page')} ${commands.length === 1 ? 'fails' : 'fail'}`;
  return [
    `${failing} \`heronry test\`. What was saved before the site changed has the old layout: save it anew`,
    ...commands.map((command) => `  ${plainText(command)}`),
  ].join('\n');
}

function keptText(repair: Repair, fixtures: JudgedFixtures['counts'][number] | undefined): string {
  const pages = fixtures === undefined ? [] : [`${fixtures.kept} of ${countText(fixtures.of, 'saved page')}`];
  return `${[...keptTexts(repair), ...pages].join(', ')}${repair.isSafe ? '' : '; look at it first'}`;
}

/** Formats what a repair has written, or would write. */
export function showRepaired({ ticket, file, diff, job, targets }: Result<'ticket.repair'>, isDry: boolean): string {
  const written = showWritten({ file, diff }, isDry);
  if (isDry) return written;
  const read = job === undefined ? '' : `, kept pages are read again by job ${job}`;
  return `${written}\nticket ${ticket.ticket}: ${countText(targets, 'target')} will be scraped${read}`;
}

function aboutText({ host, sources }: TicketView): string {
  if (sources.length === 0) return 'worker processes';
  return host === undefined ? sources.join(', ') : `${host} (${sources.join(', ')})`;
}

/** The state of a ticket, and until when it is snoozed. */
function stateText(terminal: Terminal, { state, snoozedUntil = 0 }: TicketView): string {
  const now = terminal.now();
  const snoozed = state !== 'resolved' && snoozedUntil > now ? `, snoozed until ${clockText(snoozedUntil, now)}` : '';
  return `${showStatus(terminal, state)}${snoozed}`;
}

/** What shows a ticket: targets, sources of a host, or a source by all its targets together; nothing for one about worker processes. */
function affectedText({ host, sources, targets }: TicketView): string {
  if (sources.length === 0) return '';
  if (targets > 0) return `; ${countText(targets, 'target')} affected`;
  return host === undefined ? '; the source as a whole' : `; ${countText(sources.length, 'source')} affected`;
}

function whatText({ symptoms }: TicketView): string {
  const [first] = symptoms;
  const more = symptoms.length > 1 ? `, and ${symptoms.length - 1} more` : '';
  return first === undefined ? '' : `${symptomText(first)}${more}`;
}

function causeText({ cause }: TicketView): string {
  return cause === undefined ? '' : cause.kind.replaceAll('_', ' ');
}

function pagesText(pages: TicketView['pages']): string | undefined {
  const { good, bad } = pages ?? {};
  if (good === undefined && bad === undefined) return undefined;
  const parts = [
    ...(good === undefined ? [] : [`last good ${good}`]),
    ...(bad === undefined ? [] : [`first bad ${bad}`]),
  ];
  const diff = good !== undefined && bad !== undefined ? `; \`heronry page ${bad} --diff ${good}\` compares them` : '';
  return `${parts.join(', ')}${diff}`;
}

/** The addresses of the two pages, which are the same unless the request was redirected. */
function addressTexts({ urls }: NonNullable<TicketView['pages']> = {}): readonly string[] {
  if (urls === undefined) return [];
  const [good, bad] = [plainText(urls.good), plainText(urls.bad)];
  return good === bad ? [`both of ${good}`] : [`last good of ${good}`, `first bad of ${bad}`];
}

/** The commands that save the pictures of the two pages. */
function screenshotTexts({ screenshots = {} }: NonNullable<TicketView['pages']> = {}): readonly string[] {
  return Object.entries(screenshots).map(([which, digest]) => `\`heronry page ${digest} -o ${which}.jpg\``);
}

/** The command that reads the first bad page as its definition does now, which asks no site. */
function reproduceText({ sources: [source], pages: { bad } = {} }: TicketView): string | undefined {
  return bad === undefined ? undefined : `heronry try ${source} --kept ${bad}`;
}
