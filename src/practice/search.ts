import type { IncomingMessage, ServerResponse } from 'node:http';
import { fieldsOf, sendHtml } from './respond.ts';
import { escaped, sayingBlock, sayings } from './sayings.ts';

/** What a page remembers of itself, as text that only its server understands. */
function stateOf(author = ''): string {
  return Buffer.from(`state of ${author}`).toString('base64');
}

/** A page on which an author is chosen, then one of the author's tags, then what is found is shown. */
export function searchPage(author?: string, tag?: string): string {
  const own = sayings.filter((each) => each.author === author);
  const option = (value: string, chosen?: string): string =>
    `<option${value === chosen ? ' selected' : ''}>${escaped(value)}</option>`;
  const authors = [...new Set(sayings.map((each) => each.author))].map((each) => option(each, author));
  const tags = [...new Set(own.flatMap((each) => each.tags))].map((each) => option(each, tag));
  const found = own.filter((each) => tag !== undefined && each.tags.includes(tag));
  return `<form id="find" method="post" action="/filter">
  <input type="hidden" name="__VIEWSTATE" value="${stateOf(author)}">
  <label>Author <select name="author"><option value="">…</option>${authors.join('')}</select></label>
  <label>Tag <select name="tag"><option value="">…</option>${tags.join('')}</select></label>
  <input type="submit" name="go" value="Search"></form>
  <div class="results">${found.map(sayingBlock).join('')}</div>`;
}

/** Answers the form: its page must send what it remembers of itself. */
export async function filter(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const fields = await fieldsOf(request);
  const [author, tag] = [fields.get('author') ?? '', fields.get('tag') ?? ''];
  // A tag can be chosen only on the page that offers it.
  const isFirst = tag === '';
  if (fields.get('__VIEWSTATE') !== stateOf(isFirst ? '' : author)) return void response.writeHead(403).end('stale');
  if (!isFirst && fields.get('go') !== 'Search') return void response.writeHead(403).end('not sent by the button');
  sendHtml(response, searchPage(author, isFirst ? undefined : tag));
}
