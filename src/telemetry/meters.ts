import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The engine in the daemon's own process, as a value of the label `worker`. */
export const localWorker = 'local';

/** No worker process, as a value of that label: for steps that none has run to their end. */
export const noWorker = 'none';

/** Up to the longest time that a request may take, 180 s, past the default limits of its parts, 10 and 30 s. */
const requestBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180];

/** From what may be read on the event loop, 5 ms, to the default limit of processor time, 5 s, and what waits for a thread besides. */
const extractionBuckets = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30];

/** From a step that is taken at once to one that is taken at the end of its turn, 14 s. */
const takenBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** From one fast page to the longest run of a collector by default, 6 h. */
const scrapeBuckets = [0.1, 0.5, 1, 5, 30, 60, 300, 1_800, 7_200, 21_600];

/** From a turn at once, over the pauses of politeness, 1 to 60 s, to the longest `Retry-After` that is honoured, 24 h. */
const waitBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 21_600, 86_400];

/** Around the 8 ms that a change waits at most for others to share a transaction. */
const commitBuckets = [0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.25, 1, 4];

/** The metrics of one daemon, by what they are about. */
export type Meters = ReturnType<typeof createMeters>;

/**
 * Creates the metrics of one daemon. Their names and labels are fixed, and so are the values of all labels but those of versions and of worker
 * processes, which are dropped once these are gone: no project, source, host or address is one, as these have no bound.
 */
export function createMeters() {
  const registry = new Registry();
  const registers = [registry];
  const gauge = <T extends string>(name: string, help: string, ...labelNames: T[]) =>
    new Gauge({ name: `heronry_${name}`, help, labelNames, registers });
  const counter = <T extends string>(name: string, help: string, ...labelNames: T[]) =>
    new Counter({ name: `heronry_${name}`, help, labelNames, registers });
  const histogram = <T extends string>(name: string, help: string, buckets: number[], ...labelNames: T[]) =>
    new Histogram({ name: `heronry_${name}`, help, buckets, labelNames, registers });

  return {
    registry,
    process: {
      info: gauge('info', 'The version of the daemon and of its run time; always 1.', 'version', 'node'),
      startTime: gauge('start_time_seconds', 'When the daemon started, in seconds since 1970.'),
      ready: gauge('ready', 'Whether all that should run was started, and scraping is not paused.'),
      queues: gauge(
        'queues_ready',
        'Whether steps can be handed to worker processes; missing where the daemon runs them itself.',
      ),
      memory: gauge('memory_bytes', "Memory of the process's own, without the mapped file of the store."),
      resident: gauge(
        'resident_memory_bytes',
        'All resident memory of the process, with the mapped file of the store.',
      ),
      cpu: counter('cpu_seconds_total', 'Processor time of the process, in all its threads.'),
      loopDelay: gauge(
        'loop_delay_seconds',
        'How late the event loop was: the 99th percentile of the last 10 to 20 s.',
      ),
      backup: gauge(
        'backup_age_seconds',
        'How old the newest instant in the continuous backup is, or the daemon before the first; missing where none is kept.',
      ),
    },
    state: {
      projects: gauge('projects', 'Projects by status.', 'status'),
      targets: gauge('targets', 'Targets by status.', 'status'),
      sources: gauge('sources', 'Sources by the state of their definitions.', 'state'),
      brokenFiles: gauge('broken_files', 'Files with problems that define no source, by what they define.', 'kind'),
      tickets: gauge('tickets', 'Tickets that are not resolved, by state.', 'state'),
      symptoms: gauge(
        'ticket_symptoms',
        'Tickets that are not resolved, by the kinds of symptoms that they show.',
        'symptom',
      ),
      lastEvent: gauge('last_event_id', 'The id of the newest event.'),
    },
    queues: {
      offers: gauge('offers', 'Due targets and requests that wait for turns, by what they wait for.', 'wait_for'),
      oldestOffer: gauge(
        'oldest_offer_seconds',
        'How long that one has been due which has waited longest.',
        'wait_for',
      ),
      backlog: gauge('backlog_turns', 'Turns that hosts allow now and that wait for room in flight alone.'),
      oldestBacklog: gauge('oldest_backlog_seconds', 'How long that one has waited which has waited longest.'),
      waiting: gauge('scrapes_waiting', 'Scrapes that people asked for and that have not begun.'),
      running: gauge('scrapes_running', 'Scrapes under way.'),
      outbox: gauge('outbox_events', 'Events that sinks have not taken up yet, by kind of sink.', 'kind'),
      steps: gauge('queued_steps', 'Steps in the queues between the daemon and its worker processes.', 'state'),
      parked: gauge(
        'outbox_messages',
        'Messages of sinks that wait for another try, or failed for good.',
        'kind',
        'state',
      ),
    },
    scale: {
      wanted: gauge('workers_wanted', 'Worker processes that are wanted, by the backlog.'),
      min: gauge('workers_min', 'Worker processes that are wanted at least.'),
      max: gauge('workers_max', 'Worker processes that are wanted at most.'),
    },
    workers: {
      online: gauge('worker_online', 'Whether an engine that runs steps is there.', 'worker'),
      concurrency: gauge('worker_concurrency', 'Steps that a worker process runs at a time.', 'worker'),
      prefetched: gauge(
        'worker_pages_prefetched',
        'Pages that are fetched and wait for a thread, or are read by one.',
        'worker',
      ),
    },
    steps: {
      running: gauge('worker_steps_running', 'Steps that an engine runs now.', 'worker'),
      total: counter('steps_total', 'Steps that ended, by kind and outcome.', 'worker', 'kind', 'outcome'),
      failures: counter('step_failures_total', 'Steps that failed, by code.', 'worker', 'code'),
      responses: counter('responses_total', 'Responses by class of status.', 'worker', 'status'),
      received: counter('received_bytes_total', 'Bytes of bodies, as they were sent.', 'worker'),
      seconds: histogram(
        'step_seconds',
        'Time from when a step was taken to its end.',
        requestBuckets,
        'worker',
        'kind',
      ),
      wait: histogram(
        'step_wait_seconds',
        'Time from when a step was handed over until a worker process took it.',
        takenBuckets,
        'worker',
      ),
      request: histogram(
        'request_seconds',
        'Time from a request to its whole response.',
        requestBuckets,
        'worker',
        'kind',
      ),
      extraction: histogram(
        'extraction_seconds',
        'Time from a response to what was read of it.',
        extractionBuckets,
        'worker',
      ),
    },
    scrapes: {
      total: counter('scrapes_total', 'Scrapes that ended, by kind and outcome.', 'kind', 'outcome'),
      seconds: histogram('scrape_seconds', 'Time from the begin of a scrape to its end.', scrapeBuckets, 'kind'),
      wait: histogram(
        'scrape_wait_seconds',
        'Time from when a scrape was due, or was asked for, to its begin.',
        waitBuckets,
        'reason',
      ),
    },
    store: {
      commits: counter('commits_total', 'Transactions of the store.'),
      changes: counter('changes_total', 'Changes in these transactions.'),
      seconds: histogram(
        'commit_seconds',
        'Time until the commit of a step, or of the end of a scrape.',
        commitBuckets,
      ),
    },
    http: {
      requests: counter(
        'http_requests_total',
        'Requests to the HTTP API, by class of status.',
        'route',
        'verb',
        'status',
      ),
      streams: gauge('http_streams', 'Streams of events that are open.'),
    },
  };
}
