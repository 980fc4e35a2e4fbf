import * as z from 'zod';
import { strict } from '../../schema/strict.ts';
import { Address, reveal } from '../address.ts';
import { discordPayload, discordText } from '../discord.ts';
import { escapes } from '../escape.ts';
import type { SinkKind } from '../sink.ts';
import { fillText, TextTemplate } from '../template.ts';
import { templateValues } from '../values.ts';

const Options = strict({
  /** The address of the webhook, which Discord shows under "Integrations". */
  url: Address,
  /** The text of the message, a template. Default: an embed for each event. */
  message: TextTemplate.exactOptional(),
  /** Whether the receiver may have a private address. */
  allowPrivate: z.boolean().default(false),
});

/** Posts each message to a webhook of Discord. */
export const discord: SinkKind<z.infer<typeof Options>> = {
  options: Options,
  doc: 'Posts each message to a webhook of Discord, as an embed for each event or as a text.',
  templates: ({ message }) => [message],
  open: async ({ url, message: template, allowPrivate }, ports) => ({
    async deliver(batch, signal) {
      const revealed = await reveal(ports, [url]);
      if (!revealed.ok) return batch.map(() => revealed);
      return Promise.all(
        batch.map((message) => {
          const payload =
            template === undefined
              ? discordPayload(message, ports)
              : discordText(fillText(template, templateValues(message, ports), message.at, escapes.discord));
          return ports.post(revealed.text(url), {
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(payload),
            allowPrivate,
            signal,
          });
        }),
      );
    },
    async close() {},
  }),
};
