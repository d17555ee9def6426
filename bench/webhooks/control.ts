// The controls of deliveries share their settings, the signed request over kept connections with a deadline, and the address at which
// the bench asks for deliveries. A control says only how its queue keeps them. No guard, no lanes, no record of attempts, one
// signature.
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

export interface ControlSettings {
  readonly redis: { readonly port: number; readonly password: string };
  readonly databaseUrl: string;
  readonly urls: readonly string[];
  readonly body: string;
  readonly concurrency: number;
  readonly port: number;
}

export interface Delivery {
  readonly id: string;
  readonly url: string;
  readonly body: string;
}

export const ATTEMPTS = 12;
const DEADLINE_MS = 10_000;
const ADDED_AT_ONCE = 250;

const secret = `whsec_${randomBytes(32).toString('base64')}`;

/** From the file that the bench wrote. */
export function readSettings(): ControlSettings {
  return JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as ControlSettings;
}

export async function deliver({ id, url, body }: Delivery): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
      'webhook-id': id,
    },
    body,
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  await response.text();
  if (!response.ok) throw new Error(`status ${response.status}`);
}

/** POST /<count> adds so many deliveries. Ends when the bench says so or is gone. */
export function serveAdds(
  { urls, body, port }: ControlSettings,
  add: (deliveries: readonly Delivery[]) => Promise<unknown>,
): void {
  const addAll = async (count: number): Promise<void> => {
    for (let from = 0; from < count; from += ADDED_AT_ONCE) {
      const length = Math.min(ADDED_AT_ONCE, count - from);
      const numbers = Array.from({ length }, (_, index) => from + index);
      await add(numbers.map((n) => ({ id: `evt_${n}`, url: urls[n % urls.length] ?? '', body })));
    }
  };
  createServer((request, response) => {
    addAll(Number(request.url?.slice(1))).then(
      () => response.end(),
      (error: unknown) => {
        console.error(error);
        response.writeHead(500).end();
      },
    );
  }).listen(port, '127.0.0.1', () => process.send?.({ type: 'ready' }));
  process.on('SIGTERM', () => process.exit(0));
  process.once('disconnect', () => process.exit(0));
}
