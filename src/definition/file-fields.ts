import type { FileField, FileFields } from '../view/file.ts';
import { allFields } from './all-fields.ts';
import type { Element, Rule, Typed } from './rule.ts';
import type { Source } from './source.ts';

const known = new WeakMap<Source, FileFields>();

/** Returns the fields of a source that hold addresses of files. The same source always has the same object. */
export function fileFieldsOf(source: Source): FileFields {
  const made = known.get(source) ?? makeFields(source);
  known.set(source, made);
  return made;
}

function makeFields(source: Source): FileFields {
  const byType = Object.entries(source.records).map(([type, record]) => {
    const ephemeral = ephemeralFields(source, type);
    const fields = Object.entries<Rule>(allFields(record)).flatMap(([name, rule]) =>
      Array.from(within(rule, [name]), (field): FileField =>
        ephemeral.has(name) ? { ...field, isEphemeral: true } : field,
      ),
    );
    return [type, fields] as const;
  });
  return Object.fromEntries(byType.filter(([, fields]) => fields.length > 0));
}

/** The fields of a post whose addresses soon expire. */
function ephemeralFields({ records, publish }: Source, type: string): ReadonlySet<string | undefined> {
  const { posts } = publish ?? {};
  const isPost = (posts?.record ?? Object.keys(records)[0]) === type;
  return new Set(posts?.ephemeral === true && isPost ? [posts.images, posts.account?.avatar] : []);
}

function* within(typed: Typed | Element, path: readonly string[]): Generator<FileField> {
  switch (typed.type) {
    case 'file': {
      const { maxSize: maxBytes, accept, ephemeral } = typed;
      yield { path, maxBytes, ...(accept && { accept }), ...(ephemeral === true && { isEphemeral: true }) };
      return;
    }
    case 'array':
      yield* within(typed.of, path);
      return;
    case 'object': {
      const { fields, result = Object.keys(fields) } = typed;
      for (const name of [result].flat()) {
        const rule = Object.hasOwn(fields, name) ? fields[name] : undefined;
        // One field's value in place of the object.
        if (rule !== undefined) yield* within(rule, typeof result === 'string' ? path : [...path, name]);
      }
      return;
    }
    default:
  }
}
