import type { Event } from '../event/catalogue.ts';
import { emptyBoard, withEvent, type Board } from './board.ts';
import { boardLines, countsText, eventLine } from './screen.ts';

/** Presents the events of the demo as they come. */
export interface Show {
  /** Shows a text besides the events. */
  say(text: string): void;
  /** Shows an event. */
  take(event: Event): void;
  /** Ends the show with the counts of all events. */
  end(elapsedMs: number): void;
}

/** The stream that the show is written to. Size and `isTTY` are set on a terminal. */
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

/** Shows a table redrawn in place on a terminal, a line per event elsewhere, and with `json` an object per line. */
export function showOn(output: Output, json: boolean): Show {
  if (!json && output.isTTY) return liveShow(output);
  let board = emptyBoard;
  const tell = (object: object, text: string | undefined): void => {
    const line = json ? JSON.stringify(object) : text;
    if (line !== undefined) output.write(`${line}\n`);
  };
  return {
    say: (message) => tell({ message }, message),
    take(event) {
      board = withEvent(board, event);
      tell({ event }, eventLine(event));
    },
    end: (elapsedMs) => tell({ summary: { ...board.counts, elapsedMs: Math.round(elapsedMs) } }, sum(board, elapsedMs)),
  };
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

function sum({ counts }: Board, elapsedMs: number): string {
  return `${countsText(counts)} in ${(elapsedMs / 1_000).toFixed(1)} s`;
}

function upTo(lines: number): string {
  return lines === 0 ? '' : `\x1b[${lines}F`;
}
