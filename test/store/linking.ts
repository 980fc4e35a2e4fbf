import assert from 'node:assert/strict';
import type { LinkField } from '../../src/definition/shared-type.ts';
import { adoptTypes } from '../../src/store/entities.ts';
import { linkValues } from '../../src/store/link-values.ts';
import type { Store } from '../../src/store/store.ts';

/** A way to link by fields that are equal. */
export function way(...fields: readonly string[]): LinkField[] {
  return fields.map((field) => ({ as: 'exact', field }));
}

/** Says of which type the records `item` of the source `shop` are, and how they are linked; of none without ways. */
export function linkItems(store: Store, ...link: readonly (readonly LinkField[])[]): Promise<void> {
  const rules = link.length === 0 ? [] : [['item', { type: 'product', link }] as const];
  return store.write(() => adoptTypes(store, 'shop', new Map(rules)));
}

/** Asserts that each record of `shop` is linked by what it says, and by nothing else. */
export function assertLinked(store: Store): void {
  const link = store.types.get('shop', 'item')?.rule?.link ?? [];
  const wanted = [...store.records.ofType('shop', 'item')].flatMap(({ record, fields }) =>
    linkValues(link, fields).map(({ digest }) => [digest, record] as const),
  );
  for (const [digest, record] of wanted)
    assert.ok(store.types.linkedBy('product', digest, 1_000).includes(record), `record ${record}`);
  assert.equal(store.types.countOfLinks(), wanted.length);
}
