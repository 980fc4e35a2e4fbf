import { Document } from 'yaml';
import { Sink } from '../definition/sink.ts';
import { isSecretName } from '../schema/secret-name.ts';
import type { Book } from './book.ts';
import type { ImportedFile } from './imported.ts';
import { reachOf } from '../definition/private-address.ts';
import { decoded } from '../schema/decoded.ts';
import { hasTemplate } from './request.ts';
import { yamlText } from './source-file.ts';

/** What is told of a change in chats and by text. */
const line = '{project} has changed: {url}\n{diff.text}';

/** The kind of a sink by its key, with what it says. */
type SinkKey = Readonly<Record<string, unknown>>;

/** The parts of an Apprise URL; texts are decoded. */
interface Parts {
  readonly schema: string;
  readonly user: string;
  readonly password: string;
  /** With its port. */
  readonly host: string;
  /** The parts of the path that are not empty. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly rest: string;
}

/** The sinks of a tool by the Apprise URLs that they come from. */
export class Sinks {
  readonly #book: Book;
  readonly #known = new Map<string, string | undefined>();
  readonly files: ImportedFile[] = [];

  constructor(book: Book) {
    this.#book = book;
  }

  /**
   * Returns the id of the sink for an Apprise URL; undefined, with a note at the first time, where no sink of Heronry is of its kind.
   *
   * @param what - `rules` for a sink that is told of rules that are met, and of no change.
   */
  of(url: string, what: 'changes' | 'rules'): string | undefined {
    const name = `${what} ${url}`;
    if (!this.#known.has(name)) this.#known.set(name, this.#make(url, what));
    return this.#known.get(name);
  }

  #make(url: string, what: 'changes' | 'rules'): string | undefined {
    const parts = partsOf(url);
    const schema = parts?.schema ?? '';
    const leave = (why: string): undefined =>
      this.#book.leave(
        'all',
        `a notification by ${/^[a-z][a-z0-9+.-]{0,30}$/.test(schema) ? `${schema}://` : 'an address that is none'}`,
        why,
      );
    if (parts === undefined) return leave('it is no address of Apprise');
    if (hasTemplate(url)) return leave('its address is a template');
    const id = this.#book.id(what === 'rules' ? `${schema}-rules` : schema);
    const made = services[schema]?.(parts, (value, wish = 'url') => this.#book.secret(`${schema}-${wish}`, value));
    if (made === undefined)
      return leave('no sink of Heronry is of this kind, or its address lacks a part: docs/sinks.md says what there is');
    const sink = { id, ...made, events: [what === 'rules' ? 'rule.met' : 'record.changed'] };
    if (!Sink.safeParse(sink).success) return leave('its sink would not be valid');
    const document = new Document(sink);
    document.commentBefore = ` Imported; \`heronry sink test ${id}\` sends a sample.`;
    this.files.push({ path: `sinks/${id}.yaml`, text: yamlText(document) });
    return id;
  }
}

function partsOf(given: string): Parts | undefined {
  const [, schema = '', rest = ''] = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\/(.*)$/s.exec(given.trim()) ?? [];
  if (schema === '' || /\s/.test(rest)) return undefined;
  // Hosts of Apprise are tokens as well, whose case an address would lose.
  const [, userInfo, host = '', path = '', query = ''] =
    /^(?:([^@/?]*)@)?([^/?]*)([^?]*)(?:\?(.*))?$/s.exec(rest) ?? [];
  const [user = '', password = ''] = (userInfo ?? '').split(/:(.*)/s);
  return {
    schema: schema.toLowerCase(),
    user: decoded(user),
    password: decoded(password),
    host: decoded(host),
    path: path.split('/').filter(Boolean).map(decoded),
    query: new URLSearchParams(query),
    rest,
  };
}

type Service = (
  parts: Parts,
  secret: (value: string, wish?: string) => { readonly secret: string },
) => SinkKey | undefined;

/** A webhook whose address is a secret as a whole. */
function secretly(url: string, body: unknown, secret: Parameters<Service>[1]): SinkKey {
  return { webhook: { url: secret(url), ...privately(url), body } };
}

function privately(url: string): { readonly allowPrivate?: true } {
  return URL.canParse(url) && reachOf(url).allowPrivate !== undefined ? { allowPrivate: true } : {};
}

/** Whether a part of a path looks like a token: 16 letters and digits in a row, or as many with a digit among them, as in a UUID. */
function isToken(part: string): boolean {
  return /[A-Za-z0-9]{16}/.test(part) || /^(?=.*\d)[\w-]{16,}$/.test(part);
}

/** Posts to any address; one with credentials, or with what looks like a token, is a secret as a whole. */
function anyAddress(protocol: 'http' | 'https', body: unknown): Service {
  return ({ rest, query, user, path }, secret) => {
    const url = `${protocol}://${rest}`;
    if (!URL.canParse(url)) return undefined;
    const hasSecretName = Array.from(query.keys()).some((name) => isSecretName(name.replace(/^[+-]/, '')));
    const isSecret = user !== '' || hasSecretName || path.some(isToken);
    return { webhook: { url: isSecret ? secret(url) : url, ...privately(url), ...(body !== undefined && { body }) } };
  };
}

const discord: Service = ({ host, path: [token] }, secret) =>
  host === '' || token === undefined
    ? undefined
    : { discord: { url: secret(`https://discord.com/api/webhooks/${host}/${token}`) } };

const slack: Service = ({ host, path }, secret) =>
  /^T\w+$/.test(host) && path.length >= 2
    ? secretly(`https://hooks.slack.com/services/${host}/${path[0]}/${path[1]}`, { text: line }, secret)
    : undefined;

function mattermost(protocol: 'http' | 'https'): Service {
  return ({ host, path }, secret) => {
    const token = path.at(-1);
    const before = path
      .slice(0, -1)
      .map((part) => `/${part}`)
      .join('');
    return host === '' || token === undefined
      ? undefined
      : secretly(`${protocol}://${host}${before}/hooks/${token}`, { text: line }, secret);
  };
}

function ntfy(protocol: 'http' | 'https'): Service {
  return ({ host, path: [topic], user }, secret) => {
    if (host === '' || user !== '') return undefined;
    const url = topic === undefined ? `https://ntfy.sh/${host}` : `${protocol}://${host}/${topic}`;
    return secretly(url, line, secret);
  };
}

function gotify(protocol: 'http' | 'https'): Service {
  return ({ host, path }, secret) => {
    const token = path.at(-1);
    if (host === '' || token === undefined) return undefined;
    const url = `${protocol}://${[host, ...path.slice(0, -1)].join('/')}/message`;
    const headers = { 'x-gotify-key': secret(token, 'token') };
    return { webhook: { url, ...privately(url), headers, body: { title: '{project}', message: line } } };
  };
}

const telegram: Service = ({ rest }, secret) => {
  const [, token, chat] = /^(\d+:[A-Za-z0-9_-]+)\/(-?\d+|@?\w+)/.exec(decoded(rest)) ?? [];
  return token === undefined || chat === undefined
    ? undefined
    : secretly(`https://api.telegram.org/bot${token}/sendMessage`, { chat_id: chat, text: line }, secret);
};

function mail(protocol: 'smtp' | 'smtps'): Service {
  return ({ user, password: ownPassword, host, query, path }, secret) => {
    const domain = host.replace(/:\d+$/, '');
    const name = query.get('user') ?? user;
    const password = query.get('pass') ?? ownPassword;
    const own = name.includes('@') ? name : `${name}@${domain}`;
    const to = [query.get('to') ?? '', ...path]
      .join(',')
      .split(/[\s,;]+/)
      .filter(Boolean);
    const server = query.get('smtp') ?? (/^(?:gmail|googlemail)\./.test(domain) ? 'smtp.gmail.com' : host);
    const port = protocol === 'smtps' && query.get('mode') !== 'ssl' ? ':587' : '';
    const scheme = port === '' ? protocol : 'smtp';
    if (domain === '' || name === '') return undefined;
    const sender = query.get('from') ?? own;
    const isServerOfOwn = server === host && /:\d+$/.test(host);
    return {
      email: {
        url: `${scheme}://${encodeURIComponent(query.get('smtp') === null ? name : own)}@${server}${isServerOfOwn ? '' : port}`,
        ...(password !== '' && { password: secret(password, 'password').secret }),
        from: sender.includes('@') ? sender : `${sender} <${own}>`,
        to: to.length === 0 ? [own] : to,
      },
    };
  };
}

/** What is a sink of Heronry, by the schema of its Apprise URL. */
const services: Readonly<Record<string, Service>> = {
  discord,
  slack,
  tgram: telegram,
  mmost: mattermost('http'),
  mmosts: mattermost('https'),
  ntfy: ntfy('http'),
  ntfys: ntfy('https'),
  gotify: gotify('http'),
  gotifys: gotify('https'),
  mailto: mail('smtp'),
  mailtos: mail('smtps'),
  json: anyAddress('http', undefined),
  jsons: anyAddress('https', undefined),
  post: anyAddress('http', line),
  posts: anyAddress('https', line),
  // The addresses that Discord and Slack show.
  https: ({ host, path, rest }, secret) => {
    if (/^(?:discord|discordapp)\.com$/.test(host) && path[1] === 'webhooks')
      return { discord: { url: secret(`https://${rest}`) } };
    return host === 'hooks.slack.com' ? secretly(`https://${rest}`, { text: line }, secret) : undefined;
  },
};
