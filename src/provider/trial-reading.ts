import type { Source } from '../definition/source.ts';
import type { OpenProvider, Reading } from './provider.ts';

/** Returns how a trial reads a page of a source: with what leads to the next page of a list, and as the page of an item where it gives no record otherwise. */
export function trialReading(
  { feed }: Pick<Source, 'feed'>,
  { page, list, items }: OpenProvider,
  trees: boolean,
): Reading & Required<Pick<Reading, 'explain'>> {
  const next = feed && list?.reading.plan.next;
  const plan = next === undefined ? page.plan : { ...page.plan, id: `${page.plan.id}/trial`, next };
  const orAs = (items?.types ?? []).flatMap((type) => items?.reading(type)?.plan ?? []);
  return { ...page, plan, explain: { trees, orAs } };
}
