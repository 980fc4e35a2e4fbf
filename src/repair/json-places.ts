import { isList, type Value } from '../extract/value/value.ts';
import { spend } from '../work-budget.ts';
import type { CandidatePlace } from './element-places.ts';

/** A value within JSON, and the way to it. */
export interface JsonPlace {
  readonly value: Value;
  readonly path: readonly (string | number)[];
}

/** The most values of one JSON text that are looked at, and how deep. */
const [mostValues, mostDeep] = [20_000, 12];

/** All values within a value, itself first. */
export function* valuesWithin(root: Value): Generator<JsonPlace> {
  const open: JsonPlace[] = [{ value: root, path: [] }];
  for (let count = 0; count < mostValues; count += 1) {
    const next = open.pop();
    if (next === undefined) return;
    spend(20);
    yield next;
    const { value, path } = next;
    if (typeof value !== 'object' || value === null || path.length >= mostDeep) continue;
    const inner: JsonPlace[] = isList(value)
      ? value.map((each, at) => ({ value: each, path: [...path, at] }))
      : Object.entries(value).map(([name, each]) => ({ value: each, path: [...path, name] }));
    open.push(...inner.reverse());
  }
}

/** A way as a JSON path; `*` stands for every element of a list. */
export function jsonPathText(path: readonly (string | number)[]): string {
  return `$${path
    .map((part) => {
      if (part === '*') return '[*]';
      if (typeof part === 'number') return `[${part}]`;
      return /^[A-Za-z_]\w*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
    })
    .join('')}`;
}

/** The place of a value within JSON as a rule names it. One of a list of typed things is named by its type. */
export function jsonCandidate(
  { path }: JsonPlace,
  {
    base,
    within,
    things,
  }: { readonly base: number; readonly within?: CandidatePlace['to']['in']; readonly things?: Value },
): CandidatePlace[] {
  const counted = path.filter((part) => typeof part === 'number').length;
  const cost = base + 0.15 * path.length + counted;
  const to = (json: string) => ({ json, ...(within !== undefined && { in: within }) });
  const plain = { to: to(jsonPathText(path)), cost };
  const [first, ...rest] = path;
  const thing = typeof first === 'number' && things !== undefined && isList(things) ? things[first] : undefined;
  const name = typeName(thing);
  if (name === undefined) return [plain];
  const json = `$[?@[${JSON.stringify(name.key)}] == ${JSON.stringify(name.type)}]${jsonPathText(rest).slice(1)}`;
  return [{ to: to(json), cost: cost - 1 }, plain];
}

function typeName(thing: Value | undefined): { readonly key: string; readonly type: string } | undefined {
  if (typeof thing !== 'object' || thing === null || isList(thing)) return undefined;
  for (const key of ['@type', 'type']) {
    const type = thing[key];
    if (typeof type === 'string') return { key, type };
  }
  return undefined;
}
