import { basename } from 'node:path';
import { inspect } from 'node:util';
import type { PluginCall, PluginFailure, PluginFailureCode } from './protocol.ts';

/** Longer messages are cut, in characters. */
const maxMessageLength = 2_000;

/** A breach of the plug-in contract. An error of the plug-in's author is thrown as it is. */
export class PluginFault extends Error {
  override readonly name = 'PluginFault';
  readonly code: PluginFailureCode;

  constructor(code: PluginFailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Thrown by `context.fetch` in a plug-in when its request failed. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  /** The code of the failure, such as `status`, `timeout`, `disallowed` or `refused_address`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The names of a call in messages. */
export interface Named {
  readonly file: string;
  readonly function: string;
  /** The address of the plug-in's module, by which lines are found in stack traces. */
  readonly url: string;
}

/** The name of the function that a call is of, as its module has it. */
export function calledName({ function: name, input }: PluginCall): string {
  return name === 'call' && 'name' in input ? input.name : name;
}

/** The failure of a call. Its message names the plug-in and the function. */
export function failureOf(
  code: PluginFailureCode,
  { file, function: name }: Omit<Named, 'url'>,
  what: string,
): PluginFailure {
  const message = `${basename(file)}: ${name === 'describe' ? '' : `${name} `}${what}`;
  return { code, message: cut(message, maxMessageLength) };
}

/** The failure for a thrown value. Its message names the plug-in, the function and, if known, the line. */
export function thrownFailure(error: unknown, call: Named): PluginFailure {
  if (error instanceof PluginFault) return failureOf(error.code, call, error.message);
  const line = lineOf(error, call.url);
  const at = line === undefined ? '' : ` (${basename(call.file)}:${line})`;
  const failure = failureOf(
    'plugin_threw',
    call,
    `threw ${shown(error).replaceAll(call.url, basename(call.file))}${at}`,
  );
  return error instanceof FetchError ? { ...failure, cause: error.code } : failure;
}

/** A thrown value as text for people. */
export function shown(error: unknown): string {
  if (!(error instanceof Error)) return cut(inspect(error, { depth: 2 }), maxMessageLength);
  const cause = error.cause === undefined ? '' : `: ${textOf(error.cause)}`;
  return `${textOf(error)}${cause}`;
}

/** The first line number of the plug-in's file in a stack trace. */
export function lineOf(error: unknown, url: string): string | undefined {
  const stack = error instanceof Error ? String(error.stack) : '';
  const at = stack.indexOf(`${url}:`);
  return at < 0 ? undefined : /^\d+/.exec(stack.slice(at + url.length + 1))?.[0];
}

/** A text, cut to `length` characters. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text;
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
