import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { parseSource } from '../../src/definition/load.ts';
import { extract } from '../../src/extract/extract.ts';
import type { RecordDraft } from '../../src/extract/draft.ts';
import type { Value } from '../../src/extract/value/value.ts';
import { planOf } from '../../src/provider/plans.ts';
import { exampleFolder } from './example.ts';

/** The text of `docs/definitions.md`. */
export const text = await readFile(join(exampleFolder, '..', 'definitions.md'), 'utf8');

/** The address of its pages. */
export const base = 'https://site.example/list/page';

/** A fenced block: the two words behind its fence, the second of which may be missing, and what stands within. */
export interface Block {
  readonly language: string;
  readonly kind: string;
  readonly content: string;
}

/** The fenced blocks of a page of the docs, in order. */
export function blocksOf(page: string): readonly Block[] {
  return Array.from(
    page.matchAll(/^```(\S+)(?: (\S+))?\n(.*?)^```$/gms),
    ([, language = '', kind = '', content = '']): Block => ({ language, kind, content }),
  );
}

export const blocks = blocksOf(text);

/** The rows of the tables under a heading, cell by cell, without the lines of their heads. */
export function rowsUnder(heading: string): string[][] {
  const [, section = ''] = text.split(new RegExp(`^#+ ${heading}.*$`, 'm'));
  const lines = (section.split(/^#/m)[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  const rows = lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
  return rows.filter((row, at) => !/^-+$/.test(row[0] ?? '') && !/^-+$/.test(rows[at + 1]?.[0] ?? ''));
}

/** What stands between backticks. */
export function codeOf(cell: string | undefined): string {
  return /^`(.*)`$/.exec(cell ?? '')?.[1] ?? '';
}

/** What a definition reads of a page. The pages of the docs came on the day that their text names. */
export async function readPage(
  definition: Readonly<Record<string, unknown>>,
  page: { readonly contentType: string; readonly content: string | Uint8Array },
): Promise<readonly RecordDraft[]> {
  const parsed = parseSource(stringify({ id: 'doc', ...definition }), 'doc.yaml');
  assert.ok(parsed.ok, JSON.stringify(parsed));
  const { contentType, content } = page;
  const body = new Uint8Array(typeof content === 'string' ? Buffer.from(content) : content).buffer;
  const came = { url: base, status: 200, observedAt: Date.UTC(2026, 2, 14, 12), contentType };
  const outcome = await extract({ ...came, body, plan: planOf(parsed.value) });
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.extraction.drafts;
}

/** What fields give on a page; without those that give nothing. */
export async function given(
  { language, content }: Pick<Block, 'language'> & { readonly content: string | Uint8Array },
  fields: unknown,
): Promise<Record<string, Value>> {
  const records = { thing: { key: 'k', fields: { k: { const: 'k' }, ...Object.assign({}, fields) } } };
  const contentType = `text/${language}; charset=utf-8`;
  const [draft] = await readPage({ provider: language, records }, { contentType, content });
  const { k: _key, ...rest } = draft?.fields ?? {};
  return rest;
}
