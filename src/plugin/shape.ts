import * as z from 'zod';
import { expectation } from '../definition/problem.ts';
import { strict } from '../schema/strict.ts';
import type { ProviderPlugin } from '../provider/define.ts';
import { defined } from '../defined.ts';
import { PluginFault } from './fault.ts';
import type { OptionIssue, PluginFunction, PluginShape } from './protocol.ts';
import { pathText } from '../definition/problem.ts';
import { firstIssue, messageOf } from './result.ts';

const Fn = z.custom<(...args: never) => unknown>((value) => typeof value === 'function', {
  error: ({ input }) => `expected a function, got ${typeof input}`,
});

/** A schema of any copy of zod: a plug-in may bring its own. */
interface OptionSchema {
  safeParse(value: unknown, params?: object): z.ZodSafeParseResult<unknown>;
}
const Schema = z.custom<OptionSchema>((value) => typeof value === 'object' && value !== null && 'safeParse' in value, {
  error: 'expected a zod schema',
});

const Plugin = strict({
  options: Schema.optional(),
  pageSize: strict({ first: z.int().min(1).max(10_000), later: z.int().min(1).max(10_000) }).optional(),
  maxPages: z.int().min(1).max(100_000).optional(),
  resolve: Fn.optional(),
  request: Fn.optional(),
  read: Fn.optional(),
  onFailure: Fn.optional(),
  authenticate: Fn.optional(),
  collect: Fn.optional(),
});

const functions = [
  'resolve',
  'request',
  'read',
  'onFailure',
  'authenticate',
  'collect',
] as const satisfies readonly Exclude<PluginFunction, 'describe' | 'call'>[];

/**
 * The provider that a module exports: by default, or only a function `collect`. Throws a `PluginFault` for any other
 * module.
 */
export function providerOf(module: object): ProviderPlugin<unknown> {
  const exported: unknown = Reflect.get(module, 'default');
  const collect: unknown = Reflect.get(module, 'collect');
  const candidate = exported ?? (collect === undefined ? undefined : { collect });
  if (candidate === undefined) {
    throw bad('expected `export default defineProvider({ … })`, or a function exported as `collect`');
  }
  const parsed = Plugin.safeParse(candidate, { error: expectation });
  if (!parsed.success) throw bad(firstIssue(parsed.error));
  const { request, read, collect: collector } = parsed.data;
  const isPaged = request !== undefined && read !== undefined && collector === undefined;
  const isCollector = collector !== undefined && request === undefined && read === undefined;
  if (!isPaged && !isCollector) throw bad('expected `request` and `read`, or `collect` in their place');
  return candidate as ProviderPlugin<unknown>;
}

/** The functions and settings of a provider, and the issues of its schema with the options. */
export function describeProvider(provider: ProviderPlugin<unknown>, options: unknown): PluginShape {
  const { pageSize, maxPages } = provider;
  const checked = checkOptions(provider, options);
  return {
    functions: functions.filter((name) => provider[name] !== undefined),
    ...defined({
      pageSize: pageSize === undefined ? undefined : { first: pageSize.first, later: pageSize.later },
      maxPages,
    }),
    checksOptions: provider.options !== undefined,
    optionIssues: checked.ok ? [] : checked.issues,
  };
}

/**
 * The options that the plug-in's functions get, parsed by its schema. Throws a `PluginFault` if the schema refuses
 * them.
 */
export function openOptions(provider: ProviderPlugin<unknown>, options: unknown): unknown {
  const checked = checkOptions(provider, options);
  if (checked.ok) return checked.options;
  const [first] = checked.issues;
  throw new PluginFault(
    'plugin_bad_options',
    `refuses the options: ${pathText(['options', ...(first?.path ?? [])])}: ${first?.message ?? ''}`,
  );
}

type CheckedOptions =
  | { readonly ok: true; readonly options: unknown }
  | { readonly ok: false; readonly issues: readonly OptionIssue[] };

function checkOptions({ options: schema }: ProviderPlugin<unknown>, options: unknown): CheckedOptions {
  if (schema === undefined) return { ok: true, options };
  const parsed = schema.safeParse(options ?? {}, { error: expectation });
  if (parsed.success) return { ok: true, options: parsed.data };
  return {
    ok: false,
    issues: parsed.error.issues.map((issue) => ({
      path: issue.path.map((part) => (typeof part === 'number' ? part : String(part))),
      message: messageOf(issue),
    })),
  };
}

function bad(message: string): PluginFault {
  return new PluginFault('plugin_bad_module', `is no provider: ${message}`);
}
