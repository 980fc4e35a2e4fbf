import { defined } from '../defined.ts';
import type { RecordView } from '../view/record.ts';
import { linkValues, type LinkValue, type Values } from './link-values.ts';
import type { Change, Store } from './store.ts';
import type { TypeRow, TypeRule } from './tables/types.ts';

/** The largest number of records that one link value connects, and the largest number in one entity. A value that more records share identifies nothing. */
export const mostLinked = 100;

/** Records whose links are made anew in one transaction: some milliseconds. */
const madeAtOnce = 300;

/**
 * Stores which records of a source are of which type, by name, as its definition says now. Where that is another type or another rule than
 * before, `makeLinks` links the records anew. To be called within a transaction.
 */
export function adoptTypes({ types }: Store, source: string, rules: ReadonlyMap<string, TypeRule>): void {
  const known = new Map(types.ofSource(source));
  for (const record of new Set([...known.keys(), ...rules.keys()])) {
    const [row, rule] = [known.get(record), rules.get(record)];
    if (isSame(row?.rule, rule)) continue;
    const before = [...(row?.making?.before ?? []), row?.rule].filter(links);
    const isLinked = before.length > 0 || links(rule);
    if (rule === undefined && !isLinked) types.remove(source, record);
    else types.put(source, record, { ...defined({ rule }), ...(isLinked && { making: { before } }) });
  }
}

function links(rule: TypeRule | undefined): rule is TypeRule {
  return rule !== undefined && rule.link.length > 0;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Updates the link values of a record whose fields changed. Emits an event for a value that too many records have. To be called within a
 * transaction.
 *
 * @param before - its fields as they were; `undefined` for a new record.
 * @param after - its fields as they are; `undefined` for a removed one.
 */
export function moveLinks(
  store: Store,
  change: Change,
  { source, type, record }: Pick<RecordView, 'source' | 'type' | 'record'>,
  { before, after }: { readonly before: Values | undefined; readonly after: Values | undefined },
): void {
  const row = store.types.get(source, type);
  if (row === undefined) return;
  const linked =
    before === undefined ? [] : [row.rule, ...(row.making?.before ?? [])].flatMap((rule) => linksOf(rule, before));
  const wanted = after === undefined ? [] : linksOf(row.rule, after);
  for (const { of, digest } of linked)
    if (!wanted.some((each) => each.of === of && each.digest === digest)) store.types.unlink(of, digest, record);
  for (const { of, digest, fields } of wanted) {
    if (!store.types.link(of, digest, record)) continue;
    if (store.types.linkedBy(of, digest, mostLinked + 2).length !== mostLinked + 1) continue;
    change.tell({ type: 'entity.unlinked', source, data: { type: of, values: fields, records: mostLinked + 1 } });
  }
}

function linksOf(rule: TypeRule | undefined, values: Values): (LinkValue & { readonly of: string })[] {
  return rule === undefined ? [] : linkValues(rule.link, values).map((value) => ({ ...value, of: rule.type }));
}

/** Whether records are still to be linked anew, of one type or of any. */
export function isLinking({ types }: Store, type?: string): boolean {
  for (const { row } of types.entries())
    if (row.making !== undefined && (type === undefined || row.rule?.type === type)) return true;
  return false;
}

/**
 * Links some of the records anew whose rule has changed. Resolves with whether more may be left. Rejects with `StoreFullError` when the
 * store has no room.
 */
export async function makeLinks(store: Store, limit = madeAtOnce): Promise<boolean> {
  // A transaction costs a write to the disk even where it does nothing.
  if (!isLinking(store)) return false;
  return store.write((change) => {
    for (const { key, row } of store.types.entries()) {
      if (row.making === undefined) continue;
      makeSome(store, change, key, { ...row, making: row.making }, limit);
      return true;
    }
    return false;
  });
}

function makeSome(
  store: Store,
  change: Change,
  [source, record]: readonly [source: string, record: string],
  { rule, making }: TypeRow & Required<Pick<TypeRow, 'making'>>,
  limit: number,
): void {
  let { madeTo } = making;
  let made = 0;
  for (const view of store.records.ofType(source, record, madeTo)) {
    moveLinks(store, change, view, { before: view.fields, after: view.fields });
    madeTo = view.key;
    made += 1;
    if (made < limit) continue;
    store.types.put(source, record, { ...defined({ rule, making: { ...making, ...defined({ madeTo }) } }) });
    return;
  }
  if (rule === undefined) store.types.remove(source, record);
  else store.types.put(source, record, { rule });
}

/** Records of one type that describe the same thing, by the link rules of the type. */
export interface Entity {
  /** By number, the first one found first. */
  readonly records: readonly RecordView[];
  /** Link values of its records that connect nothing, as too many records have them. */
  readonly tooCommon: readonly LinkValue['fields'][];
  /** Set if the links lead to more than `mostLinked` records, so that the record is an entity by itself. */
  readonly isTooLarge: boolean;
}

/**
 * Finds the entity of a record: the records of its type that have a link value of it, those that have one of theirs, and so on. A value
 * that more than `mostLinked` records have links none of them, and where more than `mostLinked` records would be one entity, each is one by itself. So
 * the result is the same whichever of its records is asked for.
 */
export function entityOf(store: Store, record: RecordView): Entity {
  const type = store.types.get(record.source, record.type)?.rule?.type;
  const found = new Map([[record.record, record]]);
  const looked = new Set<string>();
  const tooCommon: LinkValue['fields'][] = [];
  for (const { source, type: name, fields } of found.values()) {
    for (const { of, digest, fields: values } of linksOf(store.types.get(source, name)?.rule, fields)) {
      if (of !== type || looked.has(digest)) continue;
      looked.add(digest);
      const numbers = store.types.linkedBy(of, digest, mostLinked + 1);
      if (numbers.length > mostLinked) tooCommon.push(values);
      else addRecords(numbers);
      if (found.size > mostLinked) return { records: [record], tooCommon, isTooLarge: true };
    }
  }
  return { records: [...found.values()].sort((one, other) => one.record - other.record), tooCommon, isTooLarge: false };

  function addRecords(numbers: readonly number[]): void {
    for (const number of numbers) {
      const view = found.has(number) ? undefined : store.records.byNumber(number);
      if (view !== undefined) found.set(number, view);
    }
  }
}
