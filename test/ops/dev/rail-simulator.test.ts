// The rail simulator itself: its callbacks and their faults, its page, its books after a kill, and that a seed repeats.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { openRails } from '#actors/rails/rail-registry.js';
import type { CallbackReading, Rail } from '#actors/rails/adapters/rail.js';
import { Faults, type FaultRule } from '#ops/dev/rail-simulator/faults.js';
import { launch, stopProgram, waitForExit } from '#ops/dev/launch/program.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { chargeOf, NOBODY, orderOf, payoutOf } from '#test/support/rails/orders.js';
import {
  railsAt,
  settlementOf,
  SIMULATED,
  simulateRails,
  UNLIMITED,
} from '#test/support/rails/simulator.js';
import { makeFolder } from '#test/support/servers.js';

const { signal } = new AbortController();

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The service's side: takes every callback down, and answers it with the next of these, 200 in the end. */
async function receiveCallbacks(t: Test) {
  const received: Received[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(answers.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { received, answers, targets: { midtrans: `${url}/m`, xendit: `${url}/x` } };
}

function read(rail: Rail, { headers, body }: Received): CallbackReading {
  return rail.readCallback({ headers: headers as Record<string, string>, body });
}

t.test('callbacks and their faults', async (t) => {
  const { received, answers, targets } = await receiveCallbacks(t);
  const { control, midtrans, xendit, plan } = await simulateRails(t, { callbacks: targets });
  for (const rail of [midtrans, xendit]) {
    const pay = async (): Promise<string> => {
      const call = chargeOf(rail.name, 'QRIS');
      await rail.charge(call, NOBODY, signal);
      await control('POST', 'pay', { order_id: call.orderId });
      return call.orderId;
    };
    const expect = async (...orders: string[]): Promise<void> => {
      await waitUntil('callbacks come', () => received.length >= orders.length);
      const readings = received.splice(0).map((it) => read(rail, it));
      t.match(
        readings,
        orders.map((orderId) =>
          orderId === 'forged'
            ? { result: 'forged' }
            : { result: 'genuine', subject: { orderId }, money: { amountMinor: 150_000n } },
        ),
      );
    };
    await expect(await pay());
    answers.push(503, 404);
    const repeated = await pay();
    await expect(repeated, repeated, repeated);
    await plan({ kind: 'doubled', operation: 'callback', times: 1 });
    const doubled = await pay();
    await expect(doubled, doubled);
    await plan({ kind: 'lost', operation: 'callback', times: 1 });
    await pay();
    await expect(await pay());
    await plan({ kind: 'late', ms: 300, operation: 'callback', times: 1 });
    const late = await pay();
    const punctual = await pay();
    await expect(punctual, late);
    await plan({ kind: 'forged', operation: 'callback', times: 1 });
    const [forged, genuine] = ['forged', await pay()];
    await waitUntil('both come', () => received.length === 2);
    // They go out at once, on connections of their own.
    received.sort((a, b) => read(rail, a).result.localeCompare(read(rail, b).result));
    await expect(forged, genuine);
    await plan({ kind: 'reordered', operation: 'callback', times: 1 });
    const held = await pay();
    const next = await pay();
    await waitUntil('both come', () => received.length === 2);
    t.same(new Set(received.map((it) => subjectOf(read(rail, it)))), new Set([held, next]));
    received.length = 0;
    await plan();
  }
  const payout = payoutOf();
  await xendit.payOut(payout, signal);
  await waitUntil('the payout is told', () => received.length === 1);
  t.match(
    received.map((it) => read(xendit, it)),
    [{ subject: { kind: 'payout', payoutId: payout.payoutId } }],
  );
  const { data } = (await control('GET', 'callbacks')) as { data: { isForged: boolean }[] };
  t.equal(data.filter(({ isForged }) => isForged).length, 2);
});

function subjectOf(reading: CallbackReading): string {
  if (reading.result !== 'genuine' || reading.subject.kind !== 'order') throw new Error('no order');
  return String(reading.subject.orderId);
}

t.test('a customer pays on the page', async (t) => {
  const { simulator, control, xendit } = await simulateRails(t);
  const call = chargeOf('xendit', 'VA_BNI');
  await xendit.charge(call, NOBODY, signal);
  const { payBy } = (await control('GET', `orders/${call.orderId}`)) as { payBy: string };
  const pay = async (pay_by: string) => {
    const body = new URLSearchParams({ pay_by });
    const answer = await fetch(`${simulator.baseUrl}/pay`, { method: 'POST', body });
    return { status: answer.status, page: await answer.text() };
  };
  t.match(await (await fetch(simulator.baseUrl)).text(), call.orderId);
  t.match(await pay(payBy), { status: 200, page: /Paid: Rp\u00a0150\.000/ });
  t.match(await pay(payBy), { status: 409 });
  t.match(await pay('<script>'), { status: 404 });
  t.match(await control('GET', `orders/${call.orderId}`), { status: 'settled' });
});

t.test('an answered order is in the file after kill -9', async (t) => {
  const folder = makeFolder(t);
  const file = join(folder, 'settings.json');
  const books = join(folder, 'books.ndjson');
  const port = await findFreePort();
  writeFileSync(file, JSON.stringify({ ...SIMULATED, port, file: books, bankMs: 60_000 }));
  const program = {
    ...{ name: 'rail-simulator', command: process.execPath, hasChannel: true, output: 'inherit' },
    args: [join(findPackageRoot(), 'dist/bundle/rail-simulator/main.js'), file],
    env: {},
    ...({ stopSignal: 'SIGTERM', stopMs: 3_000 } as const),
  };
  const start = async () => {
    const child = launch(program);
    t.teardown(() => stopProgram(child, program));
    await new Promise((resolve) => child.once('message', resolve));
    return child;
  };
  const url = `http://127.0.0.1:${port}`;
  const open = openRails(
    railsAt({ midtransUrl: `${url}/midtrans`, xenditUrl: `${url}/xendit` }),
    UNLIMITED,
  );
  t.teardown(() => open.close());
  const first = await start();
  const call = chargeOf('midtrans', 'VA_BCA');
  const paid = chargeOf('midtrans', 'QRIS');
  const payout = payoutOf();
  const rail = open.rails.get('midtrans');
  await rail?.charge(call, NOBODY, signal);
  await rail?.charge(paid, NOBODY, signal);
  await fetch(`${url}/control/pay`, {
    method: 'POST',
    body: JSON.stringify({ order_id: paid.orderId }),
  });
  await open.rails.get('xendit')?.payOut(payout, signal);
  first.kill('SIGKILL');
  await waitForExit(first);
  writeFileSync(books, '{"kind":"order","rail":"midtr', { flag: 'a' });
  await start();
  t.match(await rail?.inquirePayment(orderOf(call), signal), { result: 'open' });
  const found = (await rail?.inquirePayment(orderOf(paid), signal)) ?? { result: 'nothing' };
  t.equal(settlementOf(found).amountMinor, 150_000n);
  t.match(await open.rails.get('xendit')?.inquirePayout(payout, signal), { result: 'pending' });
});

t.test('a seed repeats its faults', (t) => {
  const rules: FaultRule[] = [{ kind: 'lost', operation: 'callback', rate: 0.5 }];
  const strikes = (seed: number): string => {
    const faults = new Faults();
    faults.plan({ seed, rules });
    const occasion = { operation: 'callback', rail: 'xendit', subject: 's' } as const;
    return Array.from({ length: 64 }, () => faults.strike(occasion).length).join('');
  };
  t.equal(strikes(1), strikes(1));
  t.not(strikes(1), strikes(2));
  t.match(strikes(3), /0[^]*1/);
  t.end();
});
