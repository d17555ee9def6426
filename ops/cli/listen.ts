// `kasir listen`: events of a TEST account, sent as webhooks to a developer's machine. Each event that happens after the
// start is sent once; there are no retries.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { makeWebhookSecret } from '#actors/core/webhooks/sign.js';
import { readConfig } from '../runtime/config.js';
import { addCommand } from './base/options.js';
import { describeError, type Format, print, writeDiagnostic } from './base/output.js';
import { type EventSource, followEvents } from './listen-events.js';
import { forwardEvent, type Forwarding, isLoopback } from './listen-forward.js';

const POLL_MS = 1_000;

/** The part of demo.json, written by `npm start`, that this command reads. */
interface Demo {
  readonly base_url?: string;
  readonly keys?: { readonly test?: string };
  readonly webhook?: { readonly secret?: string };
}

export function addListen(program: Command): void {
  const purpose =
    'Forward the events of a TEST account to a receiver on this machine, until Ctrl-C';
  addCommand(program, 'listen', purpose, 'kasir listen --forward-to http://localhost:3000/hook')
    .requiredOption('--forward-to <url>', 'receiver on localhost', parseLoopbackUrl)
    .option('--key <key>', 'API key, sk_test_… (default: that of the demo merchant)', parseTestKey)
    .option('--base-url <url>', 'address of the API (default: that of npm start)', parseUrl)
    .option('--secret <secret>', 'whsec_… (default: that of the demo merchant, or a new one)')
    .action(async ({ forwardTo, json, ...given }, command) => {
      const { dataDir, brand } = readConfig('start');
      const demo = readDemo(dataDir);
      const { key = demo.keys?.test, baseUrl = demo.base_url } = given;
      if (key === undefined || baseUrl === undefined) {
        return command.error('error: --key and --base-url are required unless npm start runs');
      }
      const demoSecret = given.key === undefined ? demo.webhook?.secret : undefined;
      const secret = given.secret ?? demoSecret ?? makeWebhookSecret(randomBytes(32));
      if (given.secret === undefined) writeDiagnostic(`signed with ${secret}`);
      const forwarding = { to: forwardTo, secret, brandHeader: brand.header };
      await forwardEvents({ baseUrl, key }, forwarding, { json });
    });
}

function parseUrl(text: string): string {
  if (URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be a URL: https://api.example.com.');
}

function parseLoopbackUrl(text: string): URL {
  const url = new URL(parseUrl(text));
  if (isLoopback(url)) return url;
  throw new InvalidArgumentError('It must be http(s) on localhost, 127.0.0.0/8 or [::1].');
}

function parseTestKey(text: string): string {
  if (text.startsWith('sk_test_')) return text;
  throw new InvalidArgumentError('It must be a key of the TEST environment: sk_test_….');
}

function readDemo(dataDir: string): Demo {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo;
  } catch {
    return {};
  }
}

/** A failure of the first read ends the command; later ones are printed and retried. */
async function forwardEvents(
  source: EventSource,
  forwarding: Forwarding,
  format: Format,
): Promise<never> {
  const readNewEvents = followEvents(source);
  await readNewEvents();
  writeDiagnostic(`listening; events go to ${forwarding.to.href}`);
  for (;;) {
    await setTimeout(POLL_MS);
    try {
      for (const event of await readNewEvents()) {
        const { id, type, created_at: createdAt } = event;
        const outcome = await forwardEvent(forwarding, event);
        print({ id, type, createdAt, outcome }, format, [createdAt, type, id, outcome].join('  '));
      }
    } catch (error) {
      writeDiagnostic(`error: ${describeError(error)}; retrying in ${POLL_MS} ms`);
    }
  }
}
