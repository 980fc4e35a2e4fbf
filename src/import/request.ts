import { HeaderName, HeaderValue } from '../schema/header.ts';
import { isSecretName } from '../schema/secret-name.ts';
import { HttpUrl } from '../definition/url-pattern.ts';
import type { Book } from './book.ts';
import { reachOf } from '../definition/private-address.ts';
import { decoded } from '../schema/decoded.ts';

/** How another tool asks for a page. */
export interface ForeignRequest {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as a text, or its fields. */
  readonly body?: string | Readonly<Record<string, unknown>> | undefined;
  readonly cookies?: Readonly<Record<string, unknown>>;
}

/** The keys of a definition that say how its page is asked for. */
export type RequestKeys = Readonly<Record<string, unknown>>;

/** Jinja marks, which changedetection.io fills in before it asks. */
export const hasTemplate = (text: string): boolean => /\{\{|\{%/.test(text);

/** Translates a request; undefined, with a note of why, where the page cannot be asked for. */
export function requestKeys(book: Book, watch: string, id: string, given: ForeignRequest): RequestKeys | undefined {
  const refuse = (what: string, why: string): undefined => book.leave(watch, what, why);
  const address = URL.parse(given.url);
  if (hasTemplate(given.url)) return refuse('the watch', 'its address is a template');
  if (address === null || !/^https?:$/.test(address.protocol))
    return refuse('the watch', `its address is none of http or https`);
  /** The ways to log in, each made once it is the one that is taken. */
  const auth: (() => object)[] = [];
  if (address.username !== '' || address.password !== '') {
    const [user, password] = [decoded(address.username), decoded(address.password)];
    auth.push(() => basicAuth(book, id, user, password));
    address.username = '';
    address.password = '';
  }
  // Braces stand for parameters in a definition.
  const url = address.href.replaceAll(/[{}]/g, encodeURIComponent);
  if (!HttpUrl.safeParse(url).success) return refuse('the watch', 'its address is too long');
  const secretive = Array.from(address.searchParams.keys()).find(isSecretName);
  if (secretive !== undefined)
    book.leave(
      watch,
      `the parameter "${secretive}" of its address`,
      'it looks like a secret, and stands in the definition as it is: who may read that?',
    );

  const method = (given.method ?? 'GET').toUpperCase();
  if (method !== 'GET' && method !== 'POST')
    return refuse('the watch', `its method is ${method.slice(0, 20)}: only GET and POST are there`);
  const body: BodyKeys | undefined = method === 'POST' ? bodyKeys(given) : {};
  if (body === undefined) return refuse('the watch', 'its body is neither JSON nor the fields of a form');
  if (method === 'GET' && given.body !== undefined && given.body !== '')
    book.leave(watch, 'its body', 'a GET has none');
  const secretField = secretIn(body.fields ?? body.json);
  if (secretField !== undefined)
    return refuse(
      'the watch',
      `the field "${shownName(secretField)}" of its body looks like a secret: log in by \`auth\` in a definition of your own`,
    );

  const { headers, userAgent } = headerKeys(book, watch, id, given, auth);
  const [first, ...others] = auth;
  if (others.length > 0) book.leave(watch, 'further credentials', 'a source logs in by one of them');
  const request = {
    ...(method === 'POST' && { method }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...body,
  };
  const reach = reachOf(url);
  if (reach.allowPrivate === true)
    book.leave(
      watch,
      'that no private address is asked',
      'its address looks private: its definition says `allowPrivate: true`',
    );
  return {
    url,
    ...reach,
    ...(userAgent !== undefined && { userAgent }),
    ...(Object.keys(request).length > 0 && { request }),
    ...(first !== undefined && { auth: first() }),
  };
}

function basicAuth(book: Book, id: string, user: string, password: string): object {
  return { type: 'basic', user, password: book.secret(`${id}-password`, password) };
}

/** The body of a POST, as a definition has it. */
interface BodyKeys {
  readonly fields?: object;
  readonly json?: unknown;
}

function bodyKeys({ body, headers = {} }: ForeignRequest): BodyKeys | undefined {
  if (body === undefined || body === '') return {};
  const isForm = (fields: Iterable<readonly [string, unknown]>) => ({
    fields: Object.fromEntries(Array.from(fields, ([name, value]) => [name, textOf(value)])),
  });
  if (typeof body !== 'string') return isForm(Object.entries(body));
  if (hasTemplate(body)) return undefined;
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  try {
    return { json: JSON.parse(body) as unknown };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return /json|xml|multipart/i.test(type) || !/^[^=&\s]+=[^\s]*$/.test(body.trim())
      ? undefined
      : isForm(new URLSearchParams(body.trim()));
  }
}

/** The first name in a body, however deep, that is called like a secret; undefined where there is none. */
function secretIn(body: unknown): string | undefined {
  const waiting: unknown[] = [body];
  for (const value of waiting) {
    if (typeof value !== 'object' || value === null) continue;
    const found = Array.isArray(value) ? undefined : Object.keys(value).find(isSecretName);
    if (found !== undefined) return found;
    for (const each of Object.values(value)) waiting.push(each);
  }
  return undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Headers that `request.fields` and `request.json` set themselves. */
const ofBody: ReadonlySet<string> = new Set(['content-type', 'content-length']);

function headerKeys(
  book: Book,
  watch: string,
  id: string,
  { headers: given = {}, cookies = {} }: ForeignRequest,
  auth: (() => object)[],
): { readonly headers: Readonly<Record<string, string>>; readonly userAgent?: string } {
  const headers: Record<string, string> = {};
  let userAgent: string | undefined;
  const hasCookie = Object.keys(cookies).length > 0;
  for (const [name, value] of [...Object.entries(given), ...(hasCookie ? [['cookie', ''] as const] : [])]) {
    const lower = name.toLowerCase();
    if (hasTemplate(value)) book.leave(watch, `the header ${shownName(name)}`, 'its value is a template');
    else if (lower === 'user-agent' && /^[A-Za-z_-]/.test(value) && HeaderValue.safeParse(value).success)
      userAgent = value;
    else if (lower === 'authorization') {
      const found = authorization(book, id, value);
      if (found === undefined)
        book.leave(watch, 'the header authorization', 'it is neither Basic nor a scheme with a token');
      else auth.push(found);
    } else if (lower === 'cookie')
      book.leave(watch, 'its cookies', 'a session is kept by a log-in, which `auth` in the definition describes');
    else if (ofBody.has(lower)) continue;
    else if (isSecretName(name) && HeaderName.safeParse(name).success)
      auth.push(() => ({ type: 'bearer', header: lower, token: book.secret(`${id}-${name}`, value) }));
    else if (HeaderName.safeParse(name).success && HeaderValue.safeParse(value).success) headers[lower] = value;
    else book.leave(watch, `the header ${shownName(name)}`, 'the daemon sets it itself, or it is no line of ASCII');
  }
  return { headers, ...(userAgent !== undefined && { userAgent }) };
}

function shownName(name: string): string {
  return name.slice(0, 60);
}

function authorization(book: Book, id: string, value: string): (() => object) | undefined {
  const [, scheme = '', token = ''] = /^([A-Za-z0-9-]{1,40})\s+(\S.*)$/.exec(value.trim()) ?? [];
  if (token === '') return undefined;
  if (scheme.toLowerCase() !== 'basic')
    return () => ({ type: 'bearer', scheme, token: book.secret(`${id}-token`, token) });
  const [, user = '', password] = /^([^:]*):(.*)$/s.exec(Buffer.from(token, 'base64').toString()) ?? [];
  return password === undefined ? undefined : () => basicAuth(book, id, user, password);
}

/** Translates a proxy; undefined, with a note, for one that is no HTTP proxy. */
export function proxyKey(book: Book, watch: string, id: string, given: string): object | undefined {
  const address = URL.parse(given);
  if (address === null || !/^https?:$/.test(address.protocol)) {
    book.leave(watch, 'its proxy', 'only proxies of http and https are there');
    return undefined;
  }
  const { username, password, origin } = address;
  return {
    url: `${origin}/`,
    ...(username !== '' && { user: decoded(username) }),
    ...(password !== '' && { password: book.secret(`${id}-proxy-password`, decoded(password)) }),
  };
}
