import { compileFilter } from '../extract/filter/all.ts';
import { FilterError } from '../extract/filter/kind.ts';
import { longLength } from '../extract/value/plain-text.ts';
import { Filter } from '../definition/filter.ts';

/**
 * Brings a snapshot of another tool into the form in which `take: lines` has the text of a page: no blank lines, no white space around lines,
 * and no marks of lists, which browsers of text put before items.
 */
export function snapshotText(snapshot: string): string {
  const lines = snapshot.split(/\r\n|\n|\r/).map((line) =>
    line
      .replace(/^ {2,}(?:[*+o-]|\d+\.) /, '')
      .replaceAll(/[ \t\f]+/g, ' ')
      .trim(),
  );
  return lines.filter((line) => line !== '').join('\n');
}

/** Compiles filters as a definition has them to a function on snapshots. A text that a filter refuses stays as it is; one that is too long is cut. */
export function snapshotFilter(filters: readonly object[]): (text: string) => string {
  const compiled = filters.map((each) => compileFilter(Filter.parse(each)));
  return (text) => {
    let found = text;
    for (const run of compiled) {
      try {
        const value = run(found, 'https://snapshot.invalid/');
        if (typeof value === 'string') found = value;
      } catch (error) {
        if (!(error instanceof FilterError)) throw error;
      }
    }
    return found.slice(0, longLength).replace(/[\ud800-\udbff]$/, '');
  };
}
