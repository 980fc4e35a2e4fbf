import * as z from 'zod';
import { expected } from '../definition/expected.ts';
import { expectation } from '../definition/problem.ts';
import { FieldName } from '../definition/slug.ts';
import { strict } from '../definition/strict.ts';
import { isHttpUrl } from '../definition/url-pattern.ts';
import { PluginFault } from './fault.ts';
import { JsonValue } from './json-value.ts';
import type { PluginDraft, PluginFunctions } from './protocol.ts';

/** What one page may give. */
export const maxDrafts = 10_000;
/** Of all drafts of a page, or of one draft of a collector, as JSON. */
export const maxDraftBytes = 32 * 1024 * 1024;

const Url = z.string().refine(isHttpUrl, expected('an absolute http or https URL'));
const Text = z.string().max(10_000);
const Cursor = z.union([z.string().min(1).max(4_096), z.number()]).optional();

const HeaderValue = z.string().regex(/^[\t\x20-\x7e]{0,8000}$/, expected('a line of plain text'));

/** Set by the connection, whatever anybody says. */
const connectionHeaders =
  /^(?:connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;
const Headers = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, expected('the name of a header'))
    .refine((name) => !connectionHeaders.test(name), expected('a header that the connection does not set itself')),
  HeaderValue,
);

/** What a plug-in asks for, from `request` and `context.fetch`. */
export const AskResult = strict({
  url: Url,
  method: z.enum(['GET', 'POST']).optional(),
  headers: Headers.optional(),
  form: z.record(z.string().min(1).max(200), Text).optional(),
  json: JsonValue.optional(),
}).refine(
  ({ method, form, json }) =>
    (form === undefined || json === undefined) && (method !== 'GET' || (form ?? json) === undefined),
  expected('at most one of form and json, and none with GET'),
);

const DraftResult = strict({
  type: FieldName,
  key: z.string().min(1).max(1_000).optional(),
  url: Url.optional(),
  fields: z.record(FieldName, JsonValue.optional()),
});

const ReadResult = strict({
  drafts: z.array(DraftResult).max(maxDrafts, {
    error: (issue) =>
      `expected at most ${maxDrafts} drafts, got ${Array.isArray(issue.input) ? issue.input.length : '?'}`,
  }),
  next: Cursor,
  finished: z.boolean().default(false),
});

const schemas = {
  resolve: z.record(FieldName, Text.min(1)).optional(),
  request: AskResult,
  read: ReadResult,
  onFailure: z.enum(['retry', 'authenticate', 'stop']).optional(),
  authenticate: strict({ headers: Headers, expiresInMs: z.number().positive().optional() }),
} satisfies { readonly [F in keyof PluginFunctions]?: z.ZodType };

/** What a function gave, without what is undefined; throws a `PluginFault` that names the place of what is wrong. */
export function checkResult(name: keyof typeof schemas, value: unknown): unknown {
  const checked = withoutUndefined(parse<unknown>(schemas[name], value, 'returned'));
  if (name === 'read') draftBytes(checked);
  return checked;
}

/** One draft of a collector. */
export function checkDraft(value: unknown): { readonly draft: PluginDraft; readonly bytes: number } {
  const draft = withoutUndefined(parse(DraftResult, value, 'yielded')) as PluginDraft;
  return { draft, bytes: draftBytes(draft) };
}

/** What was given to `context.fetch`, an address alone among it. */
export function checkAsk(value: unknown): PluginFunctions['request']['value'] {
  const ask = typeof value === 'string' ? { url: value } : value;
  return withoutUndefined(parse(AskResult, ask, 'asked context.fetch for')) as PluginFunctions['request']['value'];
}

/** As JSON. */
export function draftBytes(value: unknown): number {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= maxDraftBytes) return bytes;
  throw new PluginFault('plugin_bad_result', `gave ${bytes} bytes of drafts, expected at most ${maxDraftBytes}`);
}

function parse<T>(schema: z.ZodType<T>, value: unknown, verb: string): T {
  const parsed = schema.safeParse(value, { error: expectation });
  if (parsed.success) return parsed.data;
  const more = parsed.error.issues.length > 1 ? ` (and ${parsed.error.issues.length - 1} more)` : '';
  throw new PluginFault('plugin_bad_result', `${verb} something unexpected: ${firstIssue(parsed.error)}${more}`);
}

/** The first thing that a schema says, with its place: `drafts[3].fields.price: expected …`. */
export function firstIssue({ issues: [first] }: z.ZodError): string {
  if (first === undefined) return 'refused';
  return first.path.length === 0 ? first.message : `${placeText(first.path)}: ${messageOf(first)}`;
}

/** Of the key itself where that is refused. */
export function messageOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
}

/** `drafts[3].fields.price` */
export function placeText(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`))
    .join('');
}

/** Keys whose value is undefined say nothing. Below the keys of drafts all is JSON already. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : [[name, withoutUndefined(each)]])),
  );
}
