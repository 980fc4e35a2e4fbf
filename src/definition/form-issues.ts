import type { Outline } from './outline.ts';
import type { Issue } from '../schema/expected.ts';
import { isMapping } from '../schema/mapping.ts';
import { parametersIn, placeholdersOf } from './url-pattern.ts';

/** Yields issues of a source whose pages are the answers to forms: parameters that it does not have, and keys that need addresses. */
export function* formIssues({ url = '', request, crawl, collect, feed, render }: Outline): Generator<Issue> {
  const given = request?.form;
  if (given === undefined) return;
  const path = ['request', 'form'];
  const known = placeholdersOf(url);
  for (const [index, form] of [given].flat().entries()) {
    if (!isMapping(form)) continue;
    const { page, fields } = form;
    const at = Array.isArray(given) ? [...path, index] : path;
    const texts = isMapping(fields) ? Object.entries(fields) : [];
    for (const [name, value] of texts)
      if (typeof value === 'string') yield* unknownIn(parametersIn(value), known, [...at, 'fields', name]);
    if (typeof page === 'string') yield* unknownIn(placeholdersOf(page), known, [...at, 'page']);
  }
  const answers = 'the answer to a form has no address';
  if (crawl !== undefined) yield { path, message: `expected none beside "crawl", as ${answers} that links lead to` };
  if (collect !== undefined)
    yield { path, message: `expected none beside "collect", as ${answers} in which its days could stand` };
  if (render === 'browser' || isMapping(render))
    yield { path, message: 'expected none beside "render: browser"; "render: http" submits forms' };
  if (feed === undefined) return;
  if (feed.url !== undefined || feed.size !== undefined) {
    const key = feed.url === undefined ? 'size' : 'url';
    yield { path: ['feed', key], message: `expected none beside "request.form", as ${answers}` };
  } else if (feed.by !== 'link' && feed.in !== 'form')
    yield {
      path: ['feed', 'in'],
      message: `expected form, a control of "request.form" that names the page, or "by: link", as ${answers}`,
    };
}

/** Yields an issue for each name that is no parameter of the source's address. */
export function* unknownIn(names: readonly string[], known: readonly string[], path: Issue['path']): Generator<Issue> {
  for (const name of names)
    if (!known.includes(name))
      yield { path, message: `expected only placeholders of the source's url, got "{${name}}"` };
}
