import type { Exchange } from './exchange.ts';

/** How long a browser keeps the cookie, in seconds; the log-in itself may end sooner. */
const keepSeconds = 30 * 86_400;

/** Returns the text of a log-in that the cookie of a request has; nothing where it has none. */
export function cookieOf(exchange: Exchange): string | undefined {
  const name = nameOf(exchange);
  for (const part of (exchange.request.headers.cookie ?? '').split(';')) {
    const [key, text] = part.trim().split('=', 2);
    if (key === name && text !== undefined && /^[\w.-]{1,200}$/.test(text)) return text;
  }
  return undefined;
}

/** Has the browser keep the text of a log-in, which no script can read; without one, has it forget. */
export function setCookie(exchange: Exchange, text: string | undefined): void {
  const { base, response } = exchange;
  const attributes = [
    `Path=${base === '' ? '/' : base}`,
    `Max-Age=${text === undefined ? 0 : keepSeconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(exchange) ? ['Secure'] : []),
  ];
  response.setHeader('set-cookie', [`${nameOf(exchange)}=${text ?? ''}`, ...attributes].join('; '));
}

/**
 * Named with the port, as browsers send cookies to all ports of a name. Over TLS the name has browsers refuse a cookie of that name
 * that a neighbouring name or an answer without TLS sets.
 */
function nameOf(exchange: Exchange): string {
  const prefix = isSecure(exchange) ? (exchange.base === '' ? '__Host-' : '__Secure-') : '';
  return `${prefix}heronry_${exchange.request.socket.localPort}`;
}

function isSecure({ origin }: Exchange): boolean {
  return origin.startsWith('https:');
}
