import { hash } from 'node:crypto';

/** A request as far as it decides what comes back; headers do not count. */
export interface AskedRequest {
  /** Canonical. */
  readonly url: string;
  /** Default: `GET`. */
  readonly method?: string;
  readonly body?: string;
}

/** What tells one request of a crawl from another: the canonical URL itself for a plain GET, else with method and body. */
export function requestKey({ url, method = 'GET', body = '' }: AskedRequest): string {
  const verb = method.toUpperCase();
  if (verb === 'GET' && body === '') return url;
  return `${verb} ${url} ${hash('sha256', body, 'base64url')}`;
}
