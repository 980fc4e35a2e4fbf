import type { Value } from '../extract/draft.ts';
import { type DraftField, fieldName, guessedType, maxFields } from './record.ts';

type JsonObject = Readonly<Record<string, Value>>;

/** A value within an object, and the path that leads there. */
interface Leaf {
  readonly path: string;
  readonly names: readonly string[];
  readonly isList: boolean;
}

/** How deep fields are looked for. */
const maxDepth = 3;

export function isObject(value: Value | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of objects that are alike, with what each of the objects has there. */
export function fieldsOfObjects(
  objects: readonly JsonObject[],
  base: string,
): { readonly fields: Record<string, DraftField>; samplesOf(name: string): readonly Value[] } {
  const leaves = new Map(
    objects.slice(0, 20).flatMap((object) => leavesOf(object, '$', []).map((leaf) => [leaf.path, leaf] as const)),
  );
  const names = namesOf([...leaves.values()]);
  const fields: Record<string, DraftField> = {};
  const samples: Record<string, readonly Value[]> = {};
  for (const [path, leaf] of leaves) {
    const name = names.get(path);
    if (name === undefined || Object.keys(fields).length >= maxFields) continue;
    const found = objects.map((object) => at(object, leaf));
    const currency = currencyBeside(objects, leaf);
    const given = leaf.isList
      ? found.flatMap((value) => (Array.isArray(value) ? (value as readonly Value[]) : []))
      : found;
    const type = guessedType(name, given, base, currency);
    fields[name] = {
      json: path,
      ...(leaf.isList ? { type: 'array', ...(type['type'] !== undefined && { of: type }) } : type),
    };
    samples[name] = leaf.isList ? [] : found;
  }
  return { fields, samplesOf: (name) => samples[name] ?? [] };
}

/** Texts, numbers and lists of them; of a list of objects the first counts. */
function leavesOf(object: JsonObject, path: string, names: readonly string[]): Leaf[] {
  return Object.entries(object).flatMap(([key, value]): Leaf[] => {
    // What microdata says beside the properties of a thing is what kind of thing it is.
    if ((key.startsWith('@') && key !== '@id') || (key === 'type' && 'props' in object)) return [];
    const here = `${path}${/^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${quotedKey(key)}]`}`;
    const all = [...names, key];
    if (isObject(value)) return depthOf(all) < maxDepth ? leavesOf(value, here, all) : [];
    if (!Array.isArray(value)) return value === null ? [] : [{ path: here, names: all, isList: false }];
    const [first] = value as readonly Value[];
    if (isObject(first)) return depthOf(all) < maxDepth ? leavesOf(first, `${here}[0]`, all) : [];
    // A list of one is what microdata makes of every property.
    if (value.length === 1) return [{ path: `${here}[0]`, names: all, isList: false }];
    return value.length === 0 || Array.isArray(first) ? [] : [{ path: here, names: all, isList: true }];
  });
}

function depthOf(names: readonly string[]): number {
  return names.filter((name) => name !== 'props').length;
}

function quotedKey(key: string): string {
  return `'${key.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}

/** The shortest names that tell all apart. */
function namesOf(leaves: readonly Leaf[]): Map<string, string> {
  const named = new Map<string, string>();
  const taken = new Set<string>();
  for (const { path, names } of leaves) {
    for (let words = 1; words <= names.length; words += 1) {
      const name = fieldName(
        names
          .filter((each) => each !== 'props')
          .slice(-words)
          .join('_'),
      );
      if (name === '' || taken.has(name)) continue;
      taken.add(name);
      named.set(path, name);
      break;
    }
  }
  return named;
}

function at(object: JsonObject, { path, names }: Leaf): Value {
  let value: Value | undefined = object;
  for (const name of names) {
    if (Array.isArray(value)) value = (value as readonly Value[])[0];
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  if (path.endsWith('[0]') && Array.isArray(value)) value = (value as readonly Value[])[0];
  return value ?? null;
}

/** The currency that stands beside a price, if it is one for all. */
function currencyBeside(objects: readonly JsonObject[], { path, names }: Leaf): string | undefined {
  const codes = new Set(
    ['priceCurrency', 'currency'].flatMap((name) => {
      const beside = {
        path,
        names: [...names.slice(0, -1), name],
        isList: false,
      };
      return objects.map((object) => at(object, beside));
    }),
  );
  codes.delete(null);
  const [code] = codes;
  return codes.size === 1 && typeof code === 'string' && /^[A-Z]{3}$/.test(code) ? code : undefined;
}
