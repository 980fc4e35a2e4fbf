import type { TryView } from '../control/methods/source.ts';
import type { ActionView, ExplainedItem, ExplainedRule, TreeDifference } from '../view/trial.ts';
import { durationText } from '../time-text.ts';
import { noteLines, unfoundText, unparsedText } from './show-scrape.ts';
import type { Terminal } from './terminal.ts';
import { bytesText, countText, cutText, plainText, valueText } from '../view/text.ts';

/** The longest value that is shown on a line, in characters. */
const textLength = 120;

/**
 * Formats what a page gave: its records (at most `maxItems`), how each field got its value, and what could not be
 * read.
 */
export function showTrial(terminal: Terminal, found: TryView, maxItems: number): string {
  const { explained, drafts } = found;
  const hidden = Math.max(0, Math.max(explained.length, drafts.length) - maxItems);
  return [
    headLine(found),
    ...redirectLines(found),
    ...formLines(found),
    ...found.steps.flatMap(({ actions = [] }) => actions.map(actionText)),
    ...explained.slice(0, maxItems).map((item) => showItem(terminal, item)),
    ...(explained.length === 0 ? drafts.slice(0, maxItems).map((draft) => showDraft(terminal, draft)) : []),
    ...(hidden > 0 ? [`… and ${countText(hidden, 'place')} more: --items shows more, --json all records`] : []),
    ...nextLines(terminal, found),
    ...summaryLines(terminal, found),
    ...(found.failure ? [terminal.paint('red', `${found.failure.code}: ${plainText(found.failure.message)}`)] : []),
    ...treeLines(terminal, found),
    ...(found.item === undefined
      ? []
      : [
          `\n${terminal.paint('bold', 'the page that the first item leads to')}`,
          showTrial(terminal, found.item, maxItems),
        ]),
  ].join('\n');
}

function headLine({ url, status, bytes, elapsedMs, finished }: TryView): string {
  const facts = [
    ...(status === undefined ? [] : [String(status)]),
    ...(bytes === undefined ? [] : [bytesText(bytes)]),
    ...(elapsedMs === undefined ? [] : [durationText(elapsedMs)]),
    ...(finished ? ['says it is finished'] : []),
  ];
  return `${plainText(url)}  ${facts.join(', ')}`.trimEnd();
}

/** Formats the redirects that led to the page, if any. */
function redirectLines({ steps }: TryView): string[] {
  const redirects = steps.filter(({ decision }) => decision === 'follow').length;
  return redirects === 0 ? [] : [`after ${countText(redirects, 'redirect')} from ${plainText(steps[0]?.url ?? '')}`];
}

/** Formats the requests of a page that is the answer to forms: one line each, with the names of the controls that were sent. */
function formLines({ steps }: TryView): string[] {
  if (steps.every(({ form }) => form === undefined)) return [];
  return steps.map(({ method, url, status, form }) => {
    const head = `  ${method} ${plainText(url)}  ${status ?? 'no answer'}`;
    if (form === undefined) return head;
    const sides = [
      ...(form.given.length > 0 ? [`given ${form.given.join(', ')}`] : []),
      ...(form.preset.length > 0 ? [`as the page has it ${form.preset.join(', ')}`] : []),
    ];
    return `${head}, ${plainText(sides.join('; '))}`;
  });
}

/** Formats what was done with a page in the browser, on one line. */
export function actionText({ action, outcome, elapsedMs, times, elements }: ActionView): string {
  const facts = [
    ...(times === undefined ? [] : [countText(times, 'time')]),
    ...(elements === undefined ? [] : [countText(elements, 'element')]),
    ...outcomeTexts[outcome],
  ];
  return [plainText(action), durationText(elapsedMs), facts.join(', ')].join('  ').trimEnd();
}

const outcomeTexts: Readonly<Record<ActionView['outcome'], readonly string[]>> = {
  done: [],
  absent: ['not there, and optional'],
  limited: ['as often as it may be'],
  moved: ['led to another page'],
  failed: ['failed'],
};

function showItem(terminal: Terminal, { record, key, fields }: ExplainedItem): string {
  const name =
    key === undefined ? terminal.paint('yellow', 'no record, as it lacks what it must have') : plainText(key);
  const widths = Math.max(0, ...fields.map((field) => field.name.length));
  return [
    terminal.paint('bold', `${record}  ${name}`),
    ...fields.flatMap((field) =>
      fieldLines(terminal, field).map((line, index) =>
        index === 0 ? `  ${field.name.padEnd(widths)}  ${line}` : `  ${' '.repeat(widths)}    ${line}`,
      ),
    ),
  ].join('\n');
}

/** Formats a record that a plug-in read, of which it is not known how each field got its value. */
function showDraft(terminal: Terminal, { type, key, fields }: TryView['drafts'][number]): string {
  const values = Object.entries(fields).map(([name, value]) => `  ${name}  ${cutText(valueText(value), textLength)}`);
  return [terminal.paint('bold', `${type}  ${plainText(key)}`), ...values].join('\n');
}

