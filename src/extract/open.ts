import { isTag } from 'domhandler';
import { decodeBody } from './charset.ts';
import { baseUrlOf } from './base-url.ts';
import { isTooDense, maxParts } from './density.ts';
import { parseCsv } from './document/csv.ts';
import { parseJson } from './document/json.ts';
import { parseXml } from './document/xml.ts';
import type { ExtractFailure } from './draft.ts';
import { foreignMediaType } from './media-type.ts';
import type { ExtractPlan } from './plan.ts';
import { JsonSpot, type PageContext, pageContext, type Spot } from './rule/spot.ts';
import { parseTree } from './tree.ts';

/** A body as what it was said to be: where rules begin, and its text. */
export type Opened =
  | { readonly ok: true; readonly root: Spot; readonly page: PageContext; readonly text: string }
  | { readonly ok: false; readonly failure: ExtractFailure; readonly text?: string };

/** Decodes and parses a body as the kind of document that its plan reads. */
export async function openDocument(
  bytes: Uint8Array,
  url: string,
  contentType: string | undefined,
  plan: ExtractPlan,
): Promise<Opened> {
  if (bytes.length === 0) return { ok: false, failure: { code: 'empty' } };
  const mediaType = foreignMediaType(bytes, contentType, plan.document);
  if (mediaType !== undefined) return { ok: false, failure: foreign(mediaType, plan) };
  const text = decodeBody(bytes, contentType);
  if (text.trim() === '') return { ok: false, failure: { code: 'empty' } };
  if (isTooDense(text, plan))
    return { ok: false, failure: { code: 'too_many_parts', document: plan.document, limit: maxParts }, text };
  switch (plan.document) {
    case 'html': {
      const root = await parseTree(text, plan.tree);
      // Few pages have a base; looking for one in the text is cheaper than in the tree.
      const base = /<base\s/i.test(text) ? baseUrlOf(root, url) : url;
      return { ok: true, root, page: pageContext(root, base), text };
    }
    case 'xml': {
      const root = parseXml(text);
      if (!root.children.some(isTag)) return unparseable('expected an element, got text alone');
      return { ok: true, root, page: pageContext(root, url), text };
    }
    case 'json': {
      const parsed = parseJson(text);
      return parsed.ok ? valueOf(parsed.value) : unparseable(parsed.message);
    }
    case 'csv': {
      const parsed = parseCsv(text, plan.csv);
      return parsed.ok ? valueOf(parsed.value) : unparseable(parsed.message);
    }
    default:
      return plan.document satisfies never;
  }

  function valueOf(value: JsonSpot['value']): Opened {
    return { ok: true, root: new JsonSpot(value), page: pageContext(undefined, url), text };
  }

  function unparseable(message: string): Opened {
    return { ok: false, failure: { code: 'unparseable', document: plan.document, message }, text };
  }
}

function foreign(mediaType: string, { document }: ExtractPlan): ExtractFailure {
  return document === 'html' ? { code: 'not_html', mediaType } : { code: 'wrong_type', mediaType, document };
}
