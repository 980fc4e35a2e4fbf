import * as z from 'zod';
import { Given, SecretRef } from './auth.ts';
import { Duration } from '../schema/duration.ts';
import { expected } from '../schema/expected.ts';
import { HeaderName, HeaderValue } from './header.ts';
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
