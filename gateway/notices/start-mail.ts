// The two loops of mails: one composes the mails of notices, one sends what waits. Each gateway runs both; a notice is ended,
// and a mail claimed, by one of them.
import type { Config } from '#ops/runtime/config.js';
import type { Log } from '#ops/runtime/log.js';
import { startLoop } from '#ops/runtime/loop.js';
import {
  createNoticeTurns,
  delayNotice,
  endNotice,
  listDueNotices,
} from '#store/postgres/accounts/notices.js';
import type { Postgres } from '#store/postgres/client.js';
import { createCompose } from '../mail/compose.js';
import { startMailer, type Mailer } from '../mail/mailer.js';
import { composeNotice } from './notice-mails.js';

const LOOK_EVERY_MS = 2_000;
const NOTICES_AT_ONCE = 20;
const MAX_ERROR_CHARACTERS = 300;

/** `nudge` looks for notices and mails at once. */
export function startMail(
  config: Pick<Config, 'mail' | 'brand' | 'baseUrl'>,
  sql: Postgres,
  log: Log,
): Mailer {
  const { baseUrl, brand } = config;
  const compose = createCompose({ baseUrl, brand: brand.name });
  const mailer = startMailer(config, sql, log);
  const turns = createNoticeTurns();
  const loop = startLoop({
    name: 'composing mails of notices',
    everyMs: LOOK_EVERY_MS,
    work: async () => {
      const notices = await listDueNotices(sql, turns, NOTICES_AT_ONCE);
      for (const notice of notices) {
        try {
          await endNotice(sql, notice, await composeNotice({ sql, compose }, notice));
        } catch (error) {
          const { id, kind } = notice;
          log.warn({ err: error, notice: id, kind }, 'a notice was not mailed; it is tried later');
          const message = error instanceof Error ? error.message : String(error);
          await delayNotice(sql, id, message.slice(0, MAX_ERROR_CHARACTERS));
        }
      }
      if (notices.length === 0) return undefined;
      mailer.nudge();
      return 0;
    },
    log,
  });
  return {
    nudge: () => {
      loop.wake();
      mailer.nudge();
    },
    stop: async () => {
      await loop.stop();
      await mailer.stop();
    },
  };
}
