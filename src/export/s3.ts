import { createHash } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { RefusedAddress, refusedHost, type Resolve, vettedLookup } from '../fetch/address.ts';
import { loadPeer } from '../load-peer.ts';
import { type Destination, DestinationError } from './destination.ts';

/** What signs requests to S3. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** A bucket of S3, or of a store that speaks its protocol. */
export interface S3Options {
  /** `s3://bucket/prefix`. */
  readonly address: string;
  readonly credentials: S3Credentials;
  readonly region: string;
  /** The address of another store, such as `https://minio.example`. Default: that of AWS in the region. */
  readonly endpoint?: string | undefined;
  /** Whether the store may have a private address. */
  readonly allowPrivate: boolean;
  /** Looks names up. Default: as the system does. */
  readonly resolve?: Resolve;
  /** Bytes from which a file is sent in several parts of that size; S3 wants 5 MiB at least. Default: 16 MiB. */
  readonly partBytes?: number;
  /** Milliseconds before the second attempt, doubled for each further one. Default: 500. */
  readonly retryMs?: number;
}

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

interface Answer {
  readonly status: number;
  readonly etag: string;
  readonly text: string;
}

const attempts = 5;

/** How long a request may take that is not sent or not answered. */
const timeoutMs = 120_000;

/**
 * Opens a bucket as the destination of an export. Files under way are in a temporary folder of this machine; an object appears when it is
 * complete. Rejects with a `DestinationError` for an address that is none or may not be asked.
 */
