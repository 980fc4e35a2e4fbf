import { defined } from '../defined.ts';
import type { Form } from '../definition/form.ts';
import { definitionVersion, type Source } from '../definition/source.ts';
import { fillText, fillUrl, matchUrl, parametersIn, placeholdersOf, shownUrl } from '../definition/url-pattern.ts';
import type { FormPlan } from '../extract/form.ts';
import { type FilledForm, fillForm } from './fill-form.ts';
import { fieldPlans } from './plans.ts';
import type { FormFailure, FormStage, ListPlace, Reading } from './provider.ts';
import { requestOf } from './requests.ts';

/**
 * Opens the way to a page of a source by its forms. `undefined` where the page has an address of its own: a source without forms, and
 * the later pages of a list to which links lead.
 */
export function openForms(source: Source, url: string, place?: ListPlace): FormStage | FormFailure | undefined {
  const { form: forms } = source.request;
  const [first] = forms ?? [];
  if (forms === undefined || first === undefined) return undefined;
  if (source.feed?.by === 'link' && place !== undefined && place.page > 1) return undefined;
  const known = source.url === undefined ? undefined : matchUrl(source.url, url);
  const used = new Set([first.page ?? '', ...forms.flatMap(({ fields }) => Object.values(fields))].flatMap(namesIn));
  if (known === undefined && used.size > 0)
    return failed(
      `${shownUrl(url)} gives no ${[...used].join(', ')}, which the form needs, as it is not made from the source's url`,
    );
  const params = known ?? {};
  const page = first.page === undefined ? url : filled(first.page, params);
  const origins = new Set([page, url].map((each) => URL.parse(each)?.origin));
  for (const form of forms) for (const origin of form.origins ?? []) origins.add(origin);
  const follows = (to: string): boolean => origins.has(URL.parse(to)?.origin);
  return stageOf(withoutHash(page), 0);

  /** The exchange that brings the page of the form at `index`, or what all forms lead to. */
  function stageOf(address: string, index: number, sent?: FilledForm): FormStage {
    const form = forms?.[index];
    const { headers: own } = source.request;
    return {
      url: address,
      hidden: sent?.hidden ?? [],
      follows,
      strayed: (to) => strayed('was led', to),
      ...defined({ reading: form && readingOf(source, form, index), controls: sent?.controls }),
      request(to, hop = { keepsMethod: true, isHome: true }) {
        const headers = hop.isHome ? own : {};
        const isWhole = hop.isHome && hop.keepsMethod;
        // A redirect of a form that was sent by GET leads to an address of its own.
        if (sent === undefined || !isWhole) return { ...requestOf(source, to), headers };
        const { method, body, headers: more } = sent;
        return { ...requestOf(source, to), headers: { ...headers, ...more }, ...defined({ method, body }) };
      },
      submit(found, at) {
        if (form === undefined) throw new Error(`${source.id}: no form follows the last one`);
        if (found === undefined) return failed('the page has no form');
        if (!found.ok) return failed(`${shownUrl(at)}: ${found.message}`);
        const isLast = index + 1 === forms?.length;
        const given = { ...textsOf(form, params), ...found.values, ...(isLast && pageOf(place)) };
        const next = fillForm(found, given);
        if (!next.ok) return failed(`${shownUrl(at)}: ${next.message}`);
        if (!follows(next.url)) return strayed(`${found.shown} leads`, next.url);
        return stageOf(next.url, index + 1, { ...next, hidden: [...next.hidden, ...Object.values(found.values)] });
      },
    };
  }

  function strayed(how: string, to: string): FormFailure {
    return failed(
      `${how} to ${shownUrl(to)}, expected an origin that the definition allows: ${[...origins].join(', ')}`,
    );
  }
}

function failed(message: string): FormFailure {
  return { failure: { code: 'form', message } };
}

function readingOf(source: Source, { css, button, fields }: Form, index: number): Reading {
  const rules = Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'string' ? [] : [[name, value] as const],
  );
  const form: FormPlan = { values: fieldPlans(Object.fromEntries(rules)), ...defined({ css, button }) };
  const plan = { document: 'html', tree: source.tree, records: [], mayBeEmpty: true, form } as const;
  return {
    source: source.id,
    plan: { id: `${definitionVersion(source)}/form${index}`, ...plan, ...defined({ encoding: source.encoding }) },
    limitMs: source.limits.extract,
  };
}

/** The values of controls that are texts, with the parameters of the target in them. */
function textsOf({ fields }: Form, params: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, fillText(value, params)]] : [],
    ),
  );
}

/** The control that names the page of a list. */
function pageOf(place: ListPlace | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(place?.body ?? {}).map(([name, value]) => [name, String(value)]));
}

function namesIn(value: Form['fields'][string]): string[] {
  return typeof value === 'string' ? parametersIn(value) : [];
}

function filled(pattern: string, params: Readonly<Record<string, string>>): string {
  const names = placeholdersOf(pattern);
  const url = fillUrl(pattern, Object.fromEntries(Object.entries(params).filter(([name]) => names.includes(name))));
  return url.ok ? url.url : pattern;
}

function withoutHash(url: string): string {
  return url.replace(/#.*$/s, '');
}
