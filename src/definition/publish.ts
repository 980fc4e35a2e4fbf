import * as z from 'zod';
import { expected } from '../schema/expected.ts';
import type { Issue } from '../schema/expected.ts';
import { undeclared } from '../schema/near-name.ts';
import { FieldName } from '../schema/slug.ts';
import { strict } from '../schema/strict.ts';
import { endFields } from './end-rule.ts';
import type { Outline } from './outline.ts';
import { placeholdersOf } from './url-pattern.ts';

/** How records are told as posts to sinks that are told of scrapes. Each name is that of a field of the record. */
const Posts = strict({
  /** What kind of place the posts are from, such as `twitter.timeline`. */
  type: z.string().regex(/^[a-z0-9_-]{1,40}(?:\.[a-z0-9_-]{1,40}){0,4}$/, expected('a type like "twitter.timeline"')),
  /** The record that a post is. Default: the only one. */
  record: FieldName.exactOptional(),
  /** The parameter of the target's address that is the id of the place. Default: the whole address. */
  id: FieldName.exactOptional(),
  /** Whether the addresses of media expire. */
  ephemeral: z.boolean().default(false),
  account: strict({ name: FieldName.exactOptional(), avatar: FieldName.exactOptional() }).exactOptional(),
  body: FieldName.exactOptional(),
  /** Default: the page that the item leads to. */
  url: FieldName.exactOptional(),
  date: FieldName.exactOptional(),
  /** A field of addresses, or of objects with `media_url` and perhaps `type`, `reference_url`, `unique_identifier` and `metadata`. */
  images: FieldName.exactOptional(),
  /** Told as it is; left out where the field has no value. */
  metadata: FieldName.exactOptional(),
});
export type Posts = z.infer<typeof Posts>;

/** How the records of a source are published. Has no effect on how the source is read. */
export const Publish = strict({ posts: Posts });

/** Yields the names of records, fields and parameters in `publish` that are not declared. */
export function* publishIssues(outline: Outline, publish: unknown): Generator<Issue> {
  const { data } = Publish.safeParse(publish);
  if (data === undefined) return;
  const { posts } = data;
  const path = ['publish', 'posts'];
  const known = placeholdersOf(outline.url ?? '');
  if (posts.id !== undefined && !known.includes(posts.id))
    yield { path: [...path, 'id'], message: `expected a parameter of "url" (${known.join(', ')}), got "${posts.id}"` };
  const names = Object.keys(outline.records);
  const name = posts.record ?? (names.length > 1 ? undefined : (names[0] ?? 'item'));
  if (name === undefined) {
    yield { path, message: `expected "record", as there are several (${names.join(', ')})` };
    return;
  }
  const fields = endFields(outline, name);
  if (fields === undefined) {
    yield { path: [...path, 'record'], message: undeclared('record', name, names) };
    return;
  }
  const { account = {}, body, url, date, images, metadata } = posts;
  const given = { body, url, date, images, metadata };
  const named = [
    ...Object.entries(given).map(([key, field]) => [[key], field] as const),
    ...Object.entries(account).map(([key, field]) => [['account', key], field] as const),
  ];
  for (const [at, field] of named)
    if (field !== undefined && !Object.hasOwn(fields, field))
      yield { path: [...path, ...at], message: undeclared('field', field, Object.keys(fields)) };
}
