import type { Evidence } from '../view/record.ts';
import { changedWords } from '../view/changed-text.ts';
import { diffText } from './diff-text.ts';
import type { Terminal } from './terminal.ts';
import { sightWithoutScrape } from '../view/sight.ts';
import { valueText } from '../view/text.ts';

/**
 * Formats a change as `old → new`, or as the new value alone where the field was not known; of long texts, the words that differ are marked.
 *
 * @param least - the characters from which on texts are long.
 */
export function showChange(terminal: Terminal, change: unknown, least?: number): string {
  if (typeof change !== 'object' || change === null || !('new' in change)) return valueText(change);
  if (!('old' in change)) return valueText(change.new);
  const words = changedWords(change.old, change.new, { least });
  return words === undefined ? `${valueText(change.old)} → ${valueText(change.new)}` : diffText(terminal, words);
}

/** Formats by which scrape, and by which version of its definition, something was read. */
export function scrapeText(by: Pick<Evidence, 'scrape' | 'recheck' | 'version'>): string {
  const { scrape, version } = by;
  const sight = sightWithoutScrape(by) ?? `${scrape}`;
  return version === '' ? sight : `${sight} ${version.slice(0, 8)}`;
}
