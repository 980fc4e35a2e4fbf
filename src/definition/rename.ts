import { unlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { isMap, isScalar, parseDocument } from 'yaml';
import { definitionIn, maxFileBytes, readRegularFile } from './file.ts';
import { parseSource } from './load.ts';
import { attempt, type FileChange, writeWhole } from './whole-file.ts';

/** Whether there is a definition file of a source. */
export function hasDefinition(folder: string, id: string): boolean {
  return existsSync(definitionIn(folder, id));
}

/**
 * Writes the definition of a source under another id, beside the file that it has: the same text but for `id`. The new file is there whole, or
 * not at all.
 */
export async function copyDefinition(folder: string, from: string, to: string): Promise<FileChange> {
  const file = definitionIn(folder, from);
  const found = await readRegularFile(file, maxFileBytes);
  if (!found.ok) return { ok: false, message: `${file}: ${found.message}` };
  const target = join(folder, `${to}${extname(file)}`);
  const text = withId(found.bytes.toString('utf8'), to);
  const parsed = text === undefined ? undefined : parseSource(text, target);
  if (text === undefined || parsed?.ok !== true)
    return { ok: false, message: `${file}: expected a valid definition with an id of its own` };
  return attempt(target, () => writeWhole(target, text));
}

/** Removes the definition file of a source, if there is one. */
export function removeDefinition(folder: string, id: string): Promise<FileChange> {
  const file = definitionIn(folder, id);
  return attempt(file, async () => {
    if (existsSync(file)) await unlink(file);
  });
}

/** Replaces the value of `id` in the text of a definition; `undefined` where it has none. */
function withId(text: string, id: string): string | undefined {
  const { contents } = parseDocument(text, { prettyErrors: false });
  const value: unknown = isMap(contents) ? contents.get('id', true) : undefined;
  if (!isScalar(value) || value.range === undefined || value.range === null) return undefined;
  const [start, end] = value.range;
  // Quotes, as an id of digits alone would be read as a number.
  return `${text.slice(0, start)}${/^[a-z]/.test(id) && !keywords.has(id) ? id : JSON.stringify(id)}${text.slice(end)}`;
}

/** Words that YAML reads as something other than a text. */
const keywords: ReadonlySet<string> = new Set(['true', 'false', 'null']);
