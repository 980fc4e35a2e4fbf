/** The ways a fetch is expected to fail. They are values: a crash here would be a bug of ours. */
export type FetchFailure =
  | {
      readonly code: 'timeout';
      readonly stage: 'connect' | 'headers' | 'body' | 'total' | 'render';
      readonly afterMs: number;
    }
  | { readonly code: 'unreachable'; readonly cause: string }
  | { readonly code: 'bad_certificate'; readonly cause: string }
  | { readonly code: 'proxy_failed'; readonly cause: string }
  /** `excerpt` is the beginning of what the site said about it, as one line of text; missing when it said nothing. */
  | { readonly code: 'status'; readonly status: number; readonly retryAfterMs?: number; readonly excerpt?: string }
  | { readonly code: 'too_large'; readonly limitBytes: number }
  | { readonly code: 'truncated'; readonly cause: string }
  | { readonly code: 'bad_response'; readonly cause: string }
  | { readonly code: 'bad_encoding'; readonly encoding: string }
  | { readonly code: 'bad_redirect'; readonly location: string }
  | { readonly code: 'url_too_long'; readonly length: number; readonly limit: number }
  /** `range` says what kind of address it is. */
  | { readonly code: 'refused_address'; readonly address: string; readonly range: string }
  /** `cause` says what to install. */
  | { readonly code: 'renderer_missing'; readonly cause: string }
  | { readonly code: 'render_crashed'; readonly cause: string }
  | { readonly code: 'cancelled' };
