import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ending, findProgram, freePort, missingServer, type OwnServer, startServer } from './own-server.ts';

const program = findProgram('rabbitmq-server');
const given = process.env['AMQP_URL'];

/** Why tests with any broker cannot run here; `false` when they can. */
export const noBroker = missingServer('rabbitmq-server', program !== undefined || given !== undefined);

/** Why tests that end a broker of their own cannot run here; `false` when they can. */
export const noOwnBroker = missingServer('rabbitmq-server', program !== undefined);

/** A RabbitMQ of the test's own, on loopback, which keeps what it must over a restart. */
export interface Broker {
  readonly url: string;
  /** Ends it, in order or as a crash. */
  end(how?: 'in order' | 'at once'): Promise<void>;
  /** Starts it again at the same place. */
  start(): Promise<void>;
}

/** The address of the broker that `AMQP_URL` names, or of one that is started and goes with the test. */
export async function brokerUrl(t: Ending): Promise<string> {
  return given ?? (await openBroker(t)).url;
}

/** Starts a broker, which takes some seconds; it goes with the test. */
export async function openBroker(t: Ending): Promise<Broker> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-rabbitmq-'));
  const [port, distribution, epmd] = [await freePort(), await freePort(), await freePort()];
  // The names of Erlang nodes are kept by a program that would outlive its nodes; this one does not.
  const names = await startServer({
    command: [findProgram('epmd') ?? 'epmd', '-d', '-d', '-port', String(epmd), '-address', '127.0.0.1'],
    cwd: folder,
    isUp: /entering the main select\(\) loop/,
  });
  await writeFile(
    join(folder, 'rabbitmq.conf'),
    `listeners.tcp.1 = 127.0.0.1:${port}\nlog.console = true\nlog.console.level = info\nlog.file = false\n`,
  );
  let server: OwnServer | undefined;
  const end = async (how: 'in order' | 'at once' = 'at once'): Promise<void> => {
    const running = server;
    server = undefined;
    await running?.end(how === 'in order' ? 'SIGTERM' : 'SIGKILL');
  };
  const start = async (): Promise<void> => {
    server = await startServer({
      command: [program ?? 'rabbitmq-server'],
      cwd: folder,
      env: environmentIn(folder, epmd, distribution),
      isUp: /Server startup complete/,
    });
  };
  t.after(async () => {
    await end();
    await names.end('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  await start();
  return { url: `amqp://guest:guest@127.0.0.1:${port}`, end, start };
}

function environmentIn(folder: string, epmd: number, distribution: number): Record<string, string> {
  const at = (name: string): string => join(folder, name);
  return {
    // The program itself in place of a shell that waits for it.
    RABBITMQ_ALLOW_INPUT: '1',
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-noinput -kernel inet_dist_use_interface {127,0,0,1}',
    RABBITMQ_NODENAME: `heronry-${distribution}@localhost`,
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_CONFIG_FILE: at('rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: at('none.config'),
    RABBITMQ_CONF_ENV_FILE: at('none.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: at('plugins'),
    RABBITMQ_GENERATED_CONFIG_DIR: at('generated'),
    RABBITMQ_FEATURE_FLAGS_FILE: at('feature-flags'),
    RABBITMQ_MNESIA_BASE: at('mnesia'),
    RABBITMQ_LOG_BASE: at('log'),
    RABBITMQ_PID_FILE: at('pid'),
    ERL_EPMD_PORT: String(epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    HOME: folder,
  };
}
