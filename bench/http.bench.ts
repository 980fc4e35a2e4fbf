/**
 * Question: what does it take to send events to many clients? A store tells events one by one, each in a commit of its own, to 1, 100 and 1,000
 * streams of `GET /v1/events`; in the same run as many bare responses of `node:http` are written the same bytes. The clients are in a process of
 * their own. `ownUs` and `bareUs` are processor time of the server's process for an event and client, that of the commits taken off; the
 * median of the rounds, as is their ratio. With one client what is left is small beside the commits, and says little.
 *
 * Goal: twice the bare responses with 100 and 1,000 clients.
 *
 * Run with `node bench/http.bench.ts [--json] [--quick]`.
 */
import { fanOut } from './fan-out.ts';
import { load } from './process-figures.ts';
import { isQuick, show } from './show.ts';
import { median, rounded } from './statistics.ts';

const rounds = isQuick ? 1 : 5;
const sizes = [
  { clients: 1, events: 2_000, goal: '' },
  { clients: 100, events: 400, goal: 2 },
  { clients: 1_000, events: 100, goal: 2 },
];

const rows = [];
for (const { clients, events, goal } of sizes) {
  // The first round is for the compiler.
  await fanOut(clients, events);
  const found = [];
  for (let round = 0; round < rounds; round += 1) found.push(await fanOut(clients, events));
  rows.push({
    clients,
    events,
    ownUs: rounded(median(found.map(({ ownUs }) => ownUs)), 1),
    bareUs: rounded(median(found.map(({ bareUs }) => bareUs)), 1),
    ratio: rounded(median(found.map(({ ownUs, bareUs }) => ownUs / bareUs))),
    goal,
    load: load(),
  });
}
show('http', rows);
