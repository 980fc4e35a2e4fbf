import { isMapping } from '../../schema/mapping.ts';

/** A filter of urlwatch with its options. */
export interface UrlwatchFilter {
  readonly kind: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The option of a filter that stands after its name by itself. */
const onlyOptions: Readonly<Record<string, string>> = {
  css: 'selector',
  xpath: 'path',
  'element-by-id': 'id',
  'element-by-class': 'class',
  'element-by-style': 'style',
  'element-by-tag': 'tag',
  html2text: 'method',
  'format-json': 'indentation',
  grep: 're',
  grepi: 're',
  're.sub': 'pattern',
  're.findall': 'pattern',
  sort: 'separator',
  'remove-duplicate-lines': 'separator',
  reverse: 'separator',
  shellpipe: 'command',
  jq: 'query',
  csv2text: 'format_message',
};

/** Returns filters in one form: they may stand in a list, as texts or mappings, or in the text of old versions, with commas between. Undefined for what is neither. */
export function filtersOf(given: unknown): readonly UrlwatchFilter[] | undefined {
  const list = typeof given === 'string' ? given.split(',').map(oldForm) : given;
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) return undefined;
  const filters = list.map(filterOf);
  return filters.every((each) => each !== undefined) ? filters : undefined;
}

function oldForm(text: string): unknown {
  const at = text.indexOf(':');
  return at < 0 ? text.trim() : { [text.slice(0, at).trim()]: text.slice(at + 1) };
}

function filterOf(given: unknown): UrlwatchFilter | undefined {
  if (typeof given === 'string') return { kind: given, options: {} };
  if (!isMapping(given)) return undefined;
  const [[kind, value] = []] = Object.entries(given);
  if (kind === undefined) return undefined;
  if (isMapping(value)) return { kind, options: value };
  return { kind, options: value === null || value === undefined ? {} : { [onlyOptions[kind] ?? 'value']: value } };
}
