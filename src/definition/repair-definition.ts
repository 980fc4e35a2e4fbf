import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import type { RepairChange } from '../view/repair.ts';
import { editRules } from './edit-rules.ts';
import { definitionIn, maxFileBytes, readRegularFile } from './file.ts';
import { parseSource } from './load.ts';
import { withPlace, yamlText } from './rule-place-text.ts';
import { definitionVersion, type Source } from './source.ts';
import { attempt, writeWhole } from './whole-file.ts';

/** Rules of a definition that are to be changed. */
export interface DefinitionRepair {
  readonly source: string;
  readonly changes: readonly RepairChange[];
  /** The version that the changes were made for. */
  readonly version: string;
  /** Whether the file stays as it is, and only the difference is told. */
  readonly dryRun: boolean;
}

/** A definition file that has been written, or what would be written. */
export interface WrittenDefinition {
  readonly ok: true;
  readonly file: string;
  /** The text of the file before and after. */
  readonly texts: readonly [before: string, after: string];
  /** The version that the definition has now. */
  readonly version: string;
  /** Writes the file as it was. */
  undo(): Promise<unknown>;
}

/** The definition that a repair wrote, or why it could not be written. */
export type RepairedDefinition = WrittenDefinition | { readonly ok: false; readonly message: string };

/**
 * Gives rules in the file of a definition other places, and writes it whole, where the result is valid. Refuses a file that is not of the
 * version, that changes meanwhile, or that may not be written.
 */
export async function repairDefinition(
  folder: string,
  { source, changes, version, dryRun }: DefinitionRepair,
): Promise<RepairedDefinition> {
  const file = definitionIn(folder, source);
  const refused = (why: string): RepairedDefinition => ({
    ok: false,
    message: `${file}: ${why}`,
  });
  const found = await readRegularFile(file, maxFileBytes);
  if (!found.ok) return refused(found.message);
  const text = found.bytes.toString('utf8');
  const before = parseSource(text, file);
  if (!before.ok) return refused('expected a valid definition, as `heronry validate` shows');
  if (before.value.plugin === undefined && definitionVersion(before.value) !== version)
    return refused('it has changed since the repair was proposed');
  const edited = editRules(text, changes);
  if (!edited.ok) return refused(edited.message);
  const after = parseSource(edited.text, file);
  if (!after.ok) return refused(`it would not be valid: ${after.problems[0]?.message ?? ''}`);
  const made = { file, texts: [text, edited.text], version: definitionVersion(after.value) } as const;
  if (dryRun) return { ok: true, ...made, undo: () => Promise.resolve() };
  const again = await readRegularFile(file, maxFileBytes);
  if (!again.ok || !again.bytes.equals(found.bytes)) return refused('it has changed meanwhile');
  const write = (whole: string) =>
    attempt(file, async () => {
      // The file behind a link, so that the link stays one.
      const real = await realpath(file);
      await access(real, constants.W_OK);
      await writeWhole(real, whole);
    });
  const written = await write(edited.text);
  return written.ok ? { ok: true, ...made, undo: () => write(text) } : refused(written.message.slice(file.length + 2));
}

/** Rules as they are to be written: `records.shop.fields.price: .cost`. */
export function rulesText({ records }: Pick<Source, 'records'>, changes: readonly RepairChange[]): string {
  return changes
    .map(({ record, field, to }) => {
      const isOfPage = field !== undefined && records[record]?.page?.fields[field] !== undefined;
      const rule = field === undefined ? 'each' : `${isOfPage ? 'page.' : ''}fields.${field}`;
      return `records.${record}.${rule}: ${yamlText(withPlace('', to))}`;
    })
    .join('; ');
}
