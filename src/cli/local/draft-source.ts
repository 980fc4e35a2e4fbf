import { dirname, extname } from 'node:path';
import type { TryView } from '../../control/methods/source.ts';
import type { Draft } from '../../draft/draft.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import { showProblems } from '../problems.ts';
import type { Terminal } from '../terminal.ts';
import { draftOnThread } from './page-thread.ts';
import { type HeldPage, readHeldPage } from './page.ts';

/** A definition that is valid and gives records on the page it was drafted from. */
export interface DraftedSource {
  readonly text: string;
  readonly draft: Draft;
  /** What it reads on that page. */
  readonly found: TryView;
}

/** A definition goes through so many rounds of leaving out what does not hold. */
const maxRounds = 3;

/** Drafts a definition for `file` from a page, and holds it to that page; throws where nothing can be made of it. */
export async function draftSource(
  terminal: Terminal,
  file: string,
  id: string,
  page: HeldPage,
): Promise<DraftedSource> {
  const [{ definitionText }, { parseSource }] = await Promise.all([
    import('../../draft/definition.ts'),
    import('../../definition/load.ts'),
  ]);
  const { url } = page;
  let draft = await draftedWithin(page);
  if (draft.record === undefined && draft.provider !== 'rss')
    throw new CommandError(exitStatus.failed, `nothing to read there: ${draft.found.join('; ')}`);
  const plain = new Set<string>();
  for (let round = 1; ; round += 1) {
    const text = definitionText(draft, { id, url, plain });
    const loaded = parseSource(text, file);
    if (!loaded.ok)
      throw new CommandError(exitStatus.failed, `the draft is not valid:\n${showProblems(terminal, loaded.problems)}`);
    const found = await readHeldPage(loaded.value, page, { plugins: dirname(file) });
    const wrong = found.unparsed.map(({ record, field }) => `${record}.${field.replace(/[.[].*/s, '')}`);
    const isSettled = wrong.length === 0 && found.absent.length === 0;
    if (isSettled || round === maxRounds) {
      if (found.failure)
        throw new CommandError(exitStatus.failed, `the draft gives no record: ${found.failure.message}`);
      return { text, draft, found };
    }
    for (const field of wrong) plain.add(field);
    draft = withoutFields(draft, new Set(found.absent));
  }
}

/** No usual page takes a tenth of it, in milliseconds. */
const draftLimitMs = 20_000;

async function draftedWithin({ body, url, contentType }: HeldPage): Promise<Draft> {
  const page = { body, url, ...(contentType !== undefined && { contentType }) };
  const drafted = await draftOnThread(page, draftLimitMs);
  if (drafted.ok) return drafted.value;
  const { describeExtractFailure } = await import('../../extract/describe.ts');
  throw new CommandError(exitStatus.failed, describeExtractFailure(drafted.failure));
}

/** Fields that stand nowhere on the page after all are left out. */
function withoutFields(draft: Draft, absent: ReadonlySet<string>): Draft {
  const { record } = draft;
  if (record === undefined) return draft;
  const fields = Object.entries(record.fields).filter(
    ([name]) => name === record.key || !absent.has(`${record.type}.${name}`),
  );
  return { ...draft, record: { ...record, fields: Object.fromEntries(fields) } };
}

/** An id made of a host, such as `kickfund` of `www.kickfund.example`. */
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

/** What a saved page is, by its name: a server would have said it. */
export function contentTypeOf(file: string): string | undefined {
  const types: Readonly<Record<string, string>> = { '.csv': 'text/csv', '.tsv': 'text/tab-separated-values' };
  return types[extname(file).toLowerCase()];
}
