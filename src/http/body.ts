import type { IncomingMessage } from 'node:http';
import { ControlError } from '../control/error.ts';
import { isDeeperThan, lineLimitBytes, maxLevels } from '../control/message.ts';
import { isMapping } from '../schema/mapping.ts';
import { Refusal } from './problem.ts';

/**
 * Reads the body of a change, which must be a JSON object and say so: a form of another site can send neither. A `DELETE` may come
 * without one. Rejects with a `Refusal` or a `ControlError` that says what is wrong.
 */
export async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const text = await readText(request, lineLimitBytes);
  if (text === '' && request.method === 'DELETE') return {};
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json *(?:; *charset="?utf-8"?)?$/i.test(type))
    throw new Refusal('not_a_json_body', 'content-type: expected application/json, with a JSON object as the body');
  if (isDeeperThan(maxLevels, text))
    throw new ControlError('invalid_request', `expected at most ${maxLevels} levels of nesting`);
  const body = parsed(text);
  if (!isMapping(body)) throw new ControlError('invalid_request', 'expected a JSON object as the body');
  return body;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ControlError('not_json', 'expected a JSON object as the body, got no JSON', { cause });
  }
}

/** Reads the body of a request as text. Rejects where it is longer than a bound, or cut off. */
export async function readText(request: IncomingMessage, mostBytes: number): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      if (!Buffer.isBuffer(chunk)) throw new Error('expected the bytes of a body');
      bytes += chunk.length;
      if (bytes > mostBytes) throw tooLarge(mostBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    // The client has gone, which is no fault of ours.
    if (!request.complete && !(error instanceof Refusal))
      throw new ControlError('invalid_request', 'the body was cut off', { cause: error });
    throw error;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The refusal of a body over a bound, which ends the connection with what is left of the body. */
export function tooLarge(mostBytes: number): Refusal {
  return new Refusal('body_too_large', `expected a body of at most ${mostBytes} bytes`, { connection: 'close' });
}
