import type { IncomingMessage } from 'node:http';
import { readText } from './body.ts';
import { queryParams } from './params.ts';
import { Refusal } from './problem.ts';
import type { Route } from './routes.ts';

/** The most bytes of a form. */
const formBytes = 1_048_576;

/**
 * Reads the body of a form of the dashboard. Rejects with a `Refusal` where it is none.
 *
 * @param mostBytes - the longest body that is read. Default: 1 MiB.
 */
export async function readForm(request: IncomingMessage, mostBytes = formBytes): Promise<URLSearchParams> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded *(?:;|$)/i.test(type))
    throw new Refusal('not_a_form', 'content-type: expected application/x-www-form-urlencoded');
  return new URLSearchParams(await readText(request, mostBytes));
}

/**
 * Reads the parameters of a method from the fields of a form, as from a query. Fields left empty are left out, and so are those whose
 * names begin with a dot, which say where to go. `targets.url` is the member `url` of the one object in the list `targets`.
 */
export function formParams(route: Route, form: URLSearchParams): Record<string, unknown> {
  const flat = new URLSearchParams();
  const lists = new Map<string, Map<string, string>>();
  for (const [name, text] of form) {
    if (name.startsWith('.') || text.trim() === '') continue;
    const [list = '', member] = name.split('.', 2);
    // Forms end lines as files of another system do.
    if (member === undefined) flat.append(name, text.replaceAll('\r\n', '\n'));
    else lists.set(list, (lists.get(list) ?? new Map<string, string>()).set(member, text.trim()));
  }
  const { key: _key, ...free } = route;
  const members = Array.from(lists, ([name, item]) => [name, [Object.fromEntries(item)]]);
  return { ...queryParams(free, flat), ...Object.fromEntries(members) };
}
