import { basename } from 'node:path';
import { inspect } from 'node:util';
import type { PluginFailure, PluginFailureCode, PluginFunction } from './protocol.ts';

/** Longer sentences are cut. */
const maxMessageLength = 2_000;

/** Something that a plug-in did against its contract; an error of its author's own is thrown as it is. */
export class PluginFault extends Error {
  override readonly name = 'PluginFault';
  readonly code: PluginFailureCode;

  constructor(code: PluginFailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Thrown into a plug-in by `context.fetch`: what was asked for could not be had. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  /** Such as `status`, `timeout`, `disallowed` or `refused_address`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A call as messages name it. */
export interface Named {
  readonly file: string;
  readonly function: PluginFunction;
  /** The address that its module goes by, by which lines are found in stacks. */
  readonly url: string;
}

/** The failure of a call, as a sentence that names the plug-in, the function and, where it is known, the line. */
export function failureOf(
  code: PluginFailureCode,
  { file, function: name }: Omit<Named, 'url'>,
  what: string,
): PluginFailure {
  const message = `${basename(file)}: ${name === 'describe' ? '' : `${name} `}${what}`;
  return { code, message: cut(message, maxMessageLength) };
}

/** The failure that something thrown stands for. */
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

/** Anything thrown, as a person should read it. */
export function shown(error: unknown): string {
  if (!(error instanceof Error)) return cut(inspect(error, { depth: 2 }), maxMessageLength);
  const cause = error.cause === undefined ? '' : `: ${textOf(error.cause)}`;
  return `${textOf(error)}${cause}`;
}

/** The first line of the plug-in's file that a stack names. */
export function lineOf(error: unknown, url: string): string | undefined {
  const stack = error instanceof Error ? String(error.stack) : '';
  const at = stack.indexOf(`${url}:`);
  return at < 0 ? undefined : /^\d+/.exec(stack.slice(at + url.length + 1))?.[0];
}

/** A text of at most so many characters. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text;
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
