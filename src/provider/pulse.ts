import type { Source } from '../definition/source.ts';
import { fillUrl, matchUrl, maxUrlLength, placeholdersOf } from '../definition/url-pattern.ts';
import { definitionVersion } from '../definition/version.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import { documentOf } from './plans.ts';
import type { OpenPulse, PulseBatch } from './provider.ts';
import { requestOf } from './requests.ts';
import { fieldPlans, placePlan } from './rule-plan.ts';

/** The one data point of a source, where its definition says how it is asked. */
export function openPulse(source: Source): OpenPulse | undefined {
  const { pulse } = source;
  const each = pulse?.each;
  const key = pulse === undefined ? undefined : source.records[pulse.record]?.key;
  if (pulse === undefined || key === undefined) return undefined;
  const plan: ExtractPlan = {
    id: `${definitionVersion(source)}/pulse`,
    ...documentOf({ ...source, provider: pulse.provider ?? source.provider }),
    records: [{ type: pulse.record, key, ...(each && { each: placePlan(each) }), fields: fieldPlans(pulse.fields) }],
  };
  return {
    ...(pulse.every !== undefined && { everyMs: pulse.every }),
    request(targetUrl) {
      const url = pulse.url === undefined ? targetUrl : pulseUrl(pulse.url, source.url, targetUrl);
      return url === undefined ? undefined : requestOf(source, url);
    },
    ...(each !== undefined && { batch: openBatch(pulse, source) }),
    reading: { plan, limitMs: source.limits.extract },
  };
}

/** One request for many targets, or for all of them where its address names none. */
function openBatch({ url = '', batch = 50 }: NonNullable<Source['pulse']>, source: Source): PulseBatch {
  const [name = ''] = placeholdersOf(source.url ?? '');
  return {
    size: placeholdersOf(url).length === 0 ? Infinity : batch,
    idOf: (targetUrl) => matchUrl(source.url ?? '', targetUrl)?.[name],
    request(ids) {
      const filled = url.replaceAll('{ids}', ids.map((id) => encodeURIComponent(id.toWellFormed())).join(','));
      return filled.length > maxUrlLength ? undefined : requestOf(source, filled);
    },
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
