import { createHash } from 'node:crypto';
import { definitionIn, maxFileBytes, readRegularFile } from './file.ts';

/** The text of a definition file. */
export interface DefinitionText {
  readonly path: string;
  readonly text: string;
  readonly digest: string;
}

/** Reads the file of a source's definition; nothing where there is none that can be read. */
export async function readDefinition(folder: string, id: string): Promise<DefinitionText | undefined> {
  const path = definitionIn(folder, id);
  const found = await readRegularFile(path, maxFileBytes);
  if (!found.ok) return undefined;
  const text = found.bytes.toString('utf8');
  return { path, text, digest: textDigest(text) };
}

/** Returns what differs between two texts of definitions. */
function textDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
