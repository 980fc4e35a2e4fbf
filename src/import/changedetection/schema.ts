import * as z from 'zod';

const texts = z.array(z.string()).exactOptional();
const text = z.string().nullable().exactOptional();
const flag = z.boolean().nullable().exactOptional();
const count = z
  .union([z.number(), z.string().transform(Number)])
  .nullable()
  .exactOptional();

const Day = z.looseObject({
  enabled: z.boolean().default(true),
  start_time: z.string().default('00:00'),
  duration: z.looseObject({ hours: z.coerce.number().default(24), minutes: z.coerce.number().default(0) }).prefault({}),
});

const Step = z.looseObject({
  operation: z.string().nullable().default(''),
  selector: z.string().nullable().default(''),
  optional_value: z.union([z.string(), z.number()]).nullable().default('').transform(String),
});

const Condition = z.looseObject({
  operator: z.string().nullable().default(''),
  field: z.string().nullable().default(''),
  value: z.union([z.string(), z.number()]).nullable().default('').transform(String),
});

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const Interval = z
  .looseObject({ weeks: count, days: count, hours: count, minutes: count, seconds: count })
  .nullable()
  .exactOptional();

/** The rules that a watch and its groups share. */
const rules = {
  include_filters: texts,
  subtractive_selectors: texts,
  ignore_text: texts,
  trigger_text: texts,
  text_should_not_be_present: texts,
  extract_text: texts,
  extract_lines_containing: texts,
  notification_urls: texts,
  notification_muted: flag,
  notification_title: text,
  notification_body: text,
};

/** A watch of changedetection.io, as `watch.json` and `url-watches.json` have it, and its group where that sets more than a name. */
export const Watch = z.looseObject({
  ...rules,
  url: z.string(),
  title: text,
  page_title: text,
  tags: texts,
  /** Names with commas between, in old versions. */
  tag: text,
  paused: flag,
  processor: text,
  fetch_backend: text,
  method: text,
  headers: z.record(z.string(), z.string()).nullable().exactOptional(),
  body: text,
  proxy: text,
  /** The selector of old versions. */
  css_filter: text,
  time_between_check: Interval,
  time_between_check_use_default: flag,
  minutes_between_check: count,
  time_schedule_limit: z
    .looseObject({
      enabled: z.boolean().default(false),
      timezone: text,
      ...(Object.fromEntries(days.map((day) => [day, Day.exactOptional()])) as Record<
        (typeof days)[number],
        z.ZodExactOptional<typeof Day>
      >),
    })
    .nullable()
    .exactOptional(),
  browser_steps: z.array(Step).nullable().exactOptional(),
  webdriver_delay: count,
  webdriver_js_execute_code: text,
  conditions: z.array(Condition).nullable().exactOptional(),
  conditions_match_logic: text,
  trim_text_whitespace: flag,
  sort_text_alphabetically: flag,
  remove_duplicate_lines: flag,
  check_unique_lines: flag,
  filter_text_added: flag,
  filter_text_removed: flag,
  filter_text_replaced: flag,
  ignore_status_codes: z.unknown().exactOptional(),
  price_change_threshold_percent: z.unknown().exactOptional(),
  llm_intent: text,
  llm_change_summary: text,
  track_ldjson_price_data: z.unknown().exactOptional(),
  'content-type': text,
  /** The history of very old versions. */
  history: z.record(z.string(), z.string()).nullable().exactOptional(),
});
export type Watch = z.infer<typeof Watch>;

/** A group of watches. */
export const Tag = z.looseObject({
  ...rules,
  title: text,
  processor: z.unknown().exactOptional(),
  overrides_watch: flag,
});
export type Tag = z.infer<typeof Tag>;

/** The settings of all watches. */
export const Application = z.looseObject({
  global_subtractive_selectors: texts,
  global_ignore_text: texts,
  notification_urls: texts,
  notification_title: text,
  notification_body: text,
  fetch_backend: text,
  scheduler_timezone_default: text,
  timezone: text,
  tags: z.record(z.string(), z.unknown()).nullable().exactOptional(),
});
export type Application = z.infer<typeof Application>;

/** The settings of requests. */
export const Requests = z.looseObject({
  time_between_check: Interval,
  extra_proxies: z
    .array(
      z.looseObject({ proxy_name: z.string().nullable().default(''), proxy_url: z.string().nullable().default('') }),
    )
    .nullable()
    .exactOptional(),
  proxy: text,
});
export type Requests = z.infer<typeof Requests>;

export { days as weekdays };

/** Keys of a watch that say how it went, or how it is shown, and those of settings that a watch has by default: nothing is lost with them. */
export const idleKeys: ReadonlySet<string> = new Set([
  ...['uuid', 'date_created', 'last_checked', 'last_viewed', 'last_error', 'last_notification_error', 'check_count'],
  ...['fetch_time', 'consecutive_filter_failures', 'previous_md5', 'previous_md5_before_filters', 'last_changed'],
  ...['notification_alert_count', 'notification_format', 'notification_screenshot', 'remote_server_reply', 'viewed'],
  ...[
    'browser_steps_last_error_step',
    'filter_failure_notification_send',
    'use_page_title_in_list',
    'newest_history_key',
  ],
  ...['extract_title_as_title', 'has_ldjson_price_data', 'last_check_status', 'last_filter_config_hash', 'restock'],
  ...[
    'restock_settings',
    'in_stock',
    'in_stock_only',
    'follow_price_changes',
    'history_snapshot_max_length',
    'error_text',
  ],
  ...[
    'llm_prefilter',
    'llm_evaluation_cache',
    'llm_change_summary_mode',
    'strip_ignored_lines',
    'favicon_last_updated',
  ],
  ...['__check_type', 'was_edited', 'history_n', 'link', 'type'],
]);
