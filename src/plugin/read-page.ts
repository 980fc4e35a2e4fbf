import type { StepFailure } from '../engine/step.ts';
import type { Extraction } from '../extract/draft.ts';
import { type Excerpt, keepExcerpt } from '../extract/excerpt.ts';
import { gaveNothing } from '../extract/extract.ts';
import type { Page } from '../fetch/page.ts';
import type { Reading } from '../provider/provider.ts';
import { extractionOf } from './open.ts';
import type { PluginLogLine } from './protocol.ts';
import { noServices, type PluginServices } from './services.ts';
import type { SourcePluginsDeps } from './source-plugins.ts';

/** What a plug-in read from a page, or why it could not. */
export type ReadPage = {
  /** What the plug-in logged and is not in the log yet. */
  readonly told?: readonly PluginLogLine[];
} & (
  | {
      readonly ok: true;
      readonly extraction: Extraction;
      /** The beginning of a page that gave nothing. */
      readonly excerpt?: Excerpt;
    }
  | { readonly ok: false; readonly failure: StepFailure }
);

/** Has a plug-in read a page, whose body moves to its thread. Rejects as `call` does. */
export async function readByPlugin(
  { body, url, status, headers, observedAt }: Page,
  { plan, plugin: reading }: Reading,
  { call, services }: { readonly call: SourcePluginsDeps['call']; readonly services: PluginServices },
  signal: AbortSignal,
): Promise<ReadPage> {
  if (reading === undefined) throw new Error(`${url}: no plug-in reads it`);
  const excerpt = keepExcerpt({ body, headers });
  const input = { url, status, headers, body };
  const { plugin, options } = reading;
  const read = await call({ plugin, function: 'read', input, options, services, signal });
  if (!read.ok) return read;
  const extraction = extractionOf(read.value, plan, url, observedAt);
  if (!gaveNothing(extraction)) return { ok: true, extraction };
  return { ok: true, extraction, excerpt: excerpt() };
}

/** Has a plug-in read a page where its secrets are not known: what it logs is told with the page. Rejects as `call` does. */
export async function readElsewhere(
  page: Page,
  reading: Reading,
  call: SourcePluginsDeps['call'],
  signal: AbortSignal,
): Promise<ReadPage> {
  const told: PluginLogLine[] = [];
  const services = { ...noServices, log: (line: PluginLogLine) => void told.push(line) };
  const read = await readByPlugin(page, reading, { call, services }, signal);
  return { ...read, told };
}
