import * as z from 'zod';
import type { Values } from '../expression/compile.ts';
import { compileTemplate, type Escape, type Template } from '../expression/template.ts';
import { textFault } from '../schema/checked-text.ts';

/** Compiled templates by their text. Only sink files have templates, so that there are few. */
const compiled = new Map<string, ReturnType<typeof compileTemplate>>();

function templateFault(text: string): string | undefined {
  const found = compileTemplate(text);
  return found.ok ? undefined : found.message;
}

/** A text in which `{expressions}` stand for values of the message. */
export const TextTemplate = z
  .string()
  .min(1)
  .superRefine((text, context) => check(text, [], context));

/** A JSON value whose texts are templates. */
export const JsonTemplate = z.json().superRefine((value, context) => {
  for (const [path, text] of textsIn(value)) check(text, path, context);
});

function check(text: string, path: readonly PropertyKey[], context: z.RefinementCtx): void {
  const message = textFault('a template', text, templateFault);
  if (message !== undefined) context.addIssue({ code: 'custom', message, path: [...path], input: text });
}

function* textsIn(
  value: unknown,
  path: readonly PropertyKey[] = [],
): Generator<readonly [readonly PropertyKey[], string]> {
  if (typeof value === 'string') yield [path, value];
  else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value))
      yield* textsIn(each, [...path, Array.isArray(value) ? Number(name) : name]);
}

/** Returns the names for which the templates in a value want values. */
export function namesIn(value: unknown): ReadonlySet<string> {
  return new Set([...textsIn(value)].flatMap(([, text]) => [...templateOf(text).names]));
}

/** Fills in a text that `TextTemplate` has read. What expressions give is escaped. */
export function fillText(text: string, values: Values, at: number, escape?: Escape): string {
  return templateOf(text).text(values, at, escape);
}

/**
 * Fills in all texts of a value that `JsonTemplate` has read. A text that is one expression alone becomes its value. What expressions
 * give is escaped, but under keys of addresses, such as `url` and `image_url`, which are no markup.
 */
export function fillJson(value: unknown, values: Values, at: number, escape?: Escape): unknown {
  if (typeof value === 'string') return templateOf(value).json(values, at, escape);
  if (Array.isArray(value)) return value.map((each) => fillJson(each, values, at, escape));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      fillJson(each, values, at, /(?:^|_)(?:url|link|icon)$/.test(name) ? undefined : escape),
    ]),
  );
}

function templateOf(text: string): Template {
  const found = compiled.get(text) ?? compileTemplate(text);
  compiled.set(text, found);
  // The template was checked when its file was loaded.
  if (!found.ok) throw new Error(`the template ${text}: ${found.message}`);
  return found.template;
}
