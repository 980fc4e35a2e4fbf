import { cut, shown } from './fault.ts';
import type { PluginLogLine } from './protocol.ts';

/** The largest number of lines a minute; more are counted and dropped. */
const linesPerMinute = 1_000;
const maxMessageLength = 4_000;
/** The largest size of a line's data as JSON, in characters. */
const maxDataLength = 8_000;

/** The log of one call, bounded in the number and length of its lines. */
export interface ThreadLog {
  write(level: PluginLogLine['level'], message: unknown, data?: unknown): void;
  /** Logs how many lines were dropped, if any. */
  close(): void;
}

/** Opens a log whose lines are sent by `send`. */
export function openLog(send: (line: PluginLogLine) => void, nowMs: () => number = () => performance.now()): ThreadLog {
  let minuteAt = nowMs();
  let lines = 0;
  let dropped = 0;

  return {
    write(level, message, data) {
      startMinute();
      if (lines >= linesPerMinute) {
        dropped += 1;
        return;
      }
      lines += 1;
      const text = cut(typeof message === 'string' ? message.trimEnd() : shown(message), maxMessageLength);
      send({ level, message: text, ...(data !== undefined && { data: sendable(data) }) });
    },
    close: tellDropped,
  };

  function startMinute(): void {
    const now = nowMs();
    if (now - minuteAt < 60_000) return;
    tellDropped();
    minuteAt = now;
    lines = 0;
  }

  function tellDropped(): void {
    if (dropped === 0) return;
    send({
      level: 'warn',
      message: `${dropped} more lines were left out: at most ${linesPerMinute} a minute are logged`,
    });
    dropped = 0;
  }
}

/** The data of a line as JSON; as text where it is no JSON or too long. */
function sendable(data: unknown): unknown {
  if (data instanceof Error) return cut(shown(data), maxDataLength);
  try {
    const text = JSON.stringify(data) ?? String(data);
    return text.length > maxDataLength ? cut(text, maxDataLength) : (JSON.parse(text) as unknown);
  } catch {
    // A cycle, a BigInt or a `toJSON` that throws.
    return shown(data);
  }
}
