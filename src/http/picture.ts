import { type Calls, hangUp } from './calls.ts';
import { type Caller, type Exchange, send } from './exchange.ts';
import { checkVerb } from './guard.ts';
import { Refusal } from './problem.ts';

/** What a picture may do that is opened by itself: nothing. */
const pictureHeaders = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
};

/** Returns the digest of the picture that a path within the dashboard is of, such as `pictures/6Zb0QmXq2vI1ZQbJr0T1xA`. */
export function pictureDigest(path: string): string | undefined {
  return /^pictures\/([\w-]{22})$/.exec(path)?.[1];
}

/** Sends a picture that the browser took of a kept page. Rejects for anything else that is kept: it may hold scripts of a site. */
export async function sendPicture(exchange: Exchange, caller: Caller, calls: Calls, digest: string): Promise<void> {
  checkVerb(exchange, 'GET');
  const signal = hangUp(exchange);
  const { page, body } = await calls.within(() => calls.call(caller, 'page.get', { digest }, signal));
  if (page.why !== 'screenshot' || page.contentType !== 'image/jpeg')
    throw new Refusal('unknown_path', `no such picture: ${digest}`);
  for (const [name, value] of Object.entries(pictureHeaders)) exchange.response.setHeader(name, value);
  send(exchange, 200, Buffer.from(body, 'base64'), page.contentType);
}
