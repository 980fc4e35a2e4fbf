import type { JobView, RunView } from '../../view/pipeline.ts';
import type { Environment } from '../lmdb/environment.ts';
import { table } from '../lmdb/table.ts';

/** What is known of a pipeline besides its file. */
export interface PipelineRow {
  /** Set while a person has paused it: nothing of it begins. */
  readonly paused?: { readonly at: number; readonly reason?: string };
  /** The schedule that `nextAt` is of, and when it next has a run begin; missing without one. */
  readonly schedule?: string;
  readonly nextAt?: number;
  /** The run under way; one at a time. */
  readonly active?: number;
  /** The number of its last run; 0 before the first. */
  readonly last: number;
}

/** What came of the scrapes of a job so far. */
export interface Scraped {
  readonly scrapes: number;
  readonly failed: number;
  /** Records that they added and changed. */
  readonly added: number;
  readonly changed: number;
  /** What the first of those that failed say. */
  readonly failures: readonly string[];
}

/** A job of a run. */
export interface JobRow extends JobView {
  /** Of a job that scrapes, once it has asked for all its scrapes. */
  readonly scraped?: Scraped;
}

/** A run of a pipeline. */
export interface RunRow extends Omit<RunView, 'durationMs' | 'jobs'> {
  readonly jobs: readonly JobRow[];
}

/** Opens the tables of pipelines. */
export function pipelineTables(environment: Environment) {
  return {
    /** By the id of the pipeline. */
    states: table<string, PipelineRow>(environment, 'pipelines'),
    runs: table<[pipeline: string, run: number], RunRow>(environment, 'pipelines.runs'),
    /** The scrapes that a job waits for, by their targets. */
    scrapes: table<[pipeline: string, run: number, job: string, target: number], number>(
      environment,
      'pipelines.scrapes',
    ),
  };
}

/** The scrapes of one job in their table. */
export function scrapesOf(pipeline: string, run: number, job: string) {
  const of = (target: number): [string, number, string, number] => [pipeline, run, job, target];
  return { from: of(0), before: of(Number.MAX_SAFE_INTEGER) };
}

/** The runs of one pipeline in their table, before one of them. */
export function runsOf(pipeline: string, before: number = Number.MAX_SAFE_INTEGER) {
  const of = (run: number): [string, number] => [pipeline, run];
  return { from: of(0), before: of(before) };
}
