import * as z from 'zod';
import { Given, SecretRef } from './auth.ts';
import { Duration } from './duration.ts';
import { expected } from './expected.ts';
import { expectedFree, isFreeHeader } from './header-name.ts';
import { strict } from './strict.ts';
import { isHttpUrl } from './url-pattern.ts';

/** How often a request is made again whose failure may pass, and how soon; each retry waits for its turn besides. */
export const Retry = strict({
  /** After the first try. */
  times: z.int().min(0).max(10).default(2),
  /** The pause before the first retry, doubled for each further one and varied by a tenth. */
  first: Duration.prefault('10ms'),
  /** No pause is longer. */
  longest: Duration.prefault('60s'),
  /** No retry begins later than this after the first try. */
  within: Duration.prefault('10m'),
});

const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, expected('the name of a header'))
  .refine(isFreeHeader, expectedFree);

export const HeaderValue = z.string().regex(/^[\t\x20-\x7e]{0,2000}$/, expected('a line of plain text'));

/** What is sent for a page; by default a GET without more. */
export const Request = strict({
  method: z.enum(['GET', 'POST']).exactOptional(),
  headers: z.record(HeaderName, HeaderValue).default({}),
  /** Fields of a form, sent as a browser does. */
  form: z.record(z.string().min(1).max(200), z.string().max(10_000)).exactOptional(),
  json: z.json().exactOptional(),
}).refine(
  ({ method, form, json }) =>
    (form === undefined || json === undefined) && (method !== 'GET' || (form ?? json) === undefined),
  expected('at most one of form and json, and none with GET'),
);

/** A proxy that all requests of the source go through. */
export const Proxy = strict({
  url: z.string().max(2_000).refine(isHttpUrl, expected('an http or https URL without user name and password')),
  user: Given.exactOptional(),
  password: SecretRef.exactOptional(),
});
