import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { TestContext } from 'node:test';

/** A store that speaks the protocol of S3, as far as an export needs it, and believes no signature. */
export interface StoreServer {
  readonly origin: string;
  /** The objects by `bucket/key`. */
  readonly objects: Map<string, Buffer>;
  /** What was asked, such as `PUT bucket/key?partNumber=1`. */
  readonly asked: readonly string[];
  /** The uploads that were neither completed nor given up. */
  readonly uploads: ReadonlyMap<string, readonly (Buffer | undefined)[]>;
  /** Answers requests of this kind, such as `POST`, by 503 so many times from now on. */
  fail(method: string, times: number): void;
}

export const storeCredentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCY' };

/** Opens a store that ends with the test. */
export async function openStoreServer(t: TestContext): Promise<StoreServer> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, (Buffer | undefined)[]>();
  const asked: string[] = [];
  const failing = new Map<string, number>();
  const server = createServer((request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      const answer = answerTo(request, Buffer.concat(chunks));
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const origin = `http://127.0.0.1:${port}`;
  return { origin, objects, asked, uploads, fail: (method, times) => failing.set(method, times) };

  function answerTo(request: IncomingMessage, body: Buffer) {
    const { method = '', url = '' } = request;
    const { pathname, searchParams: query } = new URL(url, origin);
    const key = decodeURIComponent(pathname).slice(1);
    asked.push(`${method} ${key}${url.includes('?') ? `?${[...query.keys()].join('&')}` : ''}`);
    if (!isSigned(request, body)) return error(403, 'SignatureDoesNotMatch');
    const failures = failing.get(method) ?? 0;
    failing.set(method, failures - 1);
    if (failures > 0) return error(503, 'SlowDown');
    const prefix = query.get('prefix');
    if (prefix !== null) {
      const found = [...objects.keys()].some((each) => each.startsWith(`${key.replace(/\/$/, '')}/${prefix}`));
      return {
        status: 200,
        headers: {},
        body: `<ListBucketResult>${found ? '<Contents></Contents>' : ''}</ListBucketResult>`,
      };
    }
    const upload = query.get('uploadId');
    if (query.has('uploads')) {
      const id = `upload-${uploads.size + 1}`;
      uploads.set(id, []);
      return {
        status: 200,
        headers: {},
        body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      };
    }
    if (upload !== null) return answerToUpload(method, key, upload, Number(query.get('partNumber')), body);
    if (method === 'PUT') objects.set(key, body);
    if (method === 'DELETE') return { status: objects.delete(key) ? 204 : 404, headers: {}, body: '' };
    const found = objects.get(key);
    return found === undefined
      ? error(404, 'NoSuchKey')
      : { status: 200, headers: {}, body: method === 'GET' ? found : '' };
  }

  function answerToUpload(method: string, key: string, id: string, number: number, body: Buffer) {
    const parts = uploads.get(id);
    if (parts === undefined) return error(404, 'NoSuchUpload');
    if (method === 'DELETE') {
      uploads.delete(id);
      return { status: 204, headers: {}, body: '' };
    }
    if (method === 'PUT') {
      parts[number - 1] = body;
      return { status: 200, headers: { etag: etagOf(body) }, body: '' };
    }
    const named = Array.from(String(body).matchAll(/<ETag>(.*?)<\/ETag>/g), ([, etag]) => etag);
    const isWhole = named.length === parts.length && parts.every((part, at) => part && etagOf(part) === named[at]);
    // A store that has begun to answer can only say so in the body.
    if (!isWhole) return { status: 200, headers: {}, body: '<Error><Code>InvalidPart</Code></Error>' };
    objects.set(key, Buffer.concat(parts.map((part) => part ?? Buffer.alloc(0))));
    uploads.delete(id);
    return { status: 200, headers: {}, body: '<CompleteMultipartUploadResult/>' };
  }
}

function error(status: number, code: string) {
  return { status, headers: {}, body: `<?xml version="1.0"?><Error><Code>${code}</Code></Error>` };
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

/** Whether a request is signed as the manual of AWS says (Signature Version 4), and its body is the one that was signed. */
function isSigned({ method, url = '', headers }: IncomingMessage, body: Buffer): boolean {
  const [, scope = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const [access, day = '', region = '', service = '', end = ''] = scope.split('/');
  const hash = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
  const digest = String(headers['x-amz-content-sha256']);
  if (access !== storeCredentials.accessKeyId || service !== 's3' || digest !== hash(body)) return false;
  const { pathname, searchParams } = new URL(url, 'http://store');
  const escape = (text: string): string =>
    encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...searchParams].map(([name, value]) => `${escape(name)}=${escape(value)}`).toSorted();
  const signed = names.split(';');
  const canonical = [
    method,
    decodeURIComponent(pathname).split('/').map(escape).join('/'),
    query.join('&'),
    ...signed.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    digest,
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], [day, region, service, end].join('/'), hash(canonical)].join(
    '\n',
  );
  const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();
  const key = [day, region, service, end].reduce<string | Buffer>(hmac, `AWS4${storeCredentials.secretAccessKey}`);
  return (
    signed.includes('host') &&
    signed.includes('x-amz-content-sha256') &&
    timingSafeEqual(Buffer.from(signature, 'hex'), hmac(key, text))
  );
}
