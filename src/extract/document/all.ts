import { csv } from './csv.ts';
import { html } from './html.ts';
import { json } from './json.ts';
import { jsonl } from './jsonl.ts';
import type { DocumentKind } from './kind.ts';
import { rss } from './rss.ts';
import { text } from './text.ts';
import { xml } from './xml.ts';

/** The kinds of documents, in the order in which they are listed for people. */
export const documentKinds = { html, xml, json, jsonl, csv, rss, text } as const satisfies Readonly<
  Record<string, DocumentKind>
>;

/** The name of a kind, as definitions give it. */
export type DocumentName = keyof typeof documentKinds;

/** Returns the kind of a name; undefined for a name that no kind has. */
export function documentKind(name: DocumentName): DocumentKind;
export function documentKind(name: string): DocumentKind | undefined;
export function documentKind(name: string): DocumentKind | undefined {
  const kinds: Readonly<Record<string, DocumentKind>> = documentKinds;
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}
