import type { Evidence } from '../view/record.ts';
import { valueText } from './text.ts';

/** Formats a change as `old → new`, or as the new value alone where the field was not known. */
export function showChange(change: unknown): string {
  if (typeof change !== 'object' || change === null || !('new' in change)) return valueText(change);
  return 'old' in change ? `${valueText(change.old)} → ${valueText(change.new)}` : valueText(change.new);
}

/** Formats by which scrape, and by which version of its definition, something was read. */
export function scrapeText({ scrape, recheck, version }: Pick<Evidence, 'scrape' | 'recheck' | 'version'>): string {
  const sight = scrape > 0 ? `${scrape}` : recheck === true ? 're-check' : 'pulse';
  return version === '' ? sight : `${sight} ${version.slice(0, 8)}`;
}
