import { jsonMarks } from '../tree/parts.ts';
import { JsonSpot } from '../rule/spot.ts';
import { parseJson } from '../value/json-text.ts';
import type { DocumentKind } from './kind.ts';

/** A JSON document. */
export const json: DocumentKind = {
  title: 'a JSON document',
  view: 'json',
  media: {
    called: /^(?:(?:application|text)\/(?:x-)?json|[^/]+\/[^/]+\+json)$/,
    miscalled: /^(?:text\/html|(?:text|application)\/(?:x-)?javascript)$/,
    begins: /^[[{"\d-]|^(?:true|false|null)\b/,
    otherwise: 'text that is no JSON',
  },
  marks: () => jsonMarks,
  steps: { byte: 3, mark: 10 },
  open(text) {
    const parsed = parseJson(text);
    return parsed.ok ? { ok: true, root: new JsonSpot(parsed.value) } : parsed;
  },
  docs: { readAs: '', places: 'JSON paths' },
};
