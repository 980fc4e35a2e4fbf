import type { FieldGuard, Guards } from '../health/guard.ts';
import { defined } from '../defined.ts';
import { allFields } from './all-fields.ts';
import type { RuleGuard } from './guard.ts';
import type { Source } from './source.ts';

const known = new WeakMap<Source, Guards>();

/** Returns the guards of the values of a source. The same source always has the same object. */
export function guardsOf(source: Source): Guards {
  const made = known.get(source) ?? makeGuards(source);
  known.set(source, made);
  return made;
}

function makeGuards({ hold, records }: Source): Guards {
  const fields = Object.entries(records).flatMap(([type, record]) => {
    const guarded = Object.entries(allFields(record)).flatMap(([name, rule]) => {
      const guard = fieldGuard(rule);
      return guard === undefined ? [] : [[name, guard] as const];
    });
    return guarded.length === 0 ? [] : [[type, Object.fromEntries(guarded)] as const];
  });
  return { ...hold, fields: Object.fromEntries(fields) };
}

function fieldGuard({ confirm, hold }: RuleGuard): FieldGuard | undefined {
  const guard = defined({ confirm, jump: hold?.jump, empty: hold?.empty, unusual: hold?.unusual });
  return Object.keys(guard).length === 0 ? undefined : guard;
}
