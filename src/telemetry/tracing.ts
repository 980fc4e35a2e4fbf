import { setTimeout } from 'node:timers/promises';
import type { SpanExporter, TracerProviderOptions } from '@opentelemetry/sdk-trace';
import type { Clock } from '../clock.ts';
import { loadPeer } from '../load-peer.ts';
import type { ScrapeObserver } from '../scrape/observer.ts';
import { traceScrapes } from './trace-scrapes.ts';

/** Where traces go, and what their spans say of the daemon. */
export interface TracingOptions {
  /** The address of a collector, which takes OTLP over HTTP at `/v1/traces` below it. */
  readonly endpoint: string;
  readonly clock: Clock;
  readonly version: string;
  /** Called with a sentence each time that the collector begins to take nothing. */
  warn(what: string): void;
}

/** Traces of scrapes. */
export interface Tracing {
  readonly observer: ScrapeObserver;
  /** Sends the spans that wait, for at most 2 s. */
  close(): Promise<void>;
}

/** Spans that wait for the collector, at most; further ones are dropped, so that a collector that is down costs no more than their memory. */
const mostWaiting = 2_048;
const batchSize = 512;
const sendEveryMs = 2_000;
const sendMs = 5_000;
const closeMs = 2_000;

/** Opens the traces of scrapes. Rejects with a `MissingPeer` where a package is not installed; all of them are loaded here alone. */
export async function openTracing({ endpoint, clock, version, warn }: TracingOptions): Promise<Tracing> {
  const api = await loadPeer(() => import('@opentelemetry/api'), '@opentelemetry/api');
  const { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } = await loadPeer(
    () => import('@opentelemetry/sdk-trace'),
    '@opentelemetry/sdk-trace',
  );
  const { OTLPTraceExporter } = await loadPeer(
    () => import('@opentelemetry/exporter-trace-otlp-http'),
    '@opentelemetry/exporter-trace-otlp-http',
  );
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const provider = new TracerProvider({
    resource: resourceOf({ 'service.name': 'heronry', 'service.version': version }),
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: warning(new OTLPTraceExporter({ url, timeoutMillis: sendMs }), (why) =>
          warn(`tracing: ${url} takes no spans: ${why}`),
        ),
        maxQueueSize: mostWaiting,
        maxExportBatchSize: batchSize,
        scheduledDelayMillis: sendEveryMs,
        exportTimeoutMillis: sendMs,
      }),
    ],
  });

  return {
    observer: traceScrapes({ api, tracer: provider.getTracer('heronry', version), clock }),
    async close() {
      const over = new AbortController();
      const late = setTimeout(closeMs, undefined, { signal: over.signal });
      // What could not be sent has been warned of.
      await Promise.race([provider.shutdown(), late]).catch(() => undefined);
      over.abort();
      await late.catch(() => undefined);
    },
  };
}

/** Wraps an exporter, and calls `fails` each time that it fails after it did not. */
function warning(exporter: SpanExporter, fails: (why: string) => void): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const { error } = result;
        if (error !== undefined && !isFailing) fails(error.message);
        isFailing = error !== undefined;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** What all spans are of. */
function resourceOf(attributes: Readonly<Record<string, string>>): NonNullable<TracerProviderOptions['resource']> {
  const resource = { attributes, merge: () => resource, getRawAttributes: () => Object.entries(attributes) };
  return resource;
}
