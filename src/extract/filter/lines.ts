import { bounded, type FilterKind, onTexts } from './kind.ts';
import { anyFound, patternOption } from './pattern.ts';

export interface LinesStep {
  readonly type: 'lines';
  readonly keep?: string;
  readonly drop?: string;
  readonly unique?: boolean;
  readonly sort?: boolean;
}

/** Leaves out blank lines and white space at the ends of lines, and the lines that its options name. */
export const lines: FilterKind<LinesStep> = {
  options: (z) => ({
    /** Only lines in which it is found stay. */
    keep: patternOption(z).exactOptional(),
    /** Lines in which it is found go. */
    drop: patternOption(z).exactOptional(),
    /** Whether of equal lines only the first stays. */
    unique: z.boolean().exactOptional(),
    /** Whether lines are put in the order of their characters, so that another order is no change. */
    sort: z.boolean().exactOptional(),
  }),
  isPlain: true,
  isSlow: true,
  example: '{lines: {drop: "^Visitors:"}}',
  compile({ keep, drop, unique = false, sort = false }) {
    const [isKept, isDropped] = [keep, drop].map((each) => (each === undefined ? undefined : anyFound([each])));
    return onTexts((text) => {
      const found = text
        .split(/\r?\n/)
        .map((line) => line.trimEnd())
        .filter((line) => line !== '' && (isKept?.(line) ?? true) && !(isDropped?.(line) ?? false));
      const told = unique ? [...new Set(found)] : found;
      return bounded((sort ? told.toSorted() : told).join('\n'));
    });
  },
};
