import { dirname, extname } from 'node:path';
import type { TryView } from '../../control/methods/source.ts';
import type { Draft } from '../../draft/draft.ts';
import { defined } from '../../defined.ts';
import { CommandError } from '../exit-status.ts';
import { showProblems } from '../problems.ts';
import type { Terminal } from '../terminal.ts';
import { draftOnThread, readHeldPage } from './read-page.ts';
import type { HeldPage } from './page.ts';

/** A drafted definition, which is valid and reads records on the page it was drafted from. */
export interface DraftedSource {
  readonly text: string;
  readonly draft: Draft;
  /** The result of reading that page with the definition. */
  readonly found: TryView;
}

/** The most rounds of reading the page with the draft, leaving out fields that are not found, and trying another key. */
const maxRounds = 6;

/**
 * Drafts a definition for `file` from a page, of its records or of its whole text, and reads the page by it. Rejects with a `CommandError` where the
 * page has no records.
 */
export async function draftSource(
  terminal: Terminal,
  file: string,
  id: string,
  page: HeldPage,
  what: 'records' | 'text' = 'records',
): Promise<DraftedSource> {
  const [{ definitionText }, { parseSource }, { keyFields }] = await Promise.all([
    import('../../draft/definition.ts'),
    import('../../definition/load.ts'),
    import('../../definition/record-key.ts'),
  ]);
  const { url } = page;
  let draft = what === 'text' ? await textDraft(page) : await draftedWithin(page);
  if (draft.record === undefined && draft.provider !== 'rss')
    throw new CommandError('failed', `nothing to read there: ${draft.found.join('; ')}`);
  const plain = new Set<string>();
  for (let round = 1; ; round += 1) {
    const loaded = parseSource(definitionText(draft, { id, url, plain }), file);
    if (!loaded.ok && draft.feed !== undefined) {
      const { feed: _, ...single } = draft;
      draft = single;
      continue;
    }
    if (!loaded.ok)
      throw new CommandError('failed', `the draft is not valid:\n${showProblems(terminal, loaded.problems)}`);
    const found = await readHeldPage(loaded.value, page, { plugins: dirname(file) });
    const wrong = found.unparsed.map(({ record, field }) => `${record}.${field.replace(/[.[].*/s, '')}`);
    const next = found.repeated === undefined ? undefined : withNextKey(draft);
    const isSettled = wrong.length === 0 && found.absent.length === 0 && next === undefined;
    if (isSettled || round === maxRounds) {
      if (found.failure) throw new CommandError('failed', `the draft gives no record: ${found.failure.message}`);
      const toldApart = found.repeated === undefined ? found.drafts.length : 0;
      return { text: definitionText(draft, { id, url, plain, toldApart }), draft, found };
    }
    for (const field of wrong) plain.add(field);
    const kept = next ?? draft;
    draft = withoutFields(kept, new Set(found.absent), keyFields(kept.record?.key ?? []));
  }
}

/** The time limit of a draft, in milliseconds; a usual page takes less than a tenth of it. */
const draftLimitMs = 20_000;

async function draftedWithin({ body, url, contentType }: HeldPage): Promise<Draft> {
  const page = { body, url, ...defined({ contentType }) };
  const drafted = await draftOnThread(page, draftLimitMs);
  if (drafted.ok) return drafted.value;
  const { describeExtractFailure } = await import('../../extract/describe.ts');
  throw new CommandError('failed', describeExtractFailure(drafted.failure));
}

async function textDraft({ body, url, contentType }: HeldPage): Promise<Draft> {
  const { pageTextDraft } = await import('../../draft/page-text.ts');
  return pageTextDraft({ body, url, ...defined({ contentType }) });
}

/** Gives the record the next of its keys; undefined if there is none. */
function withNextKey(draft: Draft): Draft | undefined {
  const { record } = draft;
  const [key, ...otherKeys] = record?.otherKeys ?? [];
  return record === undefined || key === undefined ? undefined : { ...draft, record: { ...record, key, otherKeys } };
}

/** Removes fields that were not found on the page, but none of the key. */
function withoutFields(draft: Draft, absent: ReadonlySet<string>, key: readonly string[]): Draft {
  const { record } = draft;
  if (record === undefined) return draft;
  const fields = Object.entries(record.fields).filter(
    ([name]) => key.includes(name) || !absent.has(`${record.type}.${name}`),
  );
  return { ...draft, record: { ...record, fields: Object.fromEntries(fields) } };
}

/** Makes a source's id from the host of an address: `kickfund` from `www.kickfund.example`. */
export function idOf(url: string): string {
  const labels = new URL(url).hostname.replace(/^www\./, '').split('.');
  const isAddress = labels.every((label) => /^\d+$/.test(label)) || labels[0]?.startsWith('[');
  const word = isAddress ? 'source' : (labels.at(-2) ?? labels[0] ?? 'source');
  return (
    word
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'source'
  );
}

/**
 * Returns the content type of a saved page by the ending of its name; nothing for most, which are told by their
 * content.
 */
export function contentTypeOf(file: string): string | undefined {
  const types: Readonly<Record<string, string>> = { '.csv': 'text/csv', '.tsv': 'text/tab-separated-values' };
  return types[extname(file).toLowerCase()];
}