/** Formats a field: its value and place, the text before each filter, and what could not be read. */
function fieldLines(terminal: Terminal, { place, filters, value, lost }: ExplainedRule): string[] {
  if (place === undefined && value === undefined) return [terminal.paint('yellow', 'no place matched')];
  // That a place is missing says something as well.
  if (place === undefined) return [`${valueText(value)}  ${terminal.paint('dim', 'no place matched')}`];
  const told = value === undefined ? terminal.paint('red', 'lost') : cutText(valueText(value), textLength);
  return [
    `${told}  ${terminal.paint('dim', placeText(place))}`,
    ...filters.map(({ filter, before }) => `${filter} of ${quoted(before)}`),
    ...lost.map(({ path, text, expected }) =>
      terminal.paint(
        'red',
        `${path && `${path}: `}expected ${expected}, got "${cutText(plainText(text), textLength)}"`,
      ),
    ),
  ];
}

/** Formats what leads to the next page of a list. */
function nextLines(terminal: Terminal, { next }: TryView): string[] {
  if (next === undefined) return [];
  if (next.place === undefined && next.value !== undefined) return [`next  ${valueText(next.value)}  Link header`];
  return fieldLines(terminal, next).map((line, index) => (index === 0 ? `next  ${line}` : `        ${line}`));
}

/** Says of a page of a list that nothing leads on from it: the last one, or one whose rule is wrong. */
function endLines({ next }: TryView): string[] {
  if (next === undefined || (next.value ?? null) !== null) return [];
  const where = next.rule === undefined ? 'no link with rel=next' : `nothing at ${next.rule}`;
  return [`next: ${where}: the list ends with this page`];
}

/** Says of which types no record leads to its page, as all its places lack the address. */
function unledTexts({ explained }: TryView): string[] {
  return [...Map.groupBy(explained, ({ record }) => record)].flatMap(([record, items]) => {
    const addresses = items.flatMap(({ fields }) => fields.filter(({ name }) => name === 'page.url'));
    if (addresses.length === 0 || addresses.some(({ value }) => (value ?? null) !== null)) return [];
    return [`${record}.page.url: in none of ${countText(addresses.length, 'record')}`];
  });
}

function placeText({
  by,
  text,
  from,
  attr,
  alternative,
  alternatives,
  matches,
}: NonNullable<ExplainedRule['place']>): string {
  const own = by === 'here' ? (from === undefined ? ['the place itself'] : []) : [`${by} ${plainText(text)}`];
  const where = [...(from === undefined ? [] : [plainText(from)]), ...own].join(' › ');
  return [
    `${where}${attr === undefined ? '' : ` @${attr}`}`,
    ...(alternatives > 1 ? [`alternative ${alternative} of ${alternatives}`] : []),
    ...(matches > 1 ? [`${matches} matches`] : []),
  ].join(', ');
}

function quoted(value: unknown): string {
  return cutText(typeof value === 'string' ? JSON.stringify(value) : valueText(value), textLength);
}

/** Formats the number of records, and what the page as a whole lacks. */
function summaryLines(terminal: Terminal, found: TryView): string[] {
  const { drafts, explained, absent, unfound = [], unparsed, repeated = 0, notes } = found;
  const told = new Set(unfound.map(({ record, field }) => `${record}.${field}`));
  const refused = explained.filter(({ key }) => key === undefined).length;
  const counts = [
    countText(drafts.length, 'record'),
    ...(refused > 0 ? [`${countText(refused, 'place')} without one`] : []),
    ...(repeated > 0 ? [`${repeated} left out for the key of another`] : []),
  ];
  return [
    counts.join(', '),
    ...absent
      .filter((field) => !told.has(field))
      .map((field) => terminal.paint('yellow', `${field}: no place matched`)),
    ...unfound.map((each) => terminal.paint('yellow', plainText(unfoundText(each)))),
    ...[...unledTexts(found), ...endLines(found)].map((each) => terminal.paint('yellow', plainText(each))),
    ...unparsed.map((each) => terminal.paint('yellow', unparsedText(each))),
    ...noteLines(terminal, notes),
  ];
}

function treeLines(terminal: Terminal, { trees }: TryView): string[] {
  if (trees === undefined) return [];
  if (trees.length === 0) return ['the fast and the browser tree give the same'];
  return [
    terminal.paint('yellow', `the two trees differ in ${countText(trees.length, 'field')}:`),
    ...trees.map((difference) => `  ${differenceText(difference)}`),
  ];
}

function differenceText({ record, key, field, fast, browser }: TreeDifference): string {
  const sides = [`fast ${sideText(fast)}`, `browser ${sideText(browser)}`];
  return `${record} ${plainText(key)} ${field}: ${sides.join(', ')}`;
}

function sideText(value: unknown): string {
  return value === undefined ? 'nothing' : quoted(value);
}
