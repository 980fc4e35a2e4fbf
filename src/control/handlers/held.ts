import * as z from 'zod';
import { defined } from '../../defined.ts';
import { allFields } from '../../definition/all-fields.ts';
import { undeclared } from '../../schema/near-name.ts';
import { decideHeld, openValue } from '../../store/decide-held.ts';
import { massOf } from '../../store/holds.ts';
import type { HeldMember, HoldPlace, MassHold } from '../../store/tables/holds.ts';
import { ControlError } from '../error.ts';
import type { Handlers, Params } from '../methods.ts';
import type { HeldTogether, HeldView } from '../methods/held.ts';
import { checkNames } from './find.ts';
import type { Ports } from './ports.ts';
import { createCursor, sliceOf } from './slices.ts';

const cursor = createCursor(
  'after',
  z.object({ source: z.string(), target: z.int(), type: z.string(), field: z.string(), record: z.int() }),
);

type Served = 'held.list' | 'held.release' | 'held.reject';

/** Creates the handlers of what is held. */
export function heldHandlers(deps: Pick<Ports, 'store' | 'catalogue'>): Pick<Handlers, Served> {
  return {
    'held.list': ({ source, after, limit }) => {
      checkNames({ source }, deps);
      const { holds } = deps.store();
      const members = holds.members(defined({ source, after: cursor.read(after) }));
      const { found, last } = sliceOf(members, limit, (member) => viewOf(member) !== undefined);
      const together = after === undefined ? Array.from(holds.masses(source)).flatMap(togetherOf) : [];
      const values = found.flatMap((member) => viewOf(member) ?? []);
      return { together, values, ...defined({ next: last && cursor.textOf(last) }) };
    },
    'held.release': (params) => decide(params, 'released'),
    'held.reject': (params) => decide(params, 'rejected'),
  };

  function decide(wanted: Params<'held.release'>, verdict: 'released' | 'rejected') {
    const { source, target, type, key, field } = wanted;
    check(wanted);
    return decideHeld(deps.store(), { source, target, type, key, field }, verdict);
  }

  /** Throws a `ControlError` `not_found` for a source, target, type, record or field that there is not. */
  function check({ source, target, type, key, field }: Params<'held.release'>): void {
    checkNames({ source, target, type }, deps);
    const definition = deps.catalogue().sources.get(source)?.source;
    // What else there may be is declared by a plug-in, or nowhere.
    if (definition === undefined || definition.plugin !== undefined) return;
    const types = type === undefined ? Object.keys(definition.records) : [type];
    if (key !== undefined && types.every((each) => deps.store().records.get(source, each, key) === undefined))
      throw new ControlError('not_found', `source "${source}" has no record "${key}"`);
    const fields = types.flatMap((each) => Object.keys(allFields(definition.records[each] ?? { fields: {} })));
    if (field !== undefined && !fields.includes(field))
      throw new ControlError('not_found', `source "${source}": ${undeclared('field', field, [...new Set(fields)])}`);
  }

  function viewOf(member: HeldMember): HeldView | undefined {
    const found = openValue(deps.store(), member);
    if (found === undefined) return undefined;
    const { record, held } = found;
    const { value, isRejected: _, ...rest } = held;
    const { source, type, key } = record;
    const { field } = member;
    const ticket = held.kind === 'jump' ? undefined : massOf(deps.store(), member)?.row.ticket;
    const values = { old: record.fields[field]?.value ?? null, new: value };
    return { ...rest, source, type, key, field, ...values, ...defined({ ticket }) };
  }
}

function togetherOf({ place, row }: { readonly place: HoldPlace; readonly row: MassHold }): HeldTogether[] {
  const { kind, state, since, scrape, ticket } = row;
  const count = row.count - (row.back ?? 0);
  // Of an unusual field, all records may still show the values that are known.
  if (state !== 'held' || count === 0) return [];
  const { source, target, type, field } = place;
  const where = { source, ...(target > 0 && { target }), ...(kind !== 'missing' && { type, field }) };
  return [{ kind, ...where, since, scrape, count, ...defined({ ticket }) }];
}
