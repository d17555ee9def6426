// `npm run webhooks:listen -- --forward-to http://localhost:3000/hook`: the events of a TEST account on a
// developer's machine, as webhooks. Each is sent once, from now on; what the receiver answers is shown.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeWebhookSecret } from '#actors/core/webhooks/sign.js';
import { readConfig } from '#ops/runtime/config.js';
import { followEvents } from './events.js';
import { forward, parseForwardTo } from './forward.js';

const USAGE = `npm run webhooks:listen -- --forward-to http://localhost:3000/hook
    [--key sk_test_…] [--secret whsec_…] [--base-url https://…]

--forward-to  an address of this machine
--key, --base-url  of the account; that of the demo merchant unless given
--secret  that of the endpoint; the demo's with the demo's key, else one is made and shown
`;
const LOOK_EVERY_MS = 1_000;

interface Demo {
  readonly base_url?: string;
  readonly keys?: { readonly test?: string };
  readonly webhook?: { readonly secret?: string };
}

const { dataDir, brand } = readConfig('start');

function readDemo(): Demo {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo;
  } catch {
    return {};
  }
}

function endWith(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(2);
}

function parseWords() {
  const text = { type: 'string' } as const;
  const options = { 'forward-to': text, key: text, secret: text, 'base-url': text };
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return endWith(error instanceof Error ? error.message : 'not understood');
  }
}

const words = parseWords();
const demo = readDemo();
const to =
  parseForwardTo(words['forward-to'] ?? '') ?? endWith('--forward-to is not of this machine');
const key = words.key ?? demo.keys?.test ?? endWith('--key is missing, and no npm start runs');
if (!key.startsWith('sk_test_')) endWith('--key must be of the TEST environment: sk_test_…');
const baseUrl = words['base-url'] ?? demo.base_url ?? endWith('--base-url is missing');
if (!URL.canParse(baseUrl)) endWith('--base-url is no address');
const demoSecret = words.key === undefined ? demo.webhook?.secret : undefined;
const secret = words.secret ?? demoSecret ?? makeWebhookSecret(randomBytes(32));
if (words.secret === undefined) process.stdout.write(`signed with ${secret}\n`);

const next = followEvents({ baseUrl, key });
let isReady = false;
for (;;) {
  try {
    for (const event of await next()) {
      const outcome = await forward({ to, secret, brandHeader: brand.header }, event);
      process.stdout.write(`${event.created_at}  ${event.type}  ${event.id}  ${outcome}\n`);
    }
    if (!isReady) process.stdout.write(`listening; events go to ${to.href}\n`);
    isReady = true;
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    if (!isReady) process.exit(2);
  }
  await setTimeout(LOOK_EVERY_MS);
}
