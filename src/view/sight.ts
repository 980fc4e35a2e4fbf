import type { Evidence } from './record.ts';

/** What stands for the number of a scrape where none saw a change: a re-check, a pulse, or another tool, whose history was imported; undefined for a scrape. */
export function sightWithoutScrape({
  scrape,
  recheck,
  version,
}: Pick<Evidence, 'scrape' | 'recheck' | 'version'>): 're-check' | 'imported' | 'pulse' | undefined {
  if (scrape > 0) return undefined;
  return recheck === true ? 're-check' : version === '' ? 'imported' : 'pulse';
}
