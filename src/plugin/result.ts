import * as z from 'zod';
import { expectation, pathText } from '../definition/problem.ts';
import { isHttpUrl } from '../definition/url-pattern.ts';
import type { Value } from '../extract/value/value.ts';
import { expected } from '../schema/expected.ts';
import { FieldName } from '../schema/slug.ts';
import { strict } from '../schema/strict.ts';
import { PluginFault } from './fault.ts';
import type { FoundDraft } from '../extract/record.ts';
import type { PluginFunctions } from './protocol.ts';

/** The largest nesting depth of a field's value. */
const maxDepth = 64;

/** A schema for JSON values. Drops undefined members; its messages name the kind of value that it refuses. */
const JsonValue = z.unknown().transform((value, context): Value => {
  const copied = copyJson(value, [], context);
  return copied ?? null;
});

/** Copies a JSON value; `undefined` for an undefined value and for one that was refused. */
function copyJson(value: unknown, path: PropertyKey[], context: z.core.$RefinementCtx): Value | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (path.length > maxDepth) return refuse(`expected at most ${maxDepth} levels`);
  if (Array.isArray(value)) {
    return value.map((each, index) => copyJson(each, [...path, index], context) ?? null);
  }
  if (isPlain(value)) {
    const copied: Record<string, Value> = {};
    for (const [name, each] of Object.entries(value)) {
      const inner = each === undefined ? undefined : copyJson(each, [...path, name], context);
      if (inner !== undefined) Object.defineProperty(copied, name, { value: inner, enumerable: true, writable: true });
    }
    return copied;
  }
  return refuse(`expected a value that JSON can say, got ${kindOf(value)}`);

  function refuse(message: string): undefined {
    context.addIssue({ code: 'custom', message, path, input: value });
    return undefined;
  }
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function kindOf(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const name: unknown = Reflect.get(Object(value), 'constructor')?.name;
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an object of a class';
}

/** The largest number of drafts of one page. */
const maxDrafts = 10_000;
/** The largest size of all drafts of a page, or of one draft of a collector, as JSON. */
const maxDraftBytes = 32 * 1024 * 1024;

const Url = z.string().refine(isHttpUrl, expected('an absolute http or https URL'));
const Text = z.string().max(10_000);
const Cursor = z.union([z.string().min(1).max(4_096), z.number()]).optional();

const HeaderValue = z.string().regex(/^[\t\x20-\x7e]{0,8000}$/, expected('a line of plain text'));

/** Headers that the connection sets itself. */
const connectionHeaders =
  /^(?:connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;
const Headers = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, expected('the name of a header'))
    .refine((name) => !connectionHeaders.test(name), expected('a header that the connection does not set itself')),
  HeaderValue,
);

/** The schema of a request that `request` returns or `context.fetch` gets. */
const AskResult = strict({
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
  key: z.string().optional(),
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

/**
 * Checks the result of a function and drops its undefined members. Throws a `PluginFault` that names the place of what
 * is wrong.
 */
export function checkResult(name: keyof typeof schemas, value: unknown): unknown {
  const checked = withoutUndefined(parse<unknown>(schemas[name], value, 'returned'));
  if (name === 'read') draftBytes(checked);
  return checked;
}

/** The largest result of a function of a pipeline, as JSON. */
const maxReturnedBytes = 64 * 1024;

/** Checks what a function of a pipeline returned: a JSON value or nothing. Throws a `PluginFault` for anything else. */
export function checkReturned(value: unknown): Value | undefined {
  const checked = parse(JsonValue.optional(), value, 'returned');
  const bytes = checked === undefined ? 0 : Buffer.byteLength(JSON.stringify(checked));
  if (bytes <= maxReturnedBytes) return checked;
  throw new PluginFault('plugin_bad_result', `returned ${bytes} bytes, expected at most ${maxReturnedBytes}`);
}

/** Checks one draft of a collector. Throws a `PluginFault` for an invalid or too large one. */
export function checkDraft(value: unknown): { readonly draft: FoundDraft; readonly bytes: number } {
  const draft = withoutUndefined(parse(DraftResult, value, 'yielded')) as FoundDraft;
  return { draft, bytes: draftBytes(draft) };
}

/** Checks the argument of `context.fetch`, an address or a request. Throws a `PluginFault` for an invalid one. */
export function checkAsk(value: unknown): PluginFunctions['request']['value'] {
  const ask = typeof value === 'string' ? { url: value } : value;
  return withoutUndefined(parse(AskResult, ask, 'asked context.fetch for')) as PluginFunctions['request']['value'];
}

/** The size of drafts as JSON. Throws a `PluginFault` beyond `maxDraftBytes`. */
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

/** The first issue of a schema, with its place: `drafts[3].fields.price: expected …`. */
export function firstIssue({ issues: [first] }: z.ZodError): string {
  if (first === undefined) return 'refused';
  return first.path.length === 0 ? first.message : `${pathText(first.path)}: ${messageOf(first)}`;
}

/** The message of an issue; for an invalid key, that of the key's own issue. */
export function messageOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
}

/** Drops undefined members. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : [[name, withoutUndefined(each)]])),
  );
}
