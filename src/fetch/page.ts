/** By what a site tells one version of a page from another, word for word as it said them. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** A fetched response with its metadata; `body` is decoded from its content encoding, not from its charset. */
export interface Page {
  /** Where the body came from. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case; repeated headers joined by `, `. Without `set-cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Missing when the site tells none. */
  readonly validators?: Validators;
  /** Owns all of its memory, so that it can be moved to a thread. */
  readonly body: ArrayBuffer;
  /** Wall time at which the response head came: the observation instant of what is read from the page. */
  readonly observedAt: number;
  readonly elapsedMs: number;
  /** Bytes of the body as sent, before decoding. */
  readonly encodedBytes: number;
}
