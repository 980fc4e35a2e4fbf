import type { HistoryView } from '../view/record.ts';
import { valueText } from './text.ts';

/** Formats a change as `old → new`, or as the new value alone where the field was not known. */
export function showChange(change: unknown): string {
  if (typeof change !== 'object' || change === null || !('new' in change)) return valueText(change);
  return 'old' in change ? `${valueText(change.old)} → ${valueText(change.new)}` : valueText(change.new);
}

/** Formats by which scrape, and by which version of its definition, something was read. */
export function scrapeText({ scrape, version }: Pick<HistoryView, 'scrape' | 'version'>): string {
  return scrape === 0 ? 'pulse' : [scrape, version?.slice(0, 8)].filter((part) => part !== undefined).join(' ');
}