export async function openS3(options: S3Options): Promise<Destination> {
  const { address, credentials, region, allowPrivate, partBytes = 16 * 1_048_576, retryMs = 500 } = options;
  const { AwsV4Signer } = await loadPeer(() => import('aws4fetch'), 'aws4fetch');
  const place = placeOf(options);
  const rules = { allowPrivate };
  const refused = refusedHost(place.bucket.hostname, rules);
  if (refused !== undefined) throw mayNotBeAsked(refused);
  const agent = new Agent({ connect: { lookup: vettedLookup(rules, options.resolve), timeout: 30_000 } });
  const spool = await mkdtemp(join(tmpdir(), 'heronry-export-'));

  return {
    name: address,
    spool,
    async read(name) {
      const answer = await asked('GET', name, { allows: 404 });
      return answer.status === 404 ? undefined : answer.text;
    },
    async isTaken(name) {
      const query = { 'list-type': '2', 'max-keys': '1', prefix: [...place.keys, name, ''].join('/') };
      return (await asked('GET', undefined, { query })).text.includes('<Contents>');
    },
    async write(name, text) {
      await asked('PUT', name, { body: Buffer.from(text) });
    },
    publish,
    async remove(name) {
      await asked('DELETE', name, { allows: 404 });
    },
    async close() {
      await rm(spool, { recursive: true, force: true });
      await agent.close();
    },
  };

  async function publish(path: string, name: string): Promise<void> {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const read = async (from: number): Promise<Buffer> => {
        const part = Buffer.alloc(Math.min(partBytes, size - from));
        await file.read(part, 0, part.length, from);
        return part;
      };
      if (size <= partBytes) await asked('PUT', name, { body: await read(0) });
      else await sendInParts(name, size, read);
    } finally {
      await file.close();
    }
  }

  /** Sends a large file in parts. What was sent is given up when one fails. */
  async function sendInParts(name: string, size: number, read: (from: number) => Promise<Buffer>): Promise<void> {
    const { text } = await asked('POST', name, { query: { uploads: '' } });
    const [, uploadId = ''] = /<UploadId>([^<]+)<\/UploadId>/.exec(text) ?? [];
    if (uploadId === '') throw new DestinationError('failed', `${address}: ${name}: the store began no upload`);
    try {
      const parts: string[] = [];
      for (let from = 0; from < size; from += partBytes) {
        const partNumber = String(parts.length + 1);
        const { etag } = await asked('PUT', name, { query: { partNumber, uploadId }, body: await read(from) });
        parts.push(`<Part><PartNumber>${partNumber}</PartNumber><ETag>${etag}</ETag></Part>`);
      }
      const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
      const done = await asked('POST', name, { query: { uploadId }, body });
      // It may fail once it has begun to answer.
      if (done.text.includes('<Error>')) throw failed('POST', name, done);
    } catch (error) {
      await asked('DELETE', name, { query: { uploadId }, allows: 404 }).catch(() => undefined);
      throw error;
    }
  }

  interface Asked {
    readonly query?: Readonly<Record<string, string>>;
    readonly body?: Buffer;
    /** A status besides 2xx that counts as success. */
    readonly allows?: number;
  }

  /** Sends a signed request for an object, or, without a name, for the bucket. Tries again while the store is busy or out of reach. */
  async function asked(method: Method, name: string | undefined, { query = {}, body, allows }: Asked) {
    const url = new URL(place.bucket);
    const path = name === undefined ? [] : [...place.keys, ...name.split('/')].map(encodeURIComponent);
    url.pathname = [url.pathname.replace(/\/$/, ''), ...path].join('/');
    url.search = new URLSearchParams(query).toString();
    for (let attempt = 1; ; attempt += 1) {
      const answer = await answered(url, method, body).catch((error: unknown) => {
        if (!(error instanceof Error)) throw error;
        return error;
      });
      if (answer instanceof RefusedAddress) throw mayNotBeAsked(answer);
      const isTransient = answer instanceof Error || answer.status >= 500 || answer.status === 429;
      if (isTransient && attempt < attempts) {
        await delay(retryMs * 2 ** (attempt - 1));
        continue;
      }
      if (answer instanceof Error)
        throw new DestinationError('failed', `${address}: cannot be asked: ${answer.message}`, { cause: answer });
      if ((answer.status >= 200 && answer.status < 300) || answer.status === allows) return answer;
      throw failed(method, name ?? 'the bucket', answer);
    }
  }

  async function answered(url: URL, method: Method, body: Buffer = Buffer.alloc(0)): Promise<Answer> {
    const digest = createHash('sha256').update(body).digest('hex');
    const signed = await new AwsV4Signer({
      ...credentials,
      url: url.href,
      method,
      headers: { 'x-amz-content-sha256': digest },
      service: 's3',
      region,
    }).sign();
    const {
      statusCode,
      headers,
      body: found,
    } = await request(signed.url, {
      dispatcher: agent,
      method,
      headers: Object.fromEntries(signed.headers),
      body: method === 'PUT' || method === 'POST' ? body : null,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: statusCode, etag: String(headers['etag'] ?? ''), text: await found.text() };
  }

  function mayNotBeAsked(refused: RefusedAddress): DestinationError {
    return new DestinationError('failed', `${address}: ${refused.message}: see --allow-private`, { cause: refused });
  }

  function failed(method: string, name: string, { status, text }: Answer): DestinationError {
    const [, code = ''] = /<Code>(\w{1,60})<\/Code>/.exec(text) ?? [];
    return new DestinationError('failed', `${address}: ${method} of ${name} answered ${status}${code && ` ${code}`}`);
  }
}

/** The address of a bucket, and the parts of the prefix that its objects are below. */
function placeOf({ address, region, endpoint }: S3Options): { readonly bucket: URL; readonly keys: readonly string[] } {
  const [, bucket = '', prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/?$/.exec(address) ?? [];
  if (bucket === '') throw new DestinationError('failed', `${address}: expected s3://bucket/prefix`);
  const keys = prefix.split('/').filter((each) => each !== '');
  // The certificates of AWS do not hold for names with points.
  const isOfPath = endpoint !== undefined || bucket.includes('.');
  const base =
    endpoint ?? (isOfPath ? `https://s3.${region}.amazonaws.com` : `https://${bucket}.s3.${region}.amazonaws.com`);
  const url = URL.parse(base);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new DestinationError('failed', `${address}: expected an http or https address as the endpoint`);
  const path = [...url.pathname.split('/'), ...(isOfPath ? [bucket] : [])].filter((each) => each !== '');
  url.pathname = `/${path.map(encodeURIComponent).join('/')}`;
  return { bucket: url, keys };
}
