import { jsonMarks } from '../tree/parts.ts';
import { JsonSpot } from '../rule/spot.ts';
import { parseJson } from '../value/json-text.ts';
import type { Value } from '../value/value.ts';
import { json } from './json.ts';
import type { DocumentKind } from './kind.ts';

/** JSON Lines: a JSON value in each line. */
export const jsonl: DocumentKind = {
  title: 'a document of JSON lines',
  view: 'json',
  media: {
    ...json.media,
    called: /^(?:application|text)\/(?:x-)?(?:jsonl|ndjson|jsonlines)(?:\+json)?$/,
    miscalled: /^(?:application|text)\/(?:x-)?json$/,
  },
  marks: () => [...jsonMarks, '\n'],
  steps: json.steps,
  open(text) {
    const values: Value[] = [];
    for (const [index, line] of text.split('\n').entries()) {
      if (line.trim() === '') continue;
      const parsed = parseJson(line);
      if (!parsed.ok) return { ok: false, message: `in line ${index + 1}: ${parsed.message}` };
      values.push(parsed.value);
    }
    return { ok: true, root: new JsonSpot(values) };
  },
  each: { by: 'json', path: '$[*]' },
  docs: {
    readAs: 'a list of the values of its lines (JSON Lines, NDJSON)',
    places: 'JSON paths into the value of the line',
  },
};
