import type { Event } from '../event/catalogue.ts';
import type { Escape } from '../expression/template.ts';
import { isMapping } from '../schema/mapping.ts';
import { escapes } from './escape.ts';
import { templateValues } from './values.ts';
import { changedText } from '../view/changed-text.ts';
import { cutText, writtenValue } from './text.ts';
import type { Message, SinkPorts } from './sink.ts';

/** Bounds of a Discord message, in characters and pieces, by its manual. */
const most = {
  content: 2_000,
  embeds: 10,
  title: 256,
  description: 4_096,
  fields: 25,
  name: 256,
  value: 1_024,
  all: 6_000,
};

/** What Discord shows of one thing. */
export interface Embed {
  readonly title?: string;
  readonly url?: string;
  readonly description?: string;
  readonly timestamp?: string;
  readonly author?: { readonly name: string };
  readonly fields?: readonly { readonly name: string; readonly value: string; readonly inline: boolean }[];
  readonly image?: { readonly url: string };
  readonly footer?: { readonly text: string };
}

/** The body of a Discord webhook. */
export interface DiscordPayload {
  readonly content?: string;
  readonly embeds?: readonly Embed[];
  /** Nobody is called by a text of a site. */
  readonly allowed_mentions: { readonly parse: readonly [] };
}

/** Whether an address is that of a webhook of Discord. */
export function isDiscordUrl(address: string): boolean {
  const url = URL.parse(address);
  return (
    url !== null &&
    /^(?:(?:canary|ptb)\.)?discord(?:app)?\.com$/.test(url.hostname) &&
    /^\/api\/(?:v\d+\/)?webhooks\//.test(url.pathname)
  );
}

/** A message as Discord shows it: an embed for each event or post, cut to Discord's bounds; what is left out is counted. */
export function discordPayload(message: Message, ports: Pick<SinkPorts, 'record'>): DiscordPayload {
  const embeds = embedsOf(message, ports, escapes.discord);
  const shown: Embed[] = [];
  let left = most.all;
  for (const embed of embeds.slice(0, most.embeds)) {
    left -= lengthOf(embed);
    if (left < 0) break;
    shown.push(embed);
  }
  const more = embeds.length - shown.length;
  const content = more > 0 ? { content: `and ${more} more` } : {};
  return { ...content, embeds: shown, allowed_mentions: { parse: [] } };
}

/** A message of a text alone. */
export function discordText(text: string): DiscordPayload {
  return { content: cutText(text, most.content), allowed_mentions: { parse: [] } };
}

/**
 * What a message tells, as the embeds of Discord have it: one for each event, record or post, or several of a post with images. The texts
 * in which Discord knows markup are escaped.
 */
export function embedsOf(message: Message, ports: Pick<SinkPorts, 'record'>, escape: Escape = escapes.none): Embed[] {
  const { body, event } = message;
  if (event !== undefined) return [embed(eventParts(event, message, ports), escape)];
  if (!isMapping(body)) return [];
  const { posts, records, events, provider } = body;
  if (Array.isArray(posts))
    return posts
      .filter(isMapping)
      .flatMap((post) => postParts(post, provider))
      .map((parts) => embed(parts, escape));
  const several = [records, events].find(Array.isArray) ?? [];
  return several.filter(isMapping).map((each) => embed(recordParts(each, message.at), escape));
}

function eventParts(event: Event, message: Message, ports: Pick<SinkPorts, 'record'>): Given {
  const values = templateValues(message, ports);
  const changes = 'fields' in event.data && isMapping(event.data.fields) ? event.data.fields : {};
  return {
    title: `${titleOf(values)}: ${event.type}`,
    url: values['url'],
    at: message.at,
    footer: event.source ?? event.projects?.join(', '),
    fields: Object.entries(changes).map(([name, change]) => [name, changeText(change)]),
  };
}

function recordParts(record: Readonly<Record<string, unknown>>, at: number): Given {
  const { url, source, data } = record;
  const told = isMapping(data) ? data : record;
  const fields = isMapping(told['fields']) ? told['fields'] : {};
  return {
    title: titleOf({ ...fields, ...told }),
    url,
    at: typeof record['at'] === 'number' ? record['at'] : at,
    footer: source,
    fields: Object.entries(fields).map(([name, value]) => [name, changeText(value)]),
  };
}

function postParts(post: Readonly<Record<string, unknown>>, provider: unknown): Given[] {
  const { account, body, url, post_date: date, images } = post;
  const [first, ...others] = Array.isArray(images) ? images.filter(isMapping) : [];
  const name = isMapping(account) ? account['name'] : undefined;
  const main = {
    description: body,
    url,
    at: typeof date === 'string' ? Date.parse(`${date}Z`) : undefined,
    author: name,
    footer: isMapping(provider) ? provider['type'] : undefined,
    image: first?.['media_url'],
    fields: [],
  };
  return [main, ...others.map((image) => ({ url, image: image['media_url'], fields: [] }))];
}

/** The parts of an embed as a message has them: whatever a site gave. */
interface Given {
  readonly title?: unknown;
  readonly description?: unknown;
  readonly url?: unknown;
  readonly at?: number | undefined;
  readonly author?: unknown;
  readonly footer?: unknown;
  readonly image?: unknown;
  readonly fields: readonly (readonly [string, string])[];
}

function embed({ title, description, url, at, author, footer, image, fields }: Given, escape: Escape): Embed {
  return {
    ...(isText(title) && { title: cutText(escape(title), most.title) }),
    ...(isText(description) && { description: cutText(escape(description), most.description) }),
    ...(isAddress(url) && { url }),
    ...(at !== undefined && !Number.isNaN(at) && { timestamp: new Date(at).toISOString() }),
    ...(isText(author) && { author: { name: cutText(author, most.name) } }),
    ...(isText(footer) && { footer: { text: cutText(footer, most.name) } }),
    ...(isAddress(image) && { image: { url: image } }),
    ...(fields.length > 0 && {
      fields: fields.slice(0, most.fields).map(([name, value]) => ({
        name: cutText(escape(name), most.name),
        value: cutText(value === '' ? '–' : escape(value), most.value),
        inline: value.length < 40,
      })),
    }),
  };
}

/** The title of a record: its title or name, else its key. */
function titleOf(values: Readonly<Record<string, unknown>>): string {
  const named = [values['title'], values['name'], values['key'], values['type'], values['event']].map((value) =>
    isMapping(value) && 'new' in value ? value['new'] : value,
  );
  return named.find(isText) ?? 'event';
}

function changeText(change: unknown): string {
  if (!isMapping(change) || !('new' in change)) return writtenValue(change);
  if (!('old' in change)) return writtenValue(change['new']);
  return changedText(change['old'], change['new']) ?? `${writtenValue(change['old'])} → ${writtenValue(change['new'])}`;
}

function lengthOf({ title = '', description = '', author, footer, fields = [] }: Embed): number {
  const texts = [
    title,
    description,
    author?.name ?? '',
    footer?.text ?? '',
    ...fields.map(({ name, value }) => name + value),
  ];
  return texts.reduce((sum, text) => sum + text.length, 0);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isAddress(value: unknown): value is string {
  return isText(value) && /^https?:\/\//.test(value) && value.length <= 2_048 && URL.canParse(value);
}
