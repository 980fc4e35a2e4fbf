import type { Source } from '../definition/source.ts';
import { openDeclared } from './declared.ts';
import type { OpenProvider } from './provider.ts';

/** Sources are never changed, and a plan's id takes a digest to make. */
const opened = new WeakMap<Source, OpenProvider>();

/** Opens a source by its provider. */
export function openProvider(source: Source): OpenProvider {
  const known = opened.get(source) ?? openDeclared(source);
  opened.set(source, known);
  return known;
}
