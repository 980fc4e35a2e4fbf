import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import * as z from 'zod';
import { createMeters } from '../../src/telemetry/meters.ts';

/** The metrics of a daemon, each with its type and its labels. */
async function described(): Promise<string[]> {
  const { registry } = createMeters();
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map(({ name, type }) => {
    const labels = z.array(z.string()).parse(Reflect.get(registry.getSingleMetric(name) ?? {}, 'labelNames'));
    return `${name} ${String(type)} ${labels.join(' ')}`.trim();
  });
}

describe('the metrics of a daemon', () => {
  test('are these, with these labels', async () => {
    assert.deepEqual(await described(), [
      'heronry_info gauge version node',
      'heronry_start_time_seconds gauge',
      'heronry_ready gauge',
      'heronry_queues_ready gauge',
      'heronry_memory_bytes gauge',
      'heronry_resident_memory_bytes gauge',
      'heronry_cpu_seconds_total counter',
      'heronry_loop_delay_seconds gauge',
      'heronry_backup_age_seconds gauge',
      'heronry_projects gauge status',
      'heronry_targets gauge status',
      'heronry_sources gauge state',
      'heronry_broken_files gauge kind',
      'heronry_tickets gauge state',
      'heronry_ticket_symptoms gauge symptom',
      'heronry_last_event_id gauge',
      'heronry_offers gauge wait_for',
      'heronry_oldest_offer_seconds gauge wait_for',
      'heronry_backlog_turns gauge',
      'heronry_oldest_backlog_seconds gauge',
      'heronry_scrapes_waiting gauge',
      'heronry_scrapes_running gauge',
      'heronry_outbox_events gauge kind',
      'heronry_queued_steps gauge state',
      'heronry_outbox_messages gauge kind state',
      'heronry_workers_wanted gauge',
      'heronry_workers_min gauge',
      'heronry_workers_max gauge',
      'heronry_worker_online gauge worker',
      'heronry_worker_concurrency gauge worker',
      'heronry_worker_pages_prefetched gauge worker',
      'heronry_worker_steps_running gauge worker',
      'heronry_steps_total counter worker kind outcome',
      'heronry_step_failures_total counter worker code',
      'heronry_responses_total counter worker status',
      'heronry_received_bytes_total counter worker',
      'heronry_step_seconds histogram worker kind',
      'heronry_step_wait_seconds histogram worker',
      'heronry_request_seconds histogram worker kind',
      'heronry_extraction_seconds histogram worker',
      'heronry_scrapes_total counter kind outcome',
      'heronry_scrape_seconds histogram kind',
      'heronry_scrape_wait_seconds histogram reason',
      'heronry_commits_total counter',
      'heronry_changes_total counter',
      'heronry_commit_seconds histogram',
      'heronry_http_requests_total counter route verb status',
      'heronry_http_streams gauge',
    ]);
  });

  test('are all in the docs, as they are', async () => {
    const page = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'monitoring.md'), 'utf8');
    const rows = Array.from(
      page.matchAll(/^\| `(heronry_\w+)` \| (\w+) \| ([^|]*) \|/gm),
      ([, name = '', type = '', labels = '']) => `${name} ${type} ${labels.replaceAll(/[`,]/g, '')}`.trim(),
    );
    assert.deepEqual(rows, await described());
  });
});
