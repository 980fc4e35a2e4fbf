import type { Field } from '../definition/field.ts';
import type { Source } from '../definition/source.ts';
import { fillUrl, matchUrl, placeholdersOf } from '../definition/url-pattern.ts';
import { definitionVersion } from '../definition/version.ts';
import type { ExtractPlan, FieldPlan, RecordPlan } from '../extract/plan.ts';
import type { Validators } from '../fetch/page.ts';
import type { FetchRequest } from '../fetch/request.ts';
import type { Hop, OpenPulse, Provider } from './provider.ts';

/** Pages of HTML, read by CSS selectors. */
export const html: Provider = {
  open(source) {
    const pulse = openPulse(source);
    return {
      request: (url, copy, hop) => pageRequest(source, url, copy, hop),
      page: { plan: planOf(source), limitMs: source.limits.extract },
      ...(pulse !== undefined && { pulse }),
    };
  },
};

/** What a source's pages give. */
export function planOf(source: Source): ExtractPlan {
  return {
    id: `${definitionVersion(source)}/page`,
    tree: source.tree,
    records: Object.entries(source.records).map(([type, { key, each, fields }]): RecordPlan => ({
      type,
      key,
      ...(each !== undefined && { each }),
      fields: fieldPlans(fields),
    })),
    ...(source.finished !== undefined && { finished: source.finished }),
  };
}

function openPulse(source: Source): OpenPulse | undefined {
  const { pulse } = source;
  const key = pulse === undefined ? undefined : source.records[pulse.record]?.key;
  if (pulse === undefined || key === undefined) return undefined;
  const plan: ExtractPlan = {
    id: `${definitionVersion(source)}/pulse`,
    tree: source.tree,
    records: [{ type: pulse.record, key, fields: fieldPlans(pulse.fields) }],
  };
  return {
    ...(pulse.every !== undefined && { everyMs: pulse.every }),
    request(targetUrl) {
      const url = pulse.url === undefined ? targetUrl : pulseUrl(pulse.url, source.url, targetUrl);
      return url === undefined ? undefined : requestOf(source, url);
    },
    reading: { plan, limitMs: source.limits.extract },
  };
}

/** The pulse's pattern, filled with what the target's address has in the places of the source's pattern. */
function pulseUrl(pattern: string, sourcePattern: string | undefined, targetUrl: string): string | undefined {
  const names = placeholdersOf(pattern);
  const params = names.length === 0 ? {} : matchUrl(sourcePattern ?? '', targetUrl);
  if (params === undefined) return undefined;
  const filled = fillUrl(pattern, Object.fromEntries(Object.entries(params).filter(([name]) => names.includes(name))));
  return filled.ok ? filled.url : undefined;
}

/** What is asked with a body is no page that a copy could stand for. */
function pageRequest(
  source: Source,
  url: string,
  copy: Validators | undefined,
  hop: Hop = { keepsMethod: true, isHome: true },
): FetchRequest {
  const { headers } = hop.isHome ? source.request : { headers: {} };
  const { method, form, json } = hop.isHome && hop.keepsMethod ? source.request : {};
  const body = form === undefined ? (json === undefined ? undefined : { json }) : { form };
  const { etag, lastModified } = copy ?? {};
  const validators = { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
  return {
    ...requestOf(source, url),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(method !== undefined && { method }),
    ...(body !== undefined && { body }),
    ...(copy !== undefined && body === undefined && method !== 'POST' && { validators }),
  };
}

function requestOf({ limits, allowPrivate }: Source, url: string): FetchRequest {
  return {
    url,
    limits: {
      connectMs: limits.connect,
      headersMs: limits.headers,
      bodyMs: limits.body,
      totalMs: limits.total,
      maxBytes: limits.maxBytes,
    },
    allowPrivate,
  };
}

function fieldPlans(fields: Readonly<Record<string, Field>>): FieldPlan[] {
  return Object.entries(fields).map(([name, field]): FieldPlan => {
    const { css, attr, required, ...rule } = field;
    return { name, css, ...(attr !== undefined && { attr }), required, rule };
  });
}
