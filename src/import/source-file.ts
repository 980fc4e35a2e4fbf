import { Document, isMap, visit, YAMLMap } from 'yaml';
import { parseSource } from '../definition/load.ts';
import { WrittenProjects } from '../definition/project.ts';
import type { Book } from './book.ts';
import type { ImportedFile } from './imported.ts';

/** Longest name of a source or project. */
const nameLength = 200;

/** The type of the record that a watched page is. */
export const watchedType = 'page';

/** A watch as the definition that it becomes and the project that tracks it. */
export interface Watch {
  readonly id: string;
  /** For people; empty for none. */
  readonly name: string;
  /** The tool that it comes from. */
  readonly from: string;
  /** The keys of the definition that say how the page is asked for, `url` among them. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The keys that say how it is opened, such as `provider`. */
  readonly document: Readonly<Record<string, unknown>>;
  /** Rules by the names of their fields; one more field is the key. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The keys of its project besides id, name and targets; missing where it is paused. */
  readonly project?: Readonly<Record<string, unknown>>;
}

/** The key of the record of a watched page, which stays the same wherever redirects lead. */
export function keyFields(id: string): Readonly<Record<string, unknown>> {
  return { watch: { const: id } };
}

/** Writes the definition of a watch; undefined, with a note, where it would not be valid. */
export function sourceFile(book: Book, label: string, watch: Watch): ImportedFile | undefined {
  const { id, from, request, document, fields } = watch;
  const { url, allowPrivate, ...asking } = request;
  const name = nameOf(watch);
  const definition = new Document({
    id,
    ...(name !== undefined && { name }),
    url,
    ...(allowPrivate !== undefined && { allowPrivate }),
    ...document,
    ...asking,
    records: { [watchedType]: { key: 'watch', fields: { ...keyFields(id), ...fields } } },
  });
  definition.commentBefore = ` Imported from ${from}. \`heronry try ${id}\` shows what it reads.`;
  const written: unknown = definition.getIn(['records', watchedType, 'fields']);
  if (isMap(written))
    for (const { key, value } of written.items)
      if (String(key) === 'watch' && value instanceof YAMLMap) value.flow = true;
  const text = yamlText(definition);
  const path = `sources/${id}.yaml`;
  const parsed = parseSource(text, path);
  if (parsed.ok) return { path, text };
  const [problem] = parsed.problems;
  book.leave(
    label,
    'the watch',
    `its definition would not be valid: ${problem?.path ?? ''}: ${problem?.message ?? ''}`,
  );
  return undefined;
}

function nameOf({ name }: Watch): string | undefined {
  const plain = name
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, nameLength)
    .trim();
  return plain === '' ? undefined : plain;
}

/** The entry of a watch in the project file; undefined where it is paused, and, with a note, where the entry would not be valid. */
export function projectOf(book: Book, label: string, watch: Watch): Readonly<Record<string, unknown>> | undefined {
  const { id, project } = watch;
  if (project === undefined) return undefined;
  const name = nameOf(watch);
  const entry = { id, ...(name !== undefined && { name }), ...project, targets: [{ source: id }] };
  const [issue] = WrittenProjects.safeParse([entry]).error?.issues ?? [];
  if (issue === undefined) return entry;
  // The message of an issue may show the value, which may be a secret.
  const key = issue.path.slice(1).join('.');
  return book.leave(label, 'its project', `it would not be valid (${key}: ${issue.code.replaceAll('_', ' ')})`);
}

/** Writes the project file of a tool; undefined where nothing is tracked. */
export function projectFile(tool: string, projects: readonly object[]): ImportedFile | undefined {
  if (projects.length === 0) return undefined;
  const path = `projects-${tool}.yaml`;
  const document = new Document(projects);
  document.commentBefore = ` Imported; \`heronry apply -f ${path}\` tracks them.`;
  return { path, text: yamlText(document) };
}

/** Writes a document, its texts of several lines with escapes: a line break alone is hard to see. */
export function yamlText(document: Document): string {
  visit(document, {
    Scalar(_key, scalar) {
      if (typeof scalar.value === 'string' && scalar.value.includes('\n')) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 120 });
}
