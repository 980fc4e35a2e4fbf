/** The longest template, in characters; longer ones are cut. */
const maxLength = 120;
/** The largest number of path segments and query names in a template. */
const maxSegments = 6;
const maxNames = 5;
/** The longest run of segments whose repetition is recognised. */
const maxPeriod = 4;

/**
 * The template of a URL, which it has in common with others of its kind. Numbers, dates, ids and titles in the path
 * become `{n}`, `{date}`, `{id}` and `{slug}`; of the query only the sorted names stay; repeated segments are folded,
 * as `(a/b)+`; and a deep path is cut by `…`. So the pages that one trap makes without end have one template, or a few.
 */
export function templateOf(text: string): string {
  const url = URL.parse(text);
  if (url === null) return '';
  const segments = url.pathname.split('/').slice(1).map(segmentForm);
  const template = `${url.host}/${folded(segments).join('/')}${queryForm(url)}`;
  return template.length > maxLength ? `${template.slice(0, maxLength - 1).toWellFormed()}…` : template;
}

/** The template that stands for all queries of a template's path. */
export function withAnyQuery(template: string): string {
  return `${pathOf(template)}?…`;
}

/** A template without its query. */
export function pathOf(template: string): string {
  const end = template.indexOf('?');
  return end < 0 ? template : template.slice(0, end);
}

function queryForm({ searchParams }: URL): string {
  const names = [...new Set(Array.from(searchParams.keys(), withoutNumbers))].sort();
  if (names.length === 0) return '';
  return `?${[...names.slice(0, maxNames), ...(names.length > maxNames ? ['…'] : [])].join('&')}`;
}

/** Dates in a path. The year may have up to six digits: an endless calendar soon leaves usual years. */
const dates = /^(?:\d{4,6}[-_.](?:0?[1-9]|1[0-2])(?:[-_.]\d{1,2})?|\d{1,2}[-_.]\d{1,2}[-_.]\d{4,6})$/;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const hex = /^(?=.*\d)[\da-f]{8,}$/i;
const mixed = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w-]{8,}$/;
const extension = /\.[a-z]{2,5}\d?$/i;

function segmentForm(segment: string): string {
  const end = extension.exec(segment)?.[0] ?? '';
  const name = end === '' ? segment : segment.slice(0, -end.length);
  return `${nameForm(name)}${end}`;
}

function nameForm(name: string): string {
  if (name === '') return '';
  if (/^\d+$/.test(name)) return '{n}';
  if (dates.test(name)) return '{date}';
  if (uuid.test(name) || hex.test(name) || mixed.test(name)) return '{id}';
  const words = name.split(/[-_+ ]|%20/).filter((word) => word !== '');
  if (words.length >= 3 || name.length > 24) return '{slug}';
  return withoutNumbers(name);
}

function withoutNumbers(text: string): string {
  return text.replaceAll(/\d+/g, '{n}');
}

/** The segments with each run of equal parts as one, the shortest part first, and those beyond the limit as `…`. */
function folded(segments: readonly string[]): readonly string[] {
  // A path without end needs no look at all of it.
  let rest: readonly string[] = segments.slice(0, 200);
  for (let period = 1; period <= maxPeriod; period += 1) rest = foldedBy(period, rest);
  return rest.length > maxSegments ? [...rest.slice(0, maxSegments), '…'] : rest;
}

function foldedBy(period: number, segments: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < segments.length;) {
    const part = segments.slice(at, at + period);
    let end = at + period;
    while (part.every((segment, index) => segment !== '' && segment === segments[end + index])) end += period;
    if (end === at + period) {
      kept.push(segments[at] ?? '');
      at += 1;
    } else {
      kept.push(period === 1 ? `${part[0]}+` : `(${part.join('/')})+`);
      at = end;
    }
  }
  return kept;
}
