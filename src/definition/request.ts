import * as z from 'zod';
import { Given } from './auth.ts';
import { ControlName, Forms } from './form.ts';
import { Duration } from '../schema/duration.ts';
import { expected } from '../schema/expected.ts';
import { HeaderName, HeaderValue } from '../schema/header.ts';
import { SecretRef } from '../schema/secret-name.ts';
import { strict } from '../schema/strict.ts';
import { isHttpUrl } from './url-pattern.ts';

/** How often and how soon a request that failed for a passing reason is sent again; each retry also waits for its turn. */
export const Retry = strict({
  /** Retries after the first try, at most. */
  times: z.int().min(0).max(10).default(2),
  /** The pause before the first retry, doubled for each further one and varied by a tenth. */
  first: Duration.prefault('10ms'),
  /** No pause is longer. */
  longest: Duration.prefault('60s'),
  /** No retry begins later than this after the first try. */
  within: Duration.prefault('10m'),
});

/** The request for a page; by default a GET without headers or body. */
export const Request = strict({
  method: z.enum(['GET', 'POST']).exactOptional(),
  headers: z.record(HeaderName, HeaderValue).default({}),
  /** Sent as a browser sends the fields of a form, without a page that has the form. */
  fields: z.record(ControlName, z.string().max(10_000)).exactOptional(),
  json: z.json().exactOptional(),
  /** The form, or the forms one after the other, whose answer is the page. */
  form: Forms.exactOptional(),
}).superRefine(({ method, fields, json, form }, context) => {
  const bodies = Object.entries({ fields, json, form }).filter(([, given]) => given !== undefined);
  if (bodies.length > 1) context.addIssue({ code: 'custom', message: 'expected at most one of fields, json and form' });
  if (method !== undefined && form !== undefined)
    context.addIssue({ code: 'custom', path: ['method'], message: 'expected none beside "form", which has its own' });
  else if (method === 'GET' && bodies.length > 0)
    context.addIssue({ code: 'custom', path: ['method'], message: 'expected POST, as a GET has no fields or json' });
});

/** A proxy that all requests of the source go through. */
export const Proxy = strict({
  url: z.string().max(2_000).refine(isHttpUrl, expected('an http or https URL without user name and password')),
  user: Given.exactOptional(),
  password: SecretRef.exactOptional(),
});
