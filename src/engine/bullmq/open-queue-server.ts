import { openPostgresqlServer } from './postgresql-server.ts';
import type { QueueServer, QueueServerOptions } from './queue-server.ts';
import { openRedisServer } from './redis-server.ts';

/**
 * Connects to Redis (`redis:`, `rediss:`) or PostgreSQL (`postgres:`, `postgresql:`). Rejects with a `MissingPeer` where the package for it
 * is not installed, and when the server cannot be reached or lacks its tables.
 */
export function openQueueServer(url: string, options: QueueServerOptions): Promise<QueueServer> {
  return URL.parse(url)?.protocol.startsWith('redis') === true
    ? openRedisServer(url, options)
    : openPostgresqlServer(url, options);
}
