import type { ExtractPlan } from '../extract/plan.ts';
import type { DrillPage, Subject } from './mutation.ts';

/** What a plan reads of a page, as far as its first record type names places by selectors; `undefined` where it names none. */
export function subjectOf(page: DrillPage, { records }: Pick<ExtractPlan, 'records'>): Subject | undefined {
  const record = records.find(({ fields }) =>
    fields.some(({ branches }) => branches.some(({ place }) => place.by === 'css')),
  );
  if (record === undefined) return undefined;
  const { type, each, key } = record;
  const fields = record.fields.flatMap(({ name, branches }) => {
    const branch = branches.find(({ place, from }) => place.by === 'css' && from === undefined);
    return branch?.place.by === 'css' ? [{ record: type, field: name, css: branch.place.css, attr: branch.attr }] : [];
  });
  return { page, fields, key, items: each?.by === 'css' ? each.css : undefined };
}

/** The name by which links are changed. */
export const linkField = 'link';

/** The links of a page that lead to others, of which a selector finds the elements. */
export function linkSubject(page: DrillPage, items: string): Subject {
  return { page, items, fields: [{ record: 'page', field: linkField, css: 'a', attr: 'href' }], key: [] };
}
