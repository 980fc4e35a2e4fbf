/** The ways a fetch is expected to fail. They are values: a crash here would be a bug of ours. */
export type FetchFailure =
  | { readonly code: 'timeout'; readonly stage: 'connect' | 'headers' | 'body' | 'total'; readonly afterMs: number }
  | { readonly code: 'unreachable'; readonly cause: string }
  | { readonly code: 'status'; readonly status: number; readonly retryAfterMs?: number }
  | { readonly code: 'too_large'; readonly limitBytes: number }
  | { readonly code: 'truncated'; readonly cause: string }
  | { readonly code: 'bad_response'; readonly cause: string }
  | { readonly code: 'bad_encoding'; readonly encoding: string }
  | { readonly code: 'bad_redirect'; readonly location: string }
  | { readonly code: 'refused_address'; readonly address: string }
  | { readonly code: 'cancelled' };
