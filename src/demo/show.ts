import type { EventView } from '../control/methods/event.ts';
import { emptyBoard, withEvent, type Board } from './board.ts';
import { boardLines, countsText, eventLine } from './screen.ts';

/** Where the demo tells what happens. */
export interface Show {
  /** Something to say before or besides the events. */
  say(text: string): void;
  take(event: EventView): void;
  /** Ends the show with the sum of it. */
  end(elapsedMs: number): void;
}

/** What the show is written to; size and `isTTY` as a terminal has them. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

const redrawMs = 250;
const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';
const clearBelow = '\x1b[0J';

/** Redrawn in place on a terminal, else a line per event; as JSON, one object per line. */
export function showOn(output: Output, json: boolean): Show {
  if (json) return jsonShow(output);
  return output.isTTY ? liveShow(output) : lineShow(output);
}

function liveShow(output: Output): Show {
  let board = emptyBoard;
  let drawn = 0;
  const timer = setInterval(draw, redrawMs);
  output.write(hideCursor);

  return {
    say(text) {
      output.write(`${upTo(drawn)}${clearBelow}${text}\n`);
      drawn = 0;
    },
    take(event) {
      board = withEvent(board, event);
    },
    end(elapsedMs) {
      clearInterval(timer);
      draw();
      output.write(`${showCursor}${sum(board, elapsedMs)}\n`);
    },
  };

  function draw(): void {
    const lines = boardLines(board, Date.now(), { columns: output.columns ?? 80, rows: output.rows ?? 24 });
    output.write(`${upTo(drawn)}${clearBelow}${lines.join('\n')}\n`);
    drawn = lines.length;
  }
}

function lineShow(output: Output): Show {
  let board = emptyBoard;
  return {
    say: (text) => void output.write(`${text}\n`),
    take(event) {
      board = withEvent(board, event);
      const line = eventLine(event);
      if (line !== undefined) output.write(`${line}\n`);
    },
    end: (elapsedMs) => void output.write(`${sum(board, elapsedMs)}\n`),
  };
}

function jsonShow(output: Output): Show {
  let board = emptyBoard;
  return {
    say: (text) => void output.write(`${JSON.stringify({ message: text })}\n`),
    take(event) {
      board = withEvent(board, event);
      output.write(`${JSON.stringify({ event })}\n`);
    },
    end: (elapsedMs) =>
      void output.write(`${JSON.stringify({ summary: { ...board.counts, elapsedMs: Math.round(elapsedMs) } })}\n`),
  };
}

function sum({ counts }: Board, elapsedMs: number): string {
  return `${countsText(counts)} in ${(elapsedMs / 1_000).toFixed(1)} s`;
}

function upTo(lines: number): string {
  return lines === 0 ? '' : `\x1b[${lines}F`;
}
