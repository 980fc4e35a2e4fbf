import { draftsOn, extractionOf } from '../../../src/drill/pages.ts';
import type { Event } from '../../../src/event/catalogue.ts';
import type { RecordDraft } from '../../../src/extract/draft.ts';
import type { SitePage } from './world.ts';

/** What of a page counts for a scrape of its site: its records, and where it leads. */
export async function readOn(page: SitePage, pages: readonly SitePage[]): Promise<string> {
  const { drafts = [], links = [], next } = (await extractionOf(page, page.plan)) ?? {};
  const isRead = page.subject?.fields.some(({ field }) => field === 'link');
  const known = isRead === true ? links.filter((link) => pages.some(({ url }) => url === link)) : [];
  return JSON.stringify([drafts, known, next ?? null]);
}

/** The records of a site by their keys, as its pages say them. */
export type Truth = ReadonlyMap<string, RecordDraft['fields']>;

/** Reads all pages of a site. What the page of an item says is of the record that leads to it. */
export async function truthOf(pages: readonly SitePage[]): Promise<Truth> {
  const truth = new Map<string, RecordDraft['fields']>();
  for (const page of pages)
    for (const draft of await draftsOn(page, page.plan)) {
      const key = page.key ?? draft.key;
      truth.set(key, { ...truth.get(key), ...draft.fields });
    }
  return truth;
}

/** What events tell of records that is not as the site has it, and was not recalled: one sentence each. */
export function falselyTold(events: readonly Event[], truth: Truth): readonly string[] {
  const recalled = new Set(
    events.flatMap((event) => (event.type === 'records.recalled' ? [`${event.data.record} ${event.data.field}`] : [])),
  );
  return events.flatMap((event) => falselyToldBy(event, truth, recalled));
}

function falselyToldBy(event: Event, truth: Truth, recalled: ReadonlySet<string>): readonly string[] {
  switch (event.type) {
    case 'record.added':
    case 'record.changed': {
      const { key, fields } = event.data;
      const known = truth.get(key);
      if (known === undefined) return [`${event.type} ${key}`];
      const wrong = Object.entries(fields).filter(
        ([name, { new: value }]) =>
          JSON.stringify(value) !== JSON.stringify(known[name] ?? null) && !recalled.has(`${event.data.type} ${name}`),
      );
      return wrong.length === 0 ? [] : [`${event.type} ${key} ${JSON.stringify(Object.fromEntries(wrong))}`];
    }
    case 'record.missing':
    case 'record.gone':
      return truth.has(event.data.key) ? [`${event.type} ${event.data.key}`] : [];
    default:
      return [];
  }
}
