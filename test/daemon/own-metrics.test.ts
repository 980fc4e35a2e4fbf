import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productPage } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { openStream } from '../http/server.ts';
import { startServing } from './serving.ts';

/** The samples of a text of metrics, by name and labels. */
function samplesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, name = '', value = ''] = /^(\w+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      return [name, Number(value)];
    }),
  );
}

/** A sink that nobody listens to. */
const deafSink = 'id: deaf\nwebhook: { url: "http://127.0.0.1:9/", allowPrivate: true }\nfrom: all\n';

describe('the metrics of a daemon that scrapes', () => {
  test('count its steps, scrapes, commits and requests, and name no project, source or address [S39]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': { status: 500 } });
    const served = await startServing(t, { sinks: { deaf: deafSink } });
    for (const path of ['a', 'b'])
      await served.client.call('project.add', { id: path, targets: [{ source: 'shop', url: site.url(`/${path}`) }] });
    await served.event(({ type }) => type === 'scrape.completed');
    await served.event(({ type }) => type === 'scrape.failed');
    const stream = await openStream(t, served.port, '/v1/events', { authorization: `Bearer ${served.token}` });
    await stream.next();
    await served.daemon.system.idle();

    const before = await served.client.call('daemon.status', {});
    const { text, headers, status } = await served.ask('/metrics');
    const after = await served.client.call('daemon.status', {});
    assert.equal(status, 200);
    assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/);
    assert.doesNotMatch(text, new RegExp(`shop|deaf|127\\.0\\.0\\.1|${served.folder}`));
    const samples = samplesOf(text);
    const expected = {
      heronry_ready: 1,
      'heronry_projects{status="active"}': 2,
      'heronry_targets{status="parked"}': 0,
      'heronry_worker_online{worker="local"}': 1,
      'heronry_worker_steps_running{worker="local"}': 0,
      'heronry_worker_pages_prefetched{worker="local"}': 0,
      heronry_scrapes_waiting: 0,
      heronry_scrapes_running: 0,
      'heronry_offers{wait_for="gap"}': 0,
      'heronry_steps_total{worker="local",kind="page",outcome="read"}': 1,
      'heronry_steps_total{worker="local",kind="page",outcome="failed"}': 1,
      'heronry_step_failures_total{worker="local",code="status"}': 1,
      'heronry_responses_total{worker="local",status="5xx"}': 1,
      'heronry_request_seconds_count{worker="local",kind="page"}': 2,
      'heronry_extraction_seconds_count{worker="local"}': 1,
      'heronry_scrapes_total{kind="page",outcome="complete"}': 1,
      'heronry_scrapes_total{kind="page",outcome="failed"}': 1,
      'heronry_scrape_seconds_count{kind="page"}': 2,
      'heronry_scrape_wait_seconds_count{reason="due"}': 2,
      heronry_commit_seconds_count: 2,
      'heronry_ticket_symptoms{symptom="failing"}': 0,
      heronry_http_streams: 1,
    };
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, samples.get(name)])), expected);
    // The sink that nobody listens to is tried again meanwhile, which commits.
    const commits = samples.get('heronry_commits_total') ?? 0;
    assert.ok(before.commits.transactions > 0);
    assert.ok(before.commits.transactions <= commits && commits <= after.commits.transactions);
    const lastEvent = samples.get('heronry_last_event_id') ?? 0;
    assert.ok(before.lastEvent <= lastEvent && lastEvent <= after.lastEvent);
    assert.ok((samples.get('heronry_outbox_events{kind="webhook"}') ?? 0) >= 0);
    assert.ok((samples.get('heronry_received_bytes_total{worker="local"}') ?? 0) > 50);
    const again = samplesOf((await served.ask('/metrics')).text);
    assert.equal(again.get('heronry_http_requests_total{route="/metrics",verb="GET",status="2xx"}'), 1);
  });
});
