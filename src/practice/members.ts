import type { IncomingMessage, ServerResponse } from 'node:http';
import { fieldsOf, sendHtml } from './respond.ts';

/** The name and the password of the one member. */
export const member = { name: 'reader', password: 'open-sesame-0815' } as const;

const visitCookie = 'visit=first-0815';
const memberCookie = 'member=known-0815';
const csrf = 'token-0815';

/** Shows a page to who has logged in, and leads all others to the log-in. */
export function toMembers(page: string): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) =>
    request.headers.cookie?.includes(memberCookie) === true
      ? sendHtml(response, page)
      : void response.writeHead(302, { location: '/login' }).end();
}

/** Shows the form of the log-in, whose token and cookie must come back with the right name and password. */
export async function login(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = `<form method="post"><input type="hidden" name="csrf" value="${csrf}">
    <input name="name"><input type="password" name="password"><button>Log in</button></form>`;
  if (request.method !== 'POST') return sendHtml(response, form, { 'set-cookie': `${visitCookie}; Path=/` });
  const fields = await fieldsOf(request);
  const isRight =
    request.headers.cookie?.includes(visitCookie) === true &&
    fields.get('csrf') === csrf &&
    fields.get('name') === member.name &&
    fields.get('password') === member.password;
  if (!isRight) return sendHtml(response, `<p class="error">No.</p>${form}`);
  response.writeHead(302, { location: '/', 'set-cookie': `${memberCookie}; Path=/; HttpOnly` }).end();
}
