import type { NormalForm } from '../definition/catalogue.ts';
import { ruleDigestsOf } from '../definition/rule-digests.ts';
import type { Store } from '../store/store.ts';

/**
 * Creates a function that says whether another version of a definition has the rule for a field of a record type that a version has, and reads
 * records of that type in the same way; `false` for a version that is not kept.
 */
export function presentRules({ definitions }: Pick<Store, 'definitions'>, present: string) {
  const known = new Map<string, ReturnType<typeof ruleDigestsOf> | undefined>();
  return (version: string, type: string, field: string): boolean => {
    const [other, own] = [digestsOf(version), digestsOf(present)];
    if (other === undefined || own === undefined) return false;
    return [type, `${type}.${field}`].every((name) => own[name] !== undefined && own[name] === other[name]);
  };

  function digestsOf(version: string): ReturnType<typeof ruleDigestsOf> | undefined {
    if (!known.has(version)) {
      const form = definitions.normalForm(version) as NormalForm | undefined;
      known.set(version, form && ruleDigestsOf(form));
    }
    return known.get(version);
  }
}
