import { definitionVersion, type Source } from '../definition/source.ts';
import { fieldPlans, documentOf } from './plans.ts';
import type { ItemPages, Reading } from './provider.ts';
import { pageRequest } from './requests.ts';

/** Opens the pages that the items of a source's lists lead to; `undefined` where its records have none. */
export function openItems(source: Source): ItemPages | undefined {
  const version = definitionVersion(source);
  const types = new Map(
    Object.entries(source.records).flatMap(([type, { page, nulls }]) => {
      if (page === undefined) return [];
      const { provider = source.provider, fields } = page;
      const plan = {
        id: `${version}/item/${type}`,
        ...documentOf({ ...source, provider }),
        // The list says whose fields they are.
        records: [{ type, key: [], fields: fieldPlans(fields), nulls }],
      };
      const reading: Reading = { source: source.id, plan, limitMs: source.limits.extract };
      return [[type, { reading, maxPages: page.maxPages, names: new Set(Object.keys(fields)) }] as const];
    }),
  );
  if (types.size === 0) return undefined;

  return {
    types: [...types.keys()],
    maxPages: Math.max(...[...types.values()].map(({ maxPages }) => maxPages)),
    hasField: (type, field) => [...types].some(([name, { names }]) => (type ?? name) === name && names.has(field)),
    reading: (type) => types.get(type)?.reading,
    request: (url, copy, hop, home) =>
      pageRequest(source, url, copy, { keepsMethod: false, isHome: hop?.isHome !== false && isSameOrigin(url, home) }),
  };
}

function isSameOrigin(one: string, other: string): boolean {
  return URL.parse(one)?.origin === URL.parse(other)?.origin;
}
