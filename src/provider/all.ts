import type { Source } from '../definition/source.ts';
import { html } from './html.ts';
import type { OpenProvider, Provider } from './provider.ts';

/** The built-in providers, by the name that a definition gives. */
const providers: { readonly [Name in Source['provider']]: Provider } = { html };

/** Sources are never changed, and a plan's id takes a digest to make. */
const opened = new WeakMap<Source, OpenProvider>();

/** Opens a source by its provider. */
export function openProvider(source: Source): OpenProvider {
  const known = opened.get(source) ?? providers[source.provider].open(source);
  opened.set(source, known);
  return known;
}
