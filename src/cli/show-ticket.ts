import type { TicketView } from '../view/ticket.ts';
import { symptomText } from './symptom-text.ts';
import { ageText, clockText } from '../time-text.ts';
import { factLines, table } from './table.ts';
import { showStatus, type Terminal } from './terminal.ts';
import { countText, plainText } from './text.ts';

/** Formats tickets as a table. */
export function showTickets(terminal: Terminal, tickets: readonly TicketView[]): string {
  return table(terminal, tickets, [
    ['TICKET', ({ ticket }) => String(ticket)],
    ['STATE', ({ state }) => showStatus(terminal, state)],
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

/** Formats one ticket with its evidence and its log. */
export function showTicket(terminal: Terminal, view: TicketView): string {
  const { ticket, state, symptoms, cause, pages, samples, log } = view;
  const now = terminal.now();
  const rules = (cause?.rules ?? []).map(
    ({ record, field, place, before, after }) =>
      `${[record, field].filter((part) => part !== undefined).join('.')}: ${plainText(place)} matched ${before}, now ${after}`,
  );
  return [
    `ticket ${ticket} on ${aboutText(view)} is ${showStatus(terminal, state)}`,
    ...factLines([
      ['opened', ageText(view.openedAt, now)],
      [
        'seen',
        `${countText(view.occurrences, 'time')}, ${ageText(view.lastAt, now)}; ${countText(view.targets, 'target')} affected`,
      ],
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
      ...screenshotTexts(pages).map((text, at) => [at === 0 ? 'screenshots' : '', text] as const),
      ['reproduce', reproduceText(view)],
      ...samples.map((url, at) => [at === 0 ? 'samples' : '', plainText(url)] as const),
      ['assigned', view.assignee && `to ${plainText(view.assignee)}`],
      ['snoozed', view.snoozedUntil === undefined ? undefined : `until ${clockText(view.snoozedUntil, now)}`],
      ['reopened', view.reopened === 0 ? undefined : countText(view.reopened, 'time')],
    ]),
    ...log.map(
      ({ at, what, by }) =>
        `  ${terminal.paint('dim', clockText(at, now))}  ${plainText(what)}${by === undefined ? '' : `, by ${plainText(by)}`}`,
    ),
  ].join('\n');
}

function aboutText({ host, sources }: TicketView): string {
  return host === undefined ? sources.join(', ') : `${host} (${sources.join(', ')})`;
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

/** The commands that save the pictures of the two pages. */
function screenshotTexts({ screenshots = {} }: NonNullable<TicketView['pages']> = {}): readonly string[] {
  return Object.entries(screenshots).map(([which, digest]) => `\`heronry page ${digest} -o ${which}.jpg\``);
}

/** The command that reads the first bad page as its definition does now, which asks no site. */
function reproduceText({ sources: [source], pages: { bad } = {} }: TicketView): string | undefined {
  return bad === undefined ? undefined : `heronry try ${source} --kept ${bad}`;
}
