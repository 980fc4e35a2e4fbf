import * as z from 'zod';
import { expected } from '../schema/expected.ts';
import { Selector } from './selector.ts';
import { TokenHeader } from '../schema/header.ts';
import { quiet, SecretRef } from '../schema/secret-name.ts';
import { strict } from '../schema/strict.ts';
import { isHttpUrl } from './url-pattern.ts';

/** The value of a field: a text as it stands, or a secret. */
export const Given = z.union([z.string().max(1_000), SecretRef], quiet('text or a mapping { secret: NAME }'));
export type Given = z.infer<typeof Given>;

const HttpUrl = z.string().max(2_000).refine(isHttpUrl, quiet('an http or https URL without user name and password'));

/** An origin: scheme, host and port. */
export const Origin = z
  .string()
  .max(300)
  .refine((text) => URL.parse(text)?.origin === text, expected('an origin like "https://shop.example"'));

/** Names of form fields or JSON members that are sent, and what they hold. */
const SentFields = z.record(z.string().min(1).max(200), Given).refine(isShort, expected('at most 50 fields'));

/** The way to a value in JSON: names of members and indices of elements, with dots between. */
const Dotted = z
  .string()
  .max(200)
  .regex(/^[^.\s]+(?:\.[^.\s]+)*$/, expected('names with dots between, like "data.token"'));

/** Options of every way to log in. */
const common = {
  /** Where credentials and cookies are sent and taken from. Default: the origins of the log-in and of the source's address. */
  origins: z.array(Origin).min(1).max(20).exactOptional(),
  /** Answers that tell of a session that is over. */
  expiredStatus: z.array(z.int().min(400).max(499)).min(1).max(10).default([401]),
};

/** How a token is sent. */
const carried = {
  /** Before the token. */
  scheme: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,40}$/, expected('a scheme like "Bearer"'))
    .default('Bearer'),
  /** A header that holds the token alone, such as `x-api-key`. Default: `authorization`, after the scheme. */
  header: TokenHeader.exactOptional(),
};

/** How a log-in by form is known to have worked: all that is given must hold. */
const Success = strict({
  /** Statuses of the answer to the form itself. */
  status: z.int().min(200).max(499).exactOptional(),
  /** The path that one of the redirects leads to. */
  redirect: z
    .string()
    .regex(/^\/[^?#\s]{0,500}$/, expected('a path like "/account"'))
    .exactOptional(),
  /** Matches an element of the page that the redirects lead to. */
  selector: Selector.exactOptional(),
  /** The name of a cookie that is set after the form was sent. */
  cookie: z.string().min(1).max(200).exactOptional(),
}).refine(
  (success) => Object.keys(success).length > 0,
  expected('at least one of status, redirect, selector and cookie'),
);

const Basic = strict({ type: z.literal('basic'), user: Given, password: SecretRef, ...common });

const Bearer = strict({ type: z.literal('bearer'), token: SecretRef, ...carried, ...common });

const Form = strict({
  type: z.literal('form'),
  /** Where the fields are sent. */
  url: HttpUrl,
  /** The page of the form, asked for first where `hidden` needs it. Default: `url`. */
  page: HttpUrl.exactOptional(),
  fields: SentFields,
  /** Fields that the form's page fills in, such as a CSRF token, each by the element that holds it. */
  hidden: z.record(z.string().min(1).max(200), Selector).refine(isShort, expected('at most 50 fields')).default({}),
  success: Success,
  ...common,
});

const TokenRefresh = strict({
  /** Default: that of the log-in. */
  url: HttpUrl.exactOptional(),
  /** Sent along with the refresh token. */
  fields: SentFields.default({}),
  /** The field that holds the refresh token. */
  token: z.string().min(1).max(200).default('refresh_token'),
});

const Token = strict({
  type: z.literal('token'),
  url: HttpUrl,
  encoding: z.enum(['form', 'json']).default('form'),
  fields: SentFields,
  /** The places of the tokens in the answer. */
  read: strict({
    access: Dotted.default('access_token'),
    refresh: Dotted.default('refresh_token'),
    /** Seconds from now. */
    expiresIn: Dotted.default('expires_in'),
  }).prefault({}),
  /** How the token is renewed. Default: by another log-in. */
  refresh: TokenRefresh.exactOptional(),
  ...carried,
  ...common,
});

/** A log-in by the plug-in's own `authenticate`. */
const ByPlugin = strict({ type: z.literal('plugin'), ...common });

/** How the daemon logs in to a source. */
export const Auth = z.discriminatedUnion('type', [Basic, Bearer, Form, Token, ByPlugin]);
export type Auth = z.infer<typeof Auth>;

/** Returns the origins that credentials may be sent to: those of the definition, else the origins of the log-in and of the source's address. */
export function authOrigins(auth: Auth | undefined, sourceUrl: string | undefined): string[] {
  if (auth?.origins !== undefined) return auth.origins;
  const urls = [sourceUrl?.replaceAll(/[{}]/g, ''), ...(auth === undefined ? [] : loginUrls(auth))];
  const origins = urls.flatMap((url) => URL.parse(url ?? '')?.origin ?? []);
  return [...new Set(origins)];
}

/** Returns the addresses that are requested only to log in. */
export function loginUrls(auth: Auth): string[] {
  switch (auth.type) {
    case 'basic':
    case 'bearer':
    case 'plugin':
      return [];
    case 'form':
      return [...new Set([auth.page ?? auth.url, auth.url])];
    case 'token':
      return [...new Set([auth.url, auth.refresh?.url ?? auth.url])];
    default:
      return auth satisfies never;
  }
}

/** Returns the names of the secrets that a log-in needs, in alphabetical order. */
export function secretNames(auth: Auth | undefined): string[] {
  return auth === undefined ? [] : [...new Set(namedIn(givens(auth)))].sort();
}

/** Returns the names of the secrets among some values. */
export function namedIn(values: readonly (Given | undefined)[]): string[] {
  return values.flatMap((given) => (typeof given === 'object' ? [given.secret] : []));
}

function givens(auth: Auth): Given[] {
  switch (auth.type) {
    case 'basic':
      return [auth.user, auth.password];
    case 'bearer':
      return [auth.token];
    case 'form':
      return Object.values(auth.fields);
    case 'token':
      return [...Object.values(auth.fields), ...Object.values(auth.refresh?.fields ?? {})];
    case 'plugin':
      return [];
    default:
      return auth satisfies never;
  }
}

function isShort(fields: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(fields).length <= 50;
}
