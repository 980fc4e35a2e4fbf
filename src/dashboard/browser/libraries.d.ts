import type { Idiomorph as Morph } from 'idiomorph';
import type Plot from 'uplot';

declare global {
  /** The library that patches a page in place; loaded by the page before the scripts of its own. */
  const Idiomorph: typeof Morph;
  /** The library that draws charts; loaded where there are any. */
  const uPlot: typeof Plot;
}
