import * as z from 'zod';

const text = z.string().nullable().exactOptional();
const texts = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String))
  .nullable()
  .exactOptional();
const unread = z.unknown().exactOptional();

/** A job of urlwatch, of any kind. */
export const Job = z.looseObject({
  kind: text,
  url: text,
  navigate: text,
  command: text,
  name: z.union([z.string(), z.number()]).transform(String).nullable().exactOptional(),
  tags: z
    .union([z.string().transform((tag) => [tag]), z.array(z.string())])
    .nullable()
    .exactOptional(),
  enabled: z.boolean().nullable().exactOptional(),
  user_visible_url: text,
  filter: unread,
  headers: texts,
  cookies: texts,
  method: text,
  data: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .nullable()
    .exactOptional(),
  http_proxy: text,
  https_proxy: text,
  timeout: z.number().nullable().exactOptional(),
  encoding: text,
  useragent: text,
  wait_for: text,
});
export type Job = z.infer<typeof Job>;

/** Keys of a job that have no counterpart, and why. */
export const lostKeys: Readonly<Record<string, string>> = {
  diff_tool: 'differences are shown by `heronry diff` and by {diff.text} in sinks: no program is run',
  diff_filter: 'a difference is not filtered: the text is, before it is compared',
  max_tries: 'a failed request is tried again by `retry` in the definition, and three failed scrapes open a ticket',
  compared_versions: 'a text is compared with the last one',
  treat_new_as_changed: 'a page that is new is told as record.added',
  ssl_no_verify: 'a certificate that is not to be trusted fails the scrape',
  wait_until: 'a page is read once it has made no request for half a second',
  browser: 'the Chromium of this machine renders it',
  stderr: 'it belongs to programs',
  user_visible_url: 'a page is shown by the address that is asked for',
};

/** Keys of a job that say what happens by itself, so that nothing is lost with them. */
export const idleKeys: ReadonlySet<string> = new Set([
  'ignore_cached',
  'ignore_connection_errors',
  'ignore_http_error_codes',
  'ignore_timeout_errors',
  'ignore_too_many_redirects',
  'ignore_incomplete_reads',
]);
