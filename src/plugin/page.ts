import { decodeBody } from '../extract/charset.ts';
import type { Fetched, ReadPage } from '../provider/define.ts';
import type { PageInput } from './protocol.ts';

/** A page as `read` gets it; the text is decoded when it is first asked for. */
export function openPage({ url, status, headers, body }: PageInput): ReadPage {
  let text: string | undefined;
  const decoded = (): string => (text ??= decodeBody(new Uint8Array(body), headers['content-type']));
  return Object.freeze({
    url,
    status,
    headers: Object.freeze({ ...headers }),
    get text() {
      return decoded();
    },
    json: (): unknown => JSON.parse(decoded()),
  });
}

/** A response as `context.fetch` gives it. */
export function openFetched(page: PageInput): Fetched {
  const read = openPage(page);
  return Object.freeze({
    url: page.url,
    status: page.status,
    headers: read.headers,
    text: () => read.text,
    json: () => read.json(),
    bytes: () => new Uint8Array(page.body),
  });
}
