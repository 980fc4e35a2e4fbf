import { defined } from '../defined.ts';
import type { Posts } from '../definition/publish.ts';
import type { Source } from '../definition/source.ts';
import { matchUrl } from '../definition/url-pattern.ts';
import type { Event } from '../event/catalogue.ts';
import type { Link } from '../publish/sink.ts';
import { isMapping } from '../schema/mapping.ts';
import type { Part } from './gathering.ts';

/** What a body of posts is made of besides the events. */
export interface PostsOf {
  readonly source: Source;
  readonly posts: Posts;
  /** The address of the target. */
  readonly url: string;
  /** Which part of what was found it is, and how many events of it the log no longer had. */
  readonly part: Pick<Part, 'part' | 'parts'> & { readonly missing?: number };
  readonly link: Link | undefined;
  /** The page that a record's item leads to. */
  pageOf(type: string, key: string): string | undefined;
}

/** The name of an account that a site does not tell. */
const unknownUser = 'Unknown user';

/** Whether sinks are told of the records of a type. A source that publishes posts tells of the type of the posts alone, any other source of all types. */
export function isTold({ publish, records }: Pick<Source, 'publish' | 'records'>, type: string): boolean {
  if (publish === undefined) return true;
  const record = publish.posts.record ?? Object.keys(records)[0];
  return record === undefined || record === type;
}

/** The body of posts: where they are from, the posts in the order of the events, and the metadata of the link. */
export function postsBody(events: readonly Event[], of: PostsOf) {
  const { posts, source, url, link } = of;
  const { missing, ...part } = of.part;
  const params = source.url === undefined ? undefined : matchUrl(source.url, url);
  const id = (posts.id === undefined ? undefined : params?.[posts.id]) ?? url;
  return {
    provider: { type: posts.type, id, ephemeral: posts.ephemeral, official: link?.official ?? false },
    posts: events.map((event) => postOf(event, of)),
    metadata: link?.metadata ?? null,
    // A scrape that found no more than one part is told as it always was.
    ...(part.part > 1 || part.parts !== 1 ? part : {}),
    ...defined({ missing }),
  };
}

function postOf({ data }: Event, { posts, pageOf }: PostsOf) {
  const fields = 'fields' in data && isMapping(data.fields) ? data.fields : {};
  const { type, key } = 'key' in data && 'type' in data ? data : { type: '', key: '' };
  const valueOf = (name: string | undefined): unknown => {
    const change = name === undefined ? undefined : fields[name];
    return isMapping(change) ? change['new'] : undefined;
  };
  const metadata = valueOf(posts.metadata) ?? undefined;
  return {
    account: {
      name: textOf(valueOf(posts.account?.name)) ?? unknownUser,
      avatar_url: textOf(valueOf(posts.account?.avatar)) ?? null,
    },
    unique_identifier: key,
    images: imagesOf(valueOf(posts.images)),
    body: textOf(valueOf(posts.body)) ?? null,
    url: textOf(valueOf(posts.url)) ?? pageOf(type, key) ?? null,
    post_date: naiveDate(valueOf(posts.date)),
    ...(metadata !== undefined && { metadata }),
  };
}

function imagesOf(value: unknown) {
  const list: readonly unknown[] = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  return list.flatMap((each) => {
    const given = isMapping(each) ? each : { media_url: each };
    const address = textOf(given['media_url']) ?? textOf(given['url']);
    if (address === undefined) return [];
    const { metadata } = given;
    return [
      {
        type: textOf(given['type']) ?? (isVideo(address) ? 'Video' : 'Image'),
        media_url: address,
        reference_url: textOf(given['reference_url']) ?? null,
        unique_identifier: textOf(given['unique_identifier']) ?? textOf(given['id']) ?? address,
        ...(metadata !== undefined && metadata !== null && { metadata }),
      },
    ];
  });
}

function isVideo(address: string): boolean {
  return /\.(?:mp4|m4v|mov|webm|mkv|m3u8)$/i.test(URL.parse(address)?.pathname ?? '');
}

/** An instant in UTC without its zone, to the second; null for none. */
function naiveDate(value: unknown): string | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : new Date(at).toISOString().slice(0, 19);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
