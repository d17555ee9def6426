// The rails that are configured, by name. CONTRIBUTING.md explains how to add one.
import type { RailName } from '../core/rails/answers.js';
import type { Config } from '#ops/runtime/config.js';
import { openRailClient } from './adapters/rail-client.js';
import { createMidtransRail } from './adapters/midtrans/midtrans.js';
import type { Rail } from './adapters/rail.js';
import { formatBasicAuthorization } from './adapters/wire.js';
import { createXenditRail } from './adapters/xendit/xendit.js';

/** What is opened and has to be closed. */
export interface OpenRails {
  readonly rails: ReadonlyMap<RailName, Rail>;
  /** Calls under way end as "unknown". */
  close(): Promise<void>;
}

interface OpenRail {
  readonly rail: Rail;
  close(): Promise<void>;
}

type Open = (config: Config['rails'], nowMs: () => number) => OpenRail | null;

/** In the order in which they are tried where no route says otherwise. */
const RAILS: readonly Open[] = [openMidtrans, openXendit];

export function openRails(config: Config['rails'], nowMs: () => number = Date.now): OpenRails {
  const opened = RAILS.flatMap((open) => open(config, nowMs) ?? []);
  return {
    rails: new Map(opened.map(({ rail }) => [rail.name, rail])),
    close: async () => {
      await Promise.all(opened.map((it) => it.close()));
    },
  };
}

function openMidtrans({ midtrans, timeoutMs }: Config['rails'], nowMs: () => number) {
  const { url, serverKey } = midtrans;
  if (url === null || serverKey === null) return null;
  const headers = { authorization: formatBasicAuthorization(serverKey) };
  const client = openRailClient({ url, headers, timeoutMs });
  const rail = createMidtransRail({ client, baseUrl: url, serverKey, nowMs });
  return { rail, close: () => client.close() };
}

function openXendit({ xendit, timeoutMs }: Config['rails'], nowMs: () => number) {
  const { url, secretKey, callbackToken } = xendit;
  if (url === null || secretKey === null || callbackToken === null) return null;
  const headers = { authorization: formatBasicAuthorization(secretKey) };
  const client = openRailClient({ url, headers, timeoutMs });
  return { rail: createXenditRail({ client, callbackToken, nowMs }), close: () => client.close() };
}
