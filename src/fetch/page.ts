/** The validators by which a site tells versions of a page apart, as the site sent them. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** A picture of what the browser showed, as JPEG: the part of the page that a visitor sees first, without pictures of its own. */
export type Screenshot = Uint8Array;

/** A fetched response with its metadata. Its content encoding is removed; its charset is not decoded. */
export interface Page {
  /** The address that the body came from. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case; repeated headers joined by `, `. Without `set-cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Missing if the site sent none. */
  readonly validators?: Validators;
  /** An ArrayBuffer that holds nothing else, so that it can be transferred to a thread. */
  readonly body: ArrayBuffer;
  /** When the response head came, wall time. What is read from the page counts as observed then. */
  readonly observedAt: number;
  readonly elapsedMs: number;
  /** Bytes of the body as sent, before decoding. */
  readonly encodedBytes: number;
  /** Set for a rendered page whose request asked for it, where it could be taken. */
  readonly screenshot?: Screenshot;
}
