// The receivers of the guide about webhooks run as they are shown, and get real deliveries: right, repeated, forged and old
// ones, and one that they cannot store.
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'undici';
import { join } from 'node:path';
import t from 'tap';
import { buildSignedHeaders } from '#actors/core/webhooks/sign.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { openPostgres } from '#store/postgres/client.js';
import { needProgram } from '#test/support/suite/programs.js';
import { startProcess } from '#test/support/processes.js';
import { makeFolder } from '#test/support/servers.js';
import { startServingService } from '#test/support/serving.js';
import { addEndpoint } from '#test/support/webhooks/outbox.js';
import {
  type Received,
  receiverVariables,
  startReceiver,
} from '#test/support/webhooks/receiver.js';
import { listBlocks } from '#test/gateway/docs/guide-blocks.js';

const MAX_AGE_S = 300;

const front = await startReceiver(t);
const variables = { ...(await receiverVariables(t)), WEBHOOK_RETRY_SCHEDULE: '1,1,1,1,1' };
const service = await startServingService(t, { variables });
const sql = openPostgres(service.databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
const { secret } = await addEndpoint(sql, service.merchant.merchantId, front.url);
await startProcess(t, 'webhooks', service.variables);
const python = needProgram('python3', 'python3');

interface Shown {
  readonly file: string;
  readonly command: (port: number) => readonly string[];
  /** Where it stores events, in the folder in which it runs. */
  readonly store: string;
  readonly listStored: (folder: string) => string[];
}

const listFiles = (folder: string): string[] =>
  readdirSync(join(folder, 'events')).map((name) => name.replace('.json', ''));
const LIST_ROWS =
  'import sqlite3; print("\\n".join(i for i, in sqlite3.connect("events.db").execute("select id from events")))';

const RECEIVERS: Readonly<Record<string, Shown>> = {
  js: {
    file: 'receiver.mjs',
    command: () => [process.execPath, 'receiver.mjs'],
    store: 'events',
    listStored: listFiles,
  },
  php: {
    file: 'receiver.php',
    command: (port) => [needProgram('php', 'php-cli'), '-S', `127.0.0.1:${port}`, 'receiver.php'],
    store: 'events',
    listStored: listFiles,
  },
  python: {
    file: 'receiver.py',
    command: () => [python, 'receiver.py'],
    store: 'events.db',
    listStored: (folder) => {
      const { stdout } = spawnSync(python, ['-c', LIST_ROWS], { cwd: folder, encoding: 'utf8' });
      return stdout.split('\n').filter((id) => id !== '');
    },
  },
};

interface Running {
  readonly folder: string;
  readonly send: (headers: object, body: Buffer | string, method?: string) => Promise<number>;
}

async function startShown(text: string, { file, command }: Shown): Promise<Running> {
  const folder = makeFolder(t);
  writeFileSync(join(folder, file), text);
  const port = await findFreePort();
  const [program = '', ...args] = command(port);
  const env = { PATH: process.env['PATH'], PORT: String(port), WEBHOOK_SECRET: secret };
  const child = spawn(program, args, { cwd: folder, env, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  t.teardown(async () => {
    child.kill();
    await ended;
  });
  const send: Running['send'] = async (headers, body, method = 'POST') => {
    const answer = await request(`http://127.0.0.1:${port}/`, {
      method: method as 'POST',
      headers: headers as Record<string, string>,
      body: method === 'GET' ? null : body,
    });
    await answer.body.dump();
    return answer.statusCode;
  };
  await waitUntil(`${file} listens`, () =>
    send({}, '', 'GET').then(
      () => true,
      () => false,
    ),
  );
  return { folder, send };
}

/** The headers of a delivery that say something about it. */
function pickHeaders({ headers }: Received): Record<string, string> {
  const names = Object.keys(headers).filter((name) =>
    /^(x-service-|webhook-|content-type)/.test(name),
  );
  return Object.fromEntries(names.map((name) => [name, String(headers[name])]));
}

/** Pays a payment; its event passes through the front, which a server with HTTPS would be, to the receiver. */
async function pay(running: Running): Promise<Received> {
  front.behave((received, response) => {
    running.send(pickHeaders(received), received.body).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(502).end(),
    );
  });
  const { id } = (await service.api.create({ amount: '150000' })).body;
  await service.api.simulate(id, 'paid');
  return waitUntil('the delivery', () =>
    front.received.find(({ body }) => body.toString().includes(String(id))),
  );
}

const readStatus = async (eventId: string): Promise<unknown> => {
  const [row] = await sql`select status from webhook_deliveries where event_id = ${eventId}`;
  return row?.['status'];
};
const waitUntilDelivered = (eventId: string): Promise<unknown> =>
  waitUntil('the delivery is recorded', async () => {
    return (await readStatus(eventId)) === 'delivered';
  });

const blocks = listBlocks('webhooks').filter(({ role }) => role === 'receiver');
t.strictSame(
  blocks.map(({ language }) => language),
  Object.keys(RECEIVERS),
  'the guide has each receiver',
);

for (const { language, text } of blocks) {
  const shown = RECEIVERS[language];
  if (shown === undefined) continue;
  t.test(`the receiver in ${language}`, async (t) => {
    const running = await startShown(text, shown);
    const { folder, send } = running;
    const delivery = await pay(running);
    await waitUntilDelivered(delivery.id);
    t.strictSame(shown.listStored(folder), [delivery.id], 'a real delivery is stored');

    const headers = pickHeaders(delivery);
    const signature = String(headers['webhook-signature']);
    t.equal(await send(headers, delivery.body), 204, 'a repeated delivery is accepted');
    t.strictSame(shown.listStored(folder), [delivery.id], 'and stored once');

    const sign = (id: string, ageS: number, own = secret): readonly [object, Buffer] => {
      const body = Buffer.from(JSON.stringify({ id, type: 'payment.paid', data: {} }));
      const timestampS = Math.floor(Date.now() / 1000) - ageS;
      const secrets = { current: own, next: null };
      const names = { brandHeader: 'Service', attempt: 1 };
      return [buildSignedHeaders(secrets, { id, timestampS, body }, names), body];
    };
    const forged = Buffer.from(delivery.body.toString().replace('150000', '999999'));
    const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    t.equal(await send(headers, forged), 401, 'another body');
    t.equal(await send({ ...headers, 'webhook-id': 'evt_2' }, delivery.body), 401, 'another id');
    t.equal(await send({ ...headers, 'webhook-signature': 'v1,x' }, delivery.body), 401);
    t.equal(await send({ ...headers, 'webhook-signature': '' }, delivery.body), 401);
    t.equal(await send({ ...headers, 'webhook-timestamp': 'soon' }, delivery.body), 401);
    t.equal(await send({}, delivery.body), 401, 'no signature');
    t.equal(await send(...sign('evt_other', 0, other)), 401, 'another secret');
    t.equal(await send(...sign('evt_old', MAX_AGE_S + 1)), 401, 'an old delivery');
    t.equal(await send(headers, 'x'.repeat(300_000)).catch(() => 413), 413, 'too large');
    t.not(await send(headers, '', 'GET'), 204, 'another method');
    t.strictSame(shown.listStored(folder), [delivery.id], 'none of them is stored');

    const both = { ...headers, 'webhook-signature': `v1,${'A'.repeat(43)}= ${signature}` };
    t.equal(await send(both, delivery.body), 204, 'one right signature of two, in a rotation');

    const place = join(folder, shown.store);
    renameSync(place, `${place}.kept`);
    if (shown.store.endsWith('.db')) mkdirSync(place);
    else writeFileSync(place, '');
    const failed = await pay(running);
    await waitUntil('a retry', () =>
      front.received.some(
        ({ id, headers: sent }) => id === failed.id && sent['x-service-delivery-attempt'] === '2',
      ),
    );
    t.equal(
      await readStatus(failed.id),
      'pending',
      'an event that was not stored is not delivered',
    );
    if (shown.store.endsWith('.db')) rmdirSync(place);
    else rmSync(place);
    renameSync(`${place}.kept`, place);
    await waitUntilDelivered(failed.id);
    t.strictSame(shown.listStored(folder).sort(), [delivery.id, failed.id].sort());
    t.notOk(existsSync(`${place}.kept`));
  });
}
